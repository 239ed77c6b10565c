import { OrderingFilter, SearchFilter } from 'colophon'
import type { FilterBackend } from 'colophon/types'

/** The filters of SERVICE §5, by name. */
export const filters: Readonly<Record<string, FilterBackend>> = {
  search: new SearchFilter(),
  ordering: new OrderingFilter(),
}
