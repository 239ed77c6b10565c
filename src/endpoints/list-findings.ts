import type { Finding } from '../contract/kernel.ts'
import type { PageBounds } from '../contract/pagination.ts'
import type { FilterBackend, Paginator, Settings } from '../contract/request.ts'
import { activeAmong } from './filtered.ts'
import type { KnownFields } from './list-fields.ts'

interface Listed {
  readonly filters: readonly FilterBackend[]
  readonly fields: readonly KnownFields[]
  readonly paginator: Paginator | null
  readonly settings: Settings
}

/** What one request can ask of a list without a bound (I20). */
export function listFindings({ filters, fields, paginator, settings }: Listed): readonly Finding[] {
  const bounds = paginator === null ? NO_PAGES : paginator.bounds?.(settings)
  if (bounds === undefined) return [unknownBounds(paginator!.constructor.name)]
  const isSearched = fields.some((each) =>
    activeAmong(filters, each.fields).some((filter) => filter.searches?.(each.fields)),
  )
  const whole = paginator === null ? WITHOUT_STYLE : WITHOUT_SIZE
  return [
    ...(bounds.rows === null ? [whole] : []),
    ...(bounds.offset === null ? [ANY_OFFSET] : []),
    ...(isSearched && isUncapped(bounds) ? [ANY_MATCHES] : []),
  ]
}

/** A bare array of everything. */
const NO_PAGES: PageBounds = { rows: null, offset: 0, count: 0 }

/** A search that stops at no number of matches: all are counted, or all are read. */
function isUncapped({ rows, count }: PageBounds): boolean {
  return rows === null || count === null
}

const WITHOUT_STYLE: Finding = {
  kind: 'whole-list',
  message: 'One request can read all rows, because the list has no style of pages.',
  fix: 'Set DEFAULT_PAGINATION_CLASS, and MAX_PAGE_SIZE for the most rows of a page.',
}
const WITHOUT_SIZE: Finding = {
  kind: 'whole-list',
  message: 'One request can read all rows, because nothing limits the size of a page.',
  fix: 'Set MAX_PAGE_SIZE, the most rows of a page.',
}
const ANY_OFFSET: Finding = {
  kind: 'unlimited-offset',
  message: 'One request can make the database walk past any number of rows.',
  fix: 'Set MAX_OFFSET, or take CursorPagination, whose pages cost the same at every depth.',
}
const ANY_MATCHES: Finding = {
  kind: 'uncapped-search',
  message: 'One request can make the database find every row that matches a search.',
  fix: "Say count: 'capped' for the style, or take CursorPagination: then a search stops after so many matches.",
}

function unknownBounds(style: string): Finding {
  return {
    kind: 'whole-list',
    message: `One request may read all rows: ${style} does not say how many a page has.`,
    fix: `Give ${style} a method bounds(settings).`,
  }
}
