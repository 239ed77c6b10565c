import type { Reply } from '../representations.ts'
import type { ApiRequest } from '../request.ts'
import type { ServiceFacts } from '../service-facts.ts'
import type { Settings } from '../settings/settings.ts'
import type { MaybePromise } from '../../std/after.ts'
import type { JSONSchema, ParameterFacts } from '../../types/documents.ts'
import type { Words } from '../../messages/words.ts'
import type { ListSource, NamedFields, Portion, SortKey, Window } from '../list-source.ts'

/** The state of one request between the steps, so that one paginator serves every request. */
export interface Page<out Row = unknown> extends Portion<Row> {
  /** Controls for the HTML page; absent or `null`: none are shown. Asked only where a page is drawn (H1). */
  controls?(): PageControls | null
}

/** The most that one request can ask of a style; `null`: any number. */
export interface PageBounds {
  /** Rows in one answer. */
  readonly rows: number | null
  /** Rows that are left out before the page. */
  readonly offset: number | null
  /** Rows that are counted. */
  readonly count: number | null
}

/** A page with its neighbours: absolute URLs, `null` where there is no such page. */
export interface LinkedPage<out Row = unknown> extends Page<Row> {
  readonly next: string | null
  readonly previous: string | null
}

/** A page of a counted list; `count` is `null` where the rows were not counted. */
export interface CountedPage<out Row = unknown> extends LinkedPage<Row> {
  readonly count: number | null
  /** The meaning of an inexact count: at least so many rows, or about so many. */
  readonly precision?: 'at_least' | 'estimated'
}

/** Cuts a counted list into numbered pages (`django_paginator_class` of DRF, P40). */
export interface PaginatorImplementation {
  /** Pages of a list of `count` items; 0 means that not even page 1 exists. */
  numPages(count: number, pageSize: number): number
  /** The items of page `number`, which is one of 1 … `numPages`. */
  window(number: number, count: number, pageSize: number): Window
}

/** One number of the page controls, or a break between numbers (`number` and `url` are `null`) (H14). */
export interface PageLink {
  readonly url: string | null
  readonly number: number | null
  readonly isActive: boolean
  readonly isBreak: boolean
}

/** The data of page controls (H14); `pageLinks` is empty if a style knows no numbers. */
export interface ControlsData {
  readonly previousUrl: string | null
  readonly nextUrl: string | null
  readonly pageLinks: readonly PageLink[]
}

/** Draws page controls: HTML, with everything that it shows escaped. */
export interface ControlsTemplate {
  readonly name: string
  /** `words`: the language of the page. @default English */
  readonly render: (data: ControlsData, words?: Words) => string
}

/** Page controls, ready to be drawn. */
export interface PageControls {
  readonly template: ControlsTemplate
  readonly data: ControlsData
}

/** The endpoint as a paginator sees it. */
export interface ListView {
  readonly name: string
  /** The order that a filter has chosen; absent or `null`: no filter has (C20). */
  readonly ordering?: readonly SortKey[] | null
  /** The names of the list's fields, for an order that the style itself chooses. `undefined`: the names of the source. */
  readonly names?: () => NamedFields | undefined
}

/** A list whose source is there before any request. */
export interface KnownList {
  readonly source: ListSource
  /** The order that the list itself declares, and to which its filters fall back; `null`: none. */
  readonly ordering: readonly SortKey[] | null
  /** The names of its fields; absent: the names of the source. */
  readonly names?: NamedFields | undefined
}

/** Splits a list into pages. */
export interface Paginator<
  in Source extends ListSource = ListSource,
  // oxlint-disable-next-line no-explicit-any -- the page is the paginator's own affair
  in out P extends Page = any,
> {
  /** Takes the whole result set, returns the requested page; `null` when this request is not paginated. */
  readonly paginate: (list: Source, request: ApiRequest, view?: ListView) => MaybePromise<P | null>
  respond(page: P, results: readonly unknown[]): Reply
  /** The parameters of the query that it reads, for `strictQuery` and documents. @default none */
  parameters?(settings: Settings): readonly ParameterFacts[]
  /** The schema of what `respond` makes of such results, for documents (O3, O10). @default the schema of the results */
  schema?(results: JSONSchema, settings: Settings): JSONSchema
  /** The most that one request can ask for. Asked when the service starts in production (I20). @default it is not known */
  bounds?(settings: Settings): PageBounds
  /** The order of a list that declares none, by the names of the source. @default the order of the source */
  orderedBy?(names: NamedFields | undefined): readonly SortKey[]
  /** Like the `check` of a scheme. Called for the service alone, and again for each list that is known by then. */
  check?(service: ServiceFacts, list?: KnownList): string | null
}
