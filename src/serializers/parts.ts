import type { ApiRequest } from '../contract/request.ts'
import type { AnyField } from './declaration.ts'
import { type Member, getterOf } from './member.ts'

export type Show = (value: unknown, request: ApiRequest) => unknown

/** A member, as showing it wants it. */
export interface Part {
  readonly field: AnyField
  /** Its name in the row. `null`: it is not there by name, and `get` finds it. */
  readonly key: string | null
  readonly get: (row: unknown) => unknown
}

export function toPart({ path, field }: Member): Part {
  return { field, key: path.length === 1 ? path[0]! : null, get: getterOf(path) }
}
