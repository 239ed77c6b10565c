export {
  type DrizzleTable,
  type DrizzleTableOptions,
  drizzleTable,
} from './storage/drizzle/table.ts'
export type { DrizzleInstance } from './storage/drizzle/columns.ts'
export {
  type DrizzleSourceOptions,
  type RelatedDrizzle,
  drizzleSource,
} from './storage/drizzle/source.ts'
