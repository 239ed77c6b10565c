import type { ServiceFacts } from '../contract/authentication.ts'
import type { FilterBackend, ListFields } from '../contract/filter.ts'
import type { KnownList, Paginator } from '../contract/pagination.ts'
import type { ListSource } from '../contract/source.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { canBeFiltered, refusal } from './filtered.ts'
import { tryFields } from './list-fields.ts'

/** A list as its endpoint is going to serve it. */
export interface PlannedList {
  /** A function makes one for each request: nothing can be known of it before. */
  readonly source: ListSource<unknown> | ((request: never) => unknown)
  /** Those that have something to do. */
  readonly filters: readonly FilterBackend[]
  readonly fields: ListFields
  readonly paginator: Paginator | null
}

/** What would fail at the first request, as a sentence; `null`: nothing that is known now. */
export function problemWith(list: PlannedList, service: ServiceFacts): string | null {
  const { source } = list
  if (typeof source === 'function') return problemOfStyle(list, service)
  return problemOfFields(source, list) ?? problemOfStyle(list, service, knownList(source, list))
}

function problemOfFields(
  source: ListSource<unknown>,
  { filters, fields }: PlannedList,
): string | null {
  if (!canBeFiltered(source)) return filters.length === 0 ? null : refusal(filters)
  try {
    tryFields(source, fields)
    return null
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
    throw error
  }
}

function problemOfStyle(
  { paginator }: PlannedList,
  service: ServiceFacts,
  known?: KnownList,
): string | null {
  const missing = paginator?.check?.(service, known) ?? null
  return missing === null ? null : `${paginator!.constructor.name} ${missing}`
}

/** C20: the list's own order counts where a filter reads it. */
function knownList(source: ListSource<unknown>, { filters, fields }: PlannedList): KnownList {
  const isRead = filters.some(({ ordering }) => ordering !== undefined)
  return { source, ordering: isRead ? fields.ordering : null }
}
