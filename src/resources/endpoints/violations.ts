import type { ApiRequest } from '../../core/ports/request.ts'
import type { InputSerializer } from '../../core/ports/serializer.ts'
import { Conflict, ValidationError } from '../../core/errors/api-errors.ts'
import { ErrorDetail } from '../../core/errors/detail.ts'
import { ConstraintViolation, type ViolationKind } from '../../core/errors/storage-errors.ts'

/**
 * A row that the database refuses is a mistake of the client's, shown at the field that wrote the column, or
 * at no field where several columns are involved or none is known (E21, E22). Of a list, `input`, it is shown at the item (E25).
 */
export async function withViolations<T>(
  request: ApiRequest,
  names: Names | null,
  work: () => T,
  input?: unknown,
): Promise<Awaited<T>> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ConstraintViolation ? refusal(error, names, request, input) : error
  }
}

type Names = Pick<InputSerializer, 'nameOf'>

function refusal(
  violation: ConstraintViolation,
  names: Names | null,
  request: ApiRequest,
  input: unknown,
): Error {
  const { kind, columns, referring, cause } = violation
  if (kind === 'protected') {
    // The message names the table only, because the rows may belong to another tenant.
    const by =
      referring === null ? DETAILS.protected : ErrorDetail.of('protected.by', { referring })
    return new Conflict(by, 'protected')
  }
  if (cause instanceof TypeError) logUnstorable(violation, cause, request)
  const shown = columns.flatMap((column) => names?.nameOf?.(column, request) ?? [])
  const at = Array.isArray(input) ? repeatedAt(input, violation) : undefined
  const placed = (wrong: { readonly [field: string]: readonly ErrorDetail[] }): Error =>
    new ValidationError(at === undefined || at < 0 ? wrong : { [at]: wrong })
  // If it is not known which item of a list was refused, no field is named.
  const fields = at === -1 ? [] : fieldsOf(violation, shown)
  const details = [DETAILS[kind]]
  if (fields.length > 0) return placed(Object.fromEntries(fields.map((field) => [field, details])))
  // If no client can write the columns, the program itself wrote them wrongly.
  if (PROGRAMS.has(kind) && columns.length > 0 && shown.length === 0) return violation
  const isCombination = kind === 'unique' && shown.length > 1
  const detail = isCombination
    ? ErrorDetail.of('unique.together', { fields: shown.join(', ') })
    : DETAILS[kind]
  return placed({ [request.settings.nonFieldErrorsKey]: [detail] })
}

/**
 * The index of the first item that repeats the values of an earlier one, if the database refuses that; -1: none is known.
 */
function repeatedAt(
  items: readonly (Readonly<Record<string, unknown>> | null)[],
  { kind, columns }: ConstraintViolation,
): number {
  if (kind !== 'unique') return -1
  const seen = new Set<string>()
  return items.findIndex((item) => {
    const values = columns.map((column) => item?.[column])
    // A column may be filled in alike for all items, and a `null` is never equal to another.
    if (values.includes(null) || values.every((value) => value === undefined)) return false
    const before = seen.size
    return seen.add(JSON.stringify(values.map(String))).size === before
  })
}

/** The fields that get the message; for a combination, the only one that clients write. */
function fieldsOf({ kind, columns }: ConstraintViolation, names: readonly string[]) {
  if (kind === 'max_length' || columns.length === 1) return names
  return kind === 'unique' && names.length === 1 ? names : []
}

/** The client sent what the field takes and the column does not: the program is to be mended. */
function logUnstorable(
  { table, columns }: ConstraintViolation,
  { message }: TypeError,
  request: ApiRequest,
): void {
  const { id, endpointName: endpoint } = request
  const record = { event: 'value.unstorable', id, endpoint, table, columns, error: message }
  request.logSeldom?.(`unstorable ${table} ${columns.join(' ')}`, record)
}

const PROGRAMS: ReadonlySet<ViolationKind> = new Set(['null', 'required', 'max_length'])

/** None of these sentences repeats a value that is stored already. */
const DETAILS: Readonly<Record<ViolationKind, ErrorDetail>> = {
  unique: ErrorDetail.of('unique'),
  does_not_exist: ErrorDetail.of('does_not_exist'),
  null: ErrorDetail.of('null'),
  required: ErrorDetail.of('required'),
  max_length: ErrorDetail.of('max_length.stored'),
  invalid: ErrorDetail.of('invalid.stored'),
  protected: ErrorDetail.of('protected'),
}
