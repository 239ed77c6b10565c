export {
  type DrizzleTable,
  type DrizzleTableOptions,
  drizzleTable,
} from './storage/drizzle/table.ts'
export type { DrizzleInstance, DrizzleQuery } from './storage/drizzle/queries.ts'
export {
  type DrizzleSourceOptions,
  type RelatedDrizzle,
  drizzleSource,
} from './storage/drizzle/source.ts'
