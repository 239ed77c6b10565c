import type {
  ListFields,
  Condition,
  QuerySource,
  SortKey,
} from '../../../src/core/ports/list-source.ts'
import { DeclaredFields } from '../../../src/resources/endpoints/list-fields.ts'
import { arraySource, configurationOf, defineApi } from '../../../src/index.ts'
import type { FilteredFields, FilterBackend } from '../../../src/types.ts'
import { Query } from '../../../src/core/std/http/query.ts'
import { client } from '../../../src/testing.ts'

/** What a filter asked of its source, in order. */
export interface Asked {
  readonly groups: readonly (readonly Condition[])[]
  readonly orders: readonly (readonly SortKey[])[]
}

/** What a list declares that has no serializer. */
export function fieldsOf(declared: FilteredFields): ListFields {
  const settings = {} as Parameters<DeclaredFields['in']>[1]['settings']
  return new DeclaredFields(declared, undefined).in(undefined, { settings, version: null })
}

/** Sends a query through a filter; what came of it, or the status and body of the refusal. */
export async function ask(
  filter: FilterBackend,
  fields: FilteredFields,
  query: string,
  strictQuery = false,
): Promise<Asked | { readonly status: number; readonly data: unknown }> {
  let asked: Asked = { groups: [], orders: [] }
  const recorder = (): QuerySource<unknown, string> => ({
    ...arraySource([]),
    count: () => 0,
    slice: () => [],
    where(anyOf) {
      asked = { ...asked, groups: [...asked.groups, anyOf] }
      return this
    },
    orderBy(keys) {
      asked = { ...asked, orders: [...asked.orders, keys] }
      return this
    },
  })
  const names = [...Query.parse(query).names()]
  const api = defineApi({ urls: { list: '/' }, strictQuery, queryParams: names })
  const endpoint = api.endpoint('list').get((request) => {
    filter.filter(recorder(), request, fieldsOf(fields))
    return 'asked'
  })
  const { status, data } = await client(
    api.serve([endpoint], { configuration: configurationOf() }),
  ).get(`/?${query}`)
  return status === 200 ? asked : { status, data }
}

/** The conditions of one parameter, short: `field operator value`. */
export function shortly({ groups }: Asked): readonly (readonly string[])[] {
  return groups.map((group) =>
    group.map(({ field, operator, value }) => `${field} ${operator} ${String(value)}`),
  )
}
