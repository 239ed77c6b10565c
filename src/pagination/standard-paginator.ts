import type { PaginatorImplementation, Window } from '../contract/pagination.ts'

/** Pages of equal size, the last one with what is left; an empty list has one empty page (P35, P36). */
export class StandardPaginator implements PaginatorImplementation {
  static readonly options: readonly string[] = []

  numPages(count: number, pageSize: number): number {
    return Math.max(1, Math.ceil(count / pageSize))
  }

  window(number: number, _count: number, pageSize: number): Window {
    return { offset: (number - 1) * pageSize, limit: pageSize }
  }
}
