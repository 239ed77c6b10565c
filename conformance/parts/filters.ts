import { type FilterBackend, OrderingFilter, SearchFilter } from 'colophon'

/** The filters of SERVICE §5, by name. */
export const filters: Readonly<Record<string, FilterBackend>> = {
  search: new SearchFilter(),
  ordering: new OrderingFilter(),
}
