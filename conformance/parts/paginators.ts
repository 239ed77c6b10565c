import { StandardPaginator } from 'colophon'
import type { PaginatorImplementation, Window } from 'colophon/types'

/** A last page of at most 7 items is merged into the page before it. */
class OrphanPaginator implements PaginatorImplementation {
  readonly #orphans = 7

  numPages(count: number, pageSize: number): number {
    return Math.max(1, Math.ceil((count - this.#orphans) / pageSize))
  }

  window(number: number, count: number, pageSize: number): Window {
    const offset = (number - 1) * pageSize
    return { offset, limit: number === this.numPages(count, pageSize) ? count - offset : pageSize }
  }
}

/** An empty list has no pages at all. */
class StrictPaginator extends StandardPaginator {
  override numPages(count: number, pageSize: number): number {
    return count === 0 ? 0 : super.numPages(count, pageSize)
  }
}

/** What cuts a list into pages, by name (`django_paginator_class`). */
export const paginators: Readonly<Record<string, PaginatorImplementation>> = {
  OrphanPaginator: new OrphanPaginator(),
  StrictPaginator: new StrictPaginator(),
}
