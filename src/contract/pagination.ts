import type { Words } from '../messages/words.ts'
import type { ServiceFacts } from './authentication.ts'
import type { Reply } from './reply.ts'
import type { Incoming, MaybePromise } from './request.ts'
import type { Settings } from './settings.ts'
import type { ListSource, SortKey } from './source.ts'

/** What one request takes from step to step, so that one paginator serves every request. */
export interface Page<out Row = unknown> {
  readonly rows: readonly Row[]
  /** Controls for the HTML page; absent or `null`: none are shown. Asked only where a page is drawn (H1). */
  controls?(): PageControls | null
}

/** A page of a counted list. `next` and `previous` are absolute URLs, `null` where there is no such page. */
export interface CountedPage<out Row = unknown> extends Page<Row> {
  /** `null`: nobody counted. */
  readonly count: number | null
  readonly next: string | null
  readonly previous: string | null
  /** What the count is worth where it is not exact: there are at least so many, or about so many. */
  readonly precision?: 'at_least' | 'estimated'
}

/** A page of a list that nobody counts. */
export interface LinkedPage<out Row = unknown> extends Page<Row> {
  readonly next: string | null
  readonly previous: string | null
}

/** Rows from `offset` on, at most `limit` of them. */
export interface Window {
  readonly offset: number
  readonly limit: number
}

/** How a counted list is cut into numbered pages (the document's `django_paginator_class`, P40). */
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

/** What page controls are drawn from (H14). */
export interface ControlsData {
  readonly previousUrl: string | null
  readonly nextUrl: string | null
  /** Empty where a style knows no numbers. */
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
  /** The order that a filter decided on; absent or `null`: none did (C20). */
  readonly ordering?: readonly SortKey[] | null
}

/** A list whose source is there before any request. */
export interface KnownList {
  readonly source: ListSource<unknown>
  /** The order that the list itself declares, and that its filters fall back on; `null`: none. */
  readonly ordering: readonly SortKey[] | null
}

/** Splits a list into pages. */
export interface Paginator<
  in Source extends ListSource<unknown> = ListSource<unknown>,
  // oxlint-disable-next-line no-explicit-any -- the page is the paginator's own affair
  in out P extends Page = any,
> {
  /** Takes the whole result set, returns the requested page; `null` when this request is not paginated. */
  readonly paginate: (source: Source, request: Incoming, view?: ListView) => MaybePromise<P | null>
  /** Takes the serialized rows of that page, returns the answer. */
  respond(page: P, results: readonly unknown[]): Reply
  /**
   * The most rows that one answer can have under these settings; `null`: all that there are. Asked when
   * the service starts in production. Absent: nobody knows.
   */
  largestPage?(settings: Settings): number | null
  /**
   * Asked when the service starts: what it misses, as the rest of a sentence (`needs …`). `null`: nothing.
   * For the service alone, and again for each list that is known by then.
   */
  check?(service: ServiceFacts, list?: KnownList): string | null
}
