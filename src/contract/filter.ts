import type { Incoming } from './request.ts'
import type { QuerySource, SortKey } from './source.ts'

/** Where a list may be searched, ordered and filtered: what the endpoint declared, and nothing else. */
export interface ListFields {
  /** Fields of the search, with their prefixes: `'^title'`. `null`: there is none. */
  readonly searchFields: readonly string[] | null
  /** Fields that clients may order by. `null`: none. */
  readonly orderingFields: readonly string[] | null
  /** The order where the client asks for none. `null`: that of the source. */
  readonly ordering: readonly SortKey[] | null
  /** Fields that clients may filter by, as query parameters. `null`: none. */
  readonly filterFields: readonly string[] | null
}

/** Narrows or orders a list by what the request asks for, before it is split into pages. */
export interface FilterBackend {
  /** Has it anything to do where these fields are declared? Absent: always. */
  readonly applies?: (fields: ListFields) => boolean
  /** Does it leave rows out? Only of such filters it is asked whether a single object is among the rows (G4). @default true */
  readonly narrows?: boolean
  readonly filter: (
    source: QuerySource<unknown, string>,
    request: Incoming,
    fields: ListFields,
  ) => QuerySource<unknown, string>
  /** The order that the request, or the endpoint, asks for; `null`: none. Styles that need an order ask (C20). */
  readonly ordering?: (request: Incoming, fields: ListFields) => readonly SortKey[] | null
}
