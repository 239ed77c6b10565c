import * as fields from './fields/index.ts'

/** The kinds of fields that a serializer is declared with: `field.text()`, `field.integer()` … */
export const field: typeof fields = fields
