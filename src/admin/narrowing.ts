import type { AnyQuery, Operator } from '../contract/list-source.ts'
import type { FilterBackend, Incoming } from '../contract/request.ts'
import { invalid } from './parts.ts'

/** A parameter of the query, and the condition that it stands for. */
export interface Narrowed {
  readonly name: string
  readonly field: string
  readonly operator: Operator
  /** `null`: it is none. */
  readonly read: (text: string) => string | number | null
  readonly wrong: 'invalid.date_time' | 'invalid.unfit'
}

/** Rows by what is kept in another form than clients see. */
export class Narrowing implements FilterBackend {
  readonly #parameters: readonly Narrowed[]

  constructor(...parameters: readonly Narrowed[]) {
    this.#parameters = parameters
  }

  queryParams(): readonly string[] {
    return this.#parameters.map(({ name }) => name)
  }

  filter(source: AnyQuery, { query }: Incoming): AnyQuery {
    let found = source
    for (const { name, field, operator, read, wrong } of this.#parameters) {
      const text = query.text(name)
      if (text === null) continue
      const value = read(text)
      if (value === null) throw invalid(name, wrong)
      found = found.where([{ field, operator, value, parameter: name }])
    }
    return found
  }
}

/** A day or a point in time with its zone. */
const MOMENT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d))?$/

/** Before a point in time, and from one on: `lastUsed__lt`, `lastUsed__gte`. */
export function moments(name: string, field: string): readonly Narrowed[] {
  const read = (text: string): number | null => {
    const at = MOMENT.test(text) ? Date.parse(text) : NaN
    return Number.isNaN(at) ? null : at
  }
  const form = { field, read, wrong: 'invalid.date_time' } as const
  return [
    { name: `${name}__lt`, operator: 'lt', ...form },
    { name: `${name}__gte`, operator: 'gte', ...form },
  ]
}
