import type { ApiRequest } from '../contract/request.ts'
import type { InputSerializer } from '../contract/serializer.ts'
import { Conflict, ValidationError } from '../errors/api-errors.ts'
import { ErrorDetail } from '../errors/detail.ts'
import { ConstraintViolation, type ViolationKind } from '../errors/storage-errors.ts'

/**
 * What `work` gives. A row that the database refuses is a mistake of the client's, shown at the field that
 * wrote the column, or at no field where several columns are involved or none is known (E21, E22).
 */
export async function refusingClients<T>(
  request: ApiRequest,
  names: Names,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ConstraintViolation ? refusal(error, names, request) : error
  }
}

/** Maps columns to the names that clients use. */
type Names = Pick<InputSerializer, 'nameOf'>

function refusal(violation: ConstraintViolation, { nameOf }: Names, request: ApiRequest): Error {
  const { kind, columns } = violation
  if (kind === 'protected') return new Conflict(DETAILS.protected, 'protected')
  const concerned = kind === 'max_length' || columns.length === 1 ? columns : []
  const fields = concerned.flatMap((column) => nameOf?.(column, request) ?? [])
  const details = [DETAILS[kind]]
  if (fields.length > 0)
    return new ValidationError(Object.fromEntries(fields.map((field) => [field, details])))
  // What no client can write, the program wrote wrongly itself.
  if (PROGRAMS.has(kind) && columns.length > 0) return violation
  return new ValidationError({ [request.settings.nonFieldErrorsKey]: details })
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
