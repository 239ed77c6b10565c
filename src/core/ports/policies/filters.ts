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
  /** Does the filter act if these fields are declared? Absent: always. */
  readonly applies?: (fields: ListFields) => boolean
  /** Does the filter look for texts in rows, so that the database reads rows until it has found enough? @default false */
  readonly searches?: (fields: ListFields) => boolean
  /**
   * Does the filter leave rows out? Only such filters are asked whether a single object is among the rows (G4). @default
   * true
   */
  readonly narrows?: boolean
  readonly filter: (source: AnyQuery, request: Incoming, fields: ListFields) => AnyQuery
  /** The parameters of the query that it reads where these fields are declared, for `strictQuery` and documents. @default none */
  readonly parameters?: (settings: Settings, fields: ListFields) => readonly ParameterFacts[]
  /** The order that the request, or the endpoint, asks for; `null`: none. Styles that need an order ask (C20). */
  readonly ordering?: (request: Incoming, fields: ListFields) => readonly SortKey[] | null
  /** The controls that a page offers if these fields are declared (W10). @default none */
  readonly controls?: (request: Incoming, fields: ListFields) => readonly FilterControl[]
}
