import type { PositionValue } from '../contract/source.ts'
import { integer, moment, real, truth } from './meanings.ts'

/**
 * The value that a text writes out, of the type that `sample` has; `undefined`: it writes out none.
 * A time without a zone is UTC, as in databases.
 */
export function typedText(text: string, sample: unknown): PositionValue | undefined {
  switch (typeof sample) {
    case 'number':
    case 'bigint':
      return integer(text) ?? real(text)
    case 'boolean':
      return truth(text)
    default:
      return sample instanceof Date ? timeFrom(text) : text
  }
}

function timeFrom(text: string): number | undefined {
  const utc = moment(text)
  return utc === undefined ? undefined : Date.parse(`${utc.replace(' ', 'T')}Z`)
}
