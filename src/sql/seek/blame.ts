import type { Condition } from '../../contract/source.ts'
import { unfitValue } from '../../errors/unfit-value.ts'
import type { Alternatives } from '../query/list-query.ts'

/**
 * The error for a value that the database refused without saying which: that of a condition that it alone
 * could judge, else of one that a client sent.
 */
export function blamed(conditions: readonly Alternatives[]): Error {
  const all = conditions.flat()
  const fromClient = all.filter(({ parameter }) => parameter !== undefined)
  const judged = (fromClient.length > 0 ? fromClient : all).find(isPattern)
  return unfitValue(judged ?? fromClient[0] ?? all[0]!)
}

function isPattern({ operator }: Condition): boolean {
  return operator === 'iregex'
}
