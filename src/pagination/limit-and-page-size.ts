import type { Incoming, Settings } from '../contract/request.ts'
import { type OptionRule, SIZE_OR_NULL, TEXT_OR_NULL } from '../settings/options.ts'
import { readInteger } from '../std/text/integer.ts'

/** How many rows a page has, by the options of a style: what `limit` and `page_size` mean. 0 is as good as `null`. */
export interface SizeRules {
  /** Parameter with which a client sets the size, such as `limit` or `page_size`; `null`: it cannot. */
  readonly parameter: string | null
  /** `maxLimit` or `maxPageSize`: the most that a client may ask for; `null`: any. */
  readonly maximum: number | null
  /** Where the client asks for none; `undefined`: the setting `pageSize`. */
  readonly own: number | null | undefined
}

/** Options of a style whose pages have a size of their own. */
export interface PageSizeOptions {
  /** Items per page. `null`: no paging unless the client asks. @default the setting `pageSize` */
  readonly pageSize?: number | null
  /** Parameter with which a client sets the page size. @default null: it cannot */
  readonly pageSizeQueryParam?: string | null
  /** Largest size a client may ask for. @default null: any */
  readonly maxPageSize?: number | null
}

export const PAGE_SIZE_RULES: Readonly<Record<keyof PageSizeOptions, OptionRule>> = {
  pageSize: SIZE_OR_NULL,
  pageSizeQueryParam: TEXT_OR_NULL,
  maxPageSize: SIZE_OR_NULL,
}

export function pageSizeRules({
  pageSize: own,
  pageSizeQueryParam: parameter = null,
  maxPageSize: maximum = null,
}: PageSizeOptions): SizeRules {
  return { own, parameter, maximum }
}

/**
 * The size of a page: what the client asks for, else what the style sets, and never more than the
 * setting `maxPageSize` (I20). `null`: the whole list.
 */
export function sizeOfPage(request: Incoming, rules: SizeRules): number | null {
  const { settings } = request
  const size = requestedSize(request, rules) ?? ownSize(rules, settings)
  const ceiling = settings.maxPageSize || null
  return size !== null && (ceiling === null || size < ceiling) ? size : ceiling
}

/** The most rows that one answer can have; `null`: all of them. */
export function largestPage(settings: Settings, rules: SizeRules): number | null {
  const own = ownSize(rules, settings) ?? Infinity
  const asked = rules.parameter === null ? 0 : rules.maximum || Infinity
  const largest = Math.min(Math.max(own, asked), settings.maxPageSize ?? Infinity)
  return largest === Infinity ? null : largest
}

function ownSize({ own }: SizeRules, { pageSize }: Settings): number | null {
  return (own === undefined ? pageSize : own) || null
}

/**
 * The size that a client asks for: a whole number of at least 1, cut down to the maximum (P13).
 * `null`: it asks for none, or for nonsense such as `limit=0`, which is ignored.
 */
function requestedSize(request: Incoming, { parameter, maximum }: SizeRules): number | null {
  const asked = parameter === null ? null : readInteger(request.query.get(parameter))
  if (asked === null || asked < 1) return null
  return maximum ? Math.min(asked, maximum) : asked
}
