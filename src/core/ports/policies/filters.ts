// The port of filters: what narrows or orders a list.
import type { AnyQuery, FilterControl, ListFields, SortKey } from '../list-source.ts'
import type { Incoming } from '../request.ts'
import type { Settings } from '../settings/settings.ts'
import type { ParameterFacts } from '../../types/documents.ts'

/**
 * Narrows or orders a list by what the request asks for, before it is split into pages. Cursors are bound to
 * whatever it reads of `request.query`.
 */
export interface FilterBackend {
  /** Has it anything to do where these fields are declared? Absent: always. */
  readonly applies?: (fields: ListFields) => boolean
  /** Does it look for texts in rows, which reads every row until it has found enough? @default false */
  readonly searches?: (fields: ListFields) => boolean
  /** Does it leave rows out? Only of such filters it is asked whether a single object is among the rows (G4). @default true */
  readonly narrows?: boolean
  readonly filter: (source: AnyQuery, request: Incoming, fields: ListFields) => AnyQuery
  /** The parameters of the query that it reads where these fields are declared, for `strictQuery` and documents. @default none */
  readonly parameters?: (settings: Settings, fields: ListFields) => readonly ParameterFacts[]
  /** The order that the request, or the endpoint, asks for; `null`: none. Styles that need an order ask (C20). */
  readonly ordering?: (request: Incoming, fields: ListFields) => readonly SortKey[] | null
  /** What a page for people offers where these fields are declared (W10). @default nothing */
  readonly controls?: (request: Incoming, fields: ListFields) => readonly FilterControl[]
}
