import type { ApiRequest } from '../../core/ports/request.ts'
import type { Condition, QuerySource } from '../../core/ports/list-source.ts'
import { ValidationError } from '../../core/errors/api-errors.ts'
import { ErrorDetail } from '../../core/errors/detail.ts'
import type { ReadContext, Validator } from './declaration.ts'

/** Rows with a unique key, such as those of an `sqlTable`. */
export interface KeyedRows<Field extends string> {
  readonly key: string
  readonly source: QuerySource<unknown, Field>
}

/** The rows to search, or a function that gives those of a request. */
export type RowsToCompare<Field extends string, Rq = ApiRequest> =
  | KeyedRows<Field>
  | ((request: Rq) => KeyedRows<Field>)

/**
 * A validator for unique values: a taken value is reported as `unique` (E28), with all other errors. A change may keep the
 * value of its own row. Two requests at once may both find it free: only a unique constraint of the database is certain, and
 * its refusal is reported in the same way.
 *
 * The store of a resource, or of a writable `embedMany`, is searched within the `scope`, so that the answer tells nothing about
 * other tenants' rows.
 *
 * `ignoreCase` takes `Fjord` and `fjord` for the same; the constraint is then one on `lower(…)`.
 *
 * @throws ConfigurationError the store does not compare the field without case
 * @example field.text({ maxLength: 20, validators: [unique(books, 'isbn')] })
 * @example field.email({ validators: [unique(users, 'email', { ignoreCase: true })] })
 */
export function unique<Field extends string, Rq = ApiRequest>(
  rows: RowsToCompare<Field, Rq>,
  field: NoInfer<Field>,
  { ignoreCase = false }: { readonly ignoreCase?: boolean } = {},
): Validator<unknown> {
  if (ignoreCase) tryCase(rows, [field])
  return async (value, context) => {
    const conditions = [conditionOf(field, value, ignoreCase)]
    return (await isTaken(rowsOf(rows, context), conditions, context)) ? TAKEN : null
  }
}

/** The comparison of `uniqueTogether`. */
export interface TogetherOptions<Field extends string, Rq = ApiRequest> {
  /** Fields whose texts are compared without case. @default none */
  readonly ignoreCase?: readonly Field[]
  /** Values of a new row that neither the input nor a resource's `scope` gives. @default none */
  readonly values?: (request: Rq) => { readonly [K in Field]?: unknown }
}

/**
 * A check that the values of several fields are unique together. The names are those of the rows. A change takes missing values
 * from its row, and the scope of the resource gives its own. As in SQL, a combination with a `null` is not compared. The store
 * of a resource is searched within its `scope`, as by `unique`. The error has the code `unique`, and belongs to no field, or to
 * the only one of them that clients write.
 *
 * @example
 * serializer(
 *   { organisation: field.hidden(({ user }: { user: Member }) => user.organisation), title: field.text() },
 *   { validators: [uniqueTogether(books, ['organisation', 'title'])] },
 * )
 */
export function uniqueTogether<Field extends string, Rq = ApiRequest>(
  rows: RowsToCompare<Field, Rq>,
  fields: readonly NoInfer<Field>[],
  { ignoreCase = [], values }: TogetherOptions<NoInfer<Field>, Rq> = {},
): Validator<object> {
  tryCase(rows, ignoreCase)
  return async (input, context) => {
    if (context.partial && !fields.some((field) => Object.hasOwn(input, field))) return null
    const given = values?.(context.request as unknown as Rq)
    const around = { ...context.scope, ...(given as object) }
    const row = { ...around, ...context.existing, ...input }
    const each = fields.map((field) => [field, valueOf(row, field)] as const)
    if (each.some(([, value]) => value === undefined || value === null)) return null
    const conditions = each.map(([field, value]) =>
      conditionOf(field, value, ignoreCase.includes(field)),
    )
    const taken = await isTaken(rowsOf(rows, context), conditions, context)
    return taken ? complaintAbout(fields, context) : null
  }
}

/** Tries the comparison without reading a row. @throws ConfigurationError the source does not compare a field in this way */
function tryCase<Field extends string, Rq>(
  rows: RowsToCompare<Field, Rq>,
  fields: readonly Field[],
): void {
  if (typeof rows === 'function') return
  for (const field of fields) rows.source.where([{ field, operator: 'iequals', value: null }])
}

const TAKEN = ErrorDetail.of('unique')
const valueOf = (row: unknown, field: string): unknown => (row as Record<string, unknown>)[field]

/** @throws ValidationError clients write only one of the fields */
function complaintAbout(fields: readonly string[], { nameOf }: ReadContext): ErrorDetail {
  const names = fields.flatMap((field) => nameOf?.(field) ?? [])
  if (names.length === 1) throw new ValidationError({ [names[0]!]: [TAKEN] })
  return names.length === 0
    ? TAKEN
    : ErrorDetail.of('unique.together', { fields: names.join(', ') })
}

function rowsOf<Field extends string, Rq>(
  rows: RowsToCompare<Field, Rq>,
  { request, narrowed }: ReadContext,
): KeyedRows<Field> {
  const all = typeof rows === 'function' ? rows(request as unknown as Rq) : rows
  return narrowed?.(all) ?? all
}

function conditionOf<Field extends string>(
  field: Field,
  value: unknown,
  ignoreCase: boolean,
): Condition<Field> {
  const operator = ignoreCase ? 'iequals' : 'equals'
  return { field, operator, value, parameter: field }
}

/** Does another row fulfil all conditions? No row has a value that the column cannot hold. */
async function isTaken<Field extends string>(
  { key, source }: KeyedRows<Field>,
  conditions: readonly Condition<Field>[],
  { existing }: ReadContext,
): Promise<boolean> {
  const own = existing === null || existing === undefined ? undefined : valueOf(existing, key)
  try {
    const found = conditions.reduce((rows, condition) => rows.where([condition]), source)
    const rows = await found.slice(0, 2)
    return !rows.every((row) => own !== undefined && valueOf(row, key) === own)
  } catch (error) {
    if (error instanceof ValidationError) return false
    throw error
  }
}
