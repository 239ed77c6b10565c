import type { Reply } from './reply.ts'
import type { Incoming, MaybePromise } from './request.ts'
import type { ListSource } from './source.ts'

/** What one request takes from step to step, so that one paginator serves every request. */
export interface Page<out Row = unknown> {
  readonly rows: readonly Row[]
}

/** A page of a counted list. `next` and `previous` are absolute URLs, `null` where there is no such page. */
export interface CountedPage<out Row = unknown> extends Page<Row> {
  readonly count: number
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

/** The endpoint as a paginator sees it. */
export interface ListView {
  readonly name: string
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
}
