// The page of another client's list, as far as one's own list has its rows: staff are shown what both may see.
import type { ShownList } from '../contract/kernel.ts'
import type { Condition, ListSource, QuerySource } from '../contract/list-source.ts'
import type { LinkedPage, Page, PageControls } from '../contract/pagination.ts'
import { NotFound } from '../errors/api-errors.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { attempt } from '../std/attempt.ts'
import { toJSONText } from '../std/json/json-text.ts'
import { cutOf } from '../std/row-objects.ts'

/** Rows that are looked through in a list without a key, or in one that cannot be narrowed. */
const MOST_ROWS = 10_000

/** Rows of one's own list that are, or may be, among those of the other. */
export interface RowsOfBoth<Row> {
  readonly rows: readonly Row[]
  /** Has one's own list each of the other's rows? */
  readonly isWhole: boolean
}

/** The rows that the other is shown, as they are in one's own list, wherever they stand there. */
export async function rowsOfBoth<Row>(
  own: ListSource<Row>,
  { rows: theirs }: ShownList,
): Promise<RowsOfBoth<Row>> {
  if (theirs.length === 0) return { rows: [], isWhole: true }
  const unique = keyOf(own, theirs)
  if (unique === null) return rowsWithoutKey(own, theirs)
  const { rows } = await cutOf(narrowed(own, unique, theirs), 0, MOST_ROWS)
  const textOf = (row: unknown): string =>
    toJSONText(unique.map((name) => (row as Readonly<Record<string, unknown>>)[name]))
  const known = new Map(rows.map((row) => [textOf(row), row]))
  const found = theirs.flatMap((row) => known.get(textOf(row)) ?? [])
  return { rows: found, isWhole: found.length === theirs.length }
}

/** Which of them the other sees too is found out by what is shown of them. */
async function rowsWithoutKey<Row>(
  own: ListSource<Row>,
  theirs: readonly unknown[],
): Promise<RowsOfBoth<Row>> {
  const { rows } = await cutOf(own, 0, MOST_ROWS)
  const known = new Set<unknown>(rows)
  const isWhole = theirs.every((row) => known.has(row))
  return { rows: isWhole ? (theirs as readonly Row[]) : rows, isWhole }
}

/** `null`: it has none, or its rows do not show it. */
function keyOf({ unique = [] }: ListSource, rows: readonly unknown[]): readonly string[] | null {
  const isShown = rows.every((row) => unique.every((name) => Object(row)[name] !== undefined))
  return unique.length > 0 && isShown ? unique : null
}

/** A list that has a limit of its own cannot be narrowed. */
function narrowed<Row>(
  own: ListSource<Row>,
  unique: readonly string[],
  rows: readonly unknown[],
): ListSource<Row> {
  const { where } = own as Partial<QuerySource<Row, string>>
  if (typeof where !== 'function') return own
  const conditions = unique.map((field): Condition => {
    const value = rows.map((row) => (row as Readonly<Record<string, unknown>>)[field])
    return { field, operator: 'in', value }
  })
  const among = (): ListSource<Row> =>
    conditions.reduce((left, each) => left.where([each]), own as QuerySource<Row, string>)
  return attempt(ConfigurationError, among) ?? own
}

/**
 * What a style may say of the other's page: of its neighbours where each of its rows may be seen, as a cursor holds
 * values of a row; of counts and numbers what it says of one's own. `null`: the style does not divide one's own list.
 *
 * @throws NotFound one's own list has no such page, and the page of this style may say more than is known of it
 */
export async function pageOfBoth<Row>(
  own: () => Promise<Page<Row> | null>,
  { page: theirs }: ShownList,
  isWhole: boolean,
): Promise<PageOfBoth<Row> | null> {
  if (theirs === null) return null
  const page = await own().catch((error: unknown): Page<Row> => {
    if (error instanceof NotFound && Object.keys(theirs).every((name) => KNOWN.has(name)))
      return NO_PAGE
    throw error
  })
  if (page === null) return null
  // A page of a class of its own may know more than its members.
  const isPlain = Object.getPrototypeOf(page) === Object.prototype
  const { next, previous } = theirs as LinkedPage
  const neighbours = isPlain && isWhole && 'next' in page ? { next, previous } : {}
  const controls = (): PageControls | null =>
    controlsOfBoth(page.controls?.() ?? null, theirs.controls?.() ?? null, isWhole)
  return { page: isPlain ? { ...page, ...neighbours } : page, controls }
}

interface PageOfBoth<Row> {
  readonly page: Page<Row>
  readonly controls: () => PageControls | null
}

const KNOWN: ReadonlySet<string> = new Set(
  'rows table count precision next previous controls'.split(' '),
)
const NO_PAGE: LinkedPage<never> & { readonly count: null } = {
  rows: [],
  count: null,
  next: null,
  previous: null,
}

/** Numbers say how many pages the other has: they are for whom has as many. */
function controlsOfBoth(
  own: PageControls | null,
  theirs: PageControls | null,
  isWhole: boolean,
): PageControls | null {
  if (theirs === null || toJSONText(own?.data ?? null) === toJSONText(theirs.data)) return theirs
  const { previousUrl, nextUrl } = theirs.data
  if (!isWhole || (previousUrl === null && nextUrl === null)) return null
  return { ...theirs, data: { previousUrl, nextUrl, pageLinks: [] } }
}
