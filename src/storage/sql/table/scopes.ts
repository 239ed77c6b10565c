// Values that all rows of a table have, as it is narrowed by `within`.
import { isDeepStrictEqual } from 'node:util'
import { PermissionDenied } from '../../../core/errors/api-errors.ts'
import { unfitValue } from '../../../core/errors/configuration-error.ts'
import type { Condition } from '../../../core/ports/list-source.ts'
import { Message } from '../../../core/messages/message.ts'
import type { ValueKind } from '../dialect.ts'

export type Values = Readonly<Record<string, unknown>>

/** Values that all rows have, by column. All of these hold, one after the other. */
export type Scopes = readonly Values[]

export function scopeColumns(
  scopes: Scopes,
): readonly (readonly [column: string, value: unknown])[] {
  return scopes.flatMap((values) => Object.entries(values))
}

/** All rows that have the value, or one of these. */
export function scopeConditions(field: string, value: unknown): readonly Condition[] {
  const values = [value].flat()
  const isOne = { field, operator: 'in', value: values, exact: true } as const
  return values.includes(null) ? [isOne, { field, operator: 'isNull', value: true }] : [isOne]
}

/** The rows of a list that are within the scopes. */
export function rowsWithin<Source extends { where(anyOf: readonly Condition[]): Source }>(
  source: Source,
  scopes: Scopes,
): Source {
  return scopeColumns(scopes).reduce(
    (rows, [field, value]) => rows.where(scopeConditions(field, value)),
    source,
  )
}

export function outsideScope(): PermissionDenied {
  return new PermissionDenied(Message.of('outside_scope'), 'outside_scope')
}

type KindOf = (column: string) => ValueKind

/**
 * The values to write into rows of these scopes: a single one is filled in if `inserted`.
 *
 * @throws PermissionDenied `outside_scope`: it would have another
 */
export function withinScopes(
  values: Values,
  scopes: Scopes,
  { inserted, kindOf }: { readonly inserted: boolean; readonly kindOf: KindOf },
): Values {
  const all = { ...values }
  const columns = scopeColumns(scopes)
  // All of them are filled in before any is checked: one scope may leave open which of several it is.
  for (const [column, value] of columns)
    if (all[column] === undefined && inserted && !Array.isArray(value)) all[column] = value
  for (const [column, value] of columns) {
    if (all[column] === undefined && !inserted) continue
    const among = Array.isArray(value) ? value : [value]
    if (!isAmong({ column, kind: kindOf(column) }, all[column], among)) throw outsideScope()
  }
  return all
}

/** Is the value among these, as the column compares? A value that only the collation takes for the same is another one. */
function isAmong(
  { column, kind }: { readonly column: string; readonly kind: ValueKind },
  value: unknown,
  scope: readonly unknown[],
): boolean {
  const meaning = (each: unknown): unknown => (each === null ? null : kind.meant(each))
  const meanings = scope.map(meaning)
  if (meanings.includes(undefined))
    throw unfitValue({ field: column, operator: 'in', value: scope })
  const meant = meaning(value)
  return meant !== undefined && meanings.some((each) => isDeepStrictEqual(each, meant))
}
