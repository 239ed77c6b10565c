export { prismaTable } from './storage/prisma/table.ts'
export type {
  PrismaInstance,
  PrismaModelName,
  PrismaRelation,
  PrismaRelations,
  PrismaRowOf,
  PrismaSource,
  PrismaTable,
  PrismaTableOptions,
  PrismaTransaction,
  PrismaValuesOf,
} from './storage/prisma/types.ts'
