import type { ApiRequest } from '../../core/ports/request.ts'
import type { InputSerializer } from '../../core/ports/serializer.ts'
import { Conflict, ValidationError } from '../../core/errors/api-errors.ts'
import { ErrorDetail } from '../../core/errors/detail.ts'
import { ConstraintViolation, type ViolationKind } from '../../core/errors/storage-errors.ts'

/**
 * A row that the database refuses is a mistake of the client's, shown at the field that wrote the column, or
 * at no field where several columns are involved or none is known (E21, E22).
 */
export async function withViolations<T>(
  request: ApiRequest,
  names: Names,
  work: () => T,
): Promise<Awaited<T>> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ConstraintViolation ? refusal(error, names, request) : error
  }
}

type Names = Pick<InputSerializer, 'nameOf'>

function refusal(violation: ConstraintViolation, { nameOf }: Names, request: ApiRequest): Error {
  const { kind, columns, referring, cause } = violation
  if (kind === 'protected') {
    // A table's name, and nothing of its rows, which may be another tenant's.
    const by =
      referring === null ? DETAILS.protected : ErrorDetail.of('protected.by', { referring })
    return new Conflict(by, 'protected')
  }
  if (cause instanceof TypeError) logUnstorable(violation, cause, request)
  const names = columns.flatMap((column) => nameOf?.(column, request) ?? [])
  const fields = fieldsOf(violation, names)
  const details = [DETAILS[kind]]
  if (fields.length > 0)
    return new ValidationError(Object.fromEntries(fields.map((field) => [field, details])))
  // What no client can write, the program wrote wrongly itself.
  if (PROGRAMS.has(kind) && columns.length > 0) return violation
  const isCombination = kind === 'unique' && names.length > 1
  const detail = isCombination
    ? ErrorDetail.of('unique.together', { fields: names.join(', ') })
    : DETAILS[kind]
  return new ValidationError({ [request.settings.nonFieldErrorsKey]: [detail] })
}

/** The fields that a message stands at: of a combination, at the only one that clients write. */
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

/** None of them repeats what is stored already. */
const DETAILS: Readonly<Record<ViolationKind, ErrorDetail>> = {
  unique: ErrorDetail.of('unique'),
  does_not_exist: ErrorDetail.of('does_not_exist'),
  null: ErrorDetail.of('null'),
  required: ErrorDetail.of('required'),
  max_length: ErrorDetail.of('max_length.stored'),
  invalid: ErrorDetail.of('invalid.stored'),
  protected: ErrorDetail.of('protected'),
}
