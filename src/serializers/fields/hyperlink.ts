import type { MaybePromise } from '../../contract/request.ts'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { after } from '../../std/after.ts'
import type { AnyField, Chosen, Field, FieldOptions, ReadContext } from '../declaration.ts'
import { type LinkKey, LinkMaker } from '../links/maker.ts'
import { linkProblem } from '../links/problem.ts'
import { DOES_NOT_EXIST, keyInLink } from '../links/reader.ts'
import { type Destination, type LinkTarget, destinationOf } from '../links/target.ts'
import { Refused } from '../refused.ts'
import type { GivenOf, RawOf } from '../types.ts'
import { fieldOf } from './field-of.ts'
import { integer } from './numbers.ts'
import { type Finder, finderOf } from './related.ts'

type Whole = Field<number, number, number>

/** Where a relation by link leads, and how the key in a link becomes what the input holds. */
export type RelatedTarget<K extends AnyField, Row> = LinkTarget &
  (Finder<GivenOf<K>, Row> | { readonly find?: never; readonly findAll?: never }) & {
    /** The field that reads keys. @default `field.integer()` */
    readonly key?: K
  }

/** The input holds the key; with `as: 'row'` it holds the row that was found. */
export interface AsRow {
  readonly as?: 'key' | 'row'
}

/** What the input holds. */
export type Linked<K, Row, O> = O extends { readonly as: 'row' } ? NonNullable<Row> : GivenOf<K>

/**
 * Another row, named by its address (U20–U28). Shown as an absolute link, in the version of the
 * request, made of the key in the row without asking anybody; `null` is `null`. A link that a client
 * sends must lead to the same route of this service, in the version of the request: `incorrect_type`,
 * `no_match`, `incorrect_match`. `find` (or `findAll`, for all links of a body at once) looks whether
 * the row is there: `does_not_exist`. Without it that is left to the database.
 *
 * @throws ConfigurationError `as: 'row'`, and nobody finds rows
 * @example
 * field.hyperlink('user-detail', { source: 'author_id' })
 * field.hyperlink({ route: 'user-detail', find: (id) => users.byId(id) }, { source: 'author_id' })
 * field.list(field.hyperlink('tag-detail'), { source: 'tag_ids' })
 */
export function hyperlink<Row, K extends AnyField = Whole, const O = unknown>(
  target: string | RelatedTarget<K, Row>,
  options?: Chosen<O, FieldOptions<GivenOf<K> | Row> & AsRow>,
): Field<RawOf<K>, string, Linked<K, Row, O>, O> {
  type Given = Linked<K, Row, O>
  const to = destinationOf(target)
  const links = new LinkMaker(to)
  const relation = relationOf<K, Row>(target, options)
  return fieldOf<RawOf<K>, string, Given, O>(
    {
      type: 'field',
      show: (key, request) => links.url(key as unknown as LinkKey, request),
      hasAddress: (key, request) => links.hasAddress(key, request),
      read: (link, context) =>
        readLink(link, to, links, relation, context) as MaybePromise<Given | Refused>,
      check: (settings, service, name) => linkProblem(name, to, settings, service),
    },
    options,
  )
}

/** What is done with the key of a link. */
interface Relation {
  readonly key: AnyField
  readonly find: ReturnType<typeof finderOf<unknown, unknown>> | null
  readonly as: 'key' | 'row'
}

function relationOf<K extends AnyField, Row>(
  target: string | RelatedTarget<K, Row>,
  options: AsRow | undefined,
): Relation {
  const { key = integer(), find, findAll } = (typeof target === 'string' ? {} : target) as Said<K>
  const { as = 'key' } = options ?? {}
  if ((find ?? findAll) !== undefined)
    return { key, find: finderOf(target as Finder<unknown, unknown>), as }
  if (as === 'key') return { key, find: null, as }
  throw new ConfigurationError('A hyperlink that gives rows needs "find" or "findAll".')
}

interface Said<K> {
  readonly key?: K
  readonly find?: unknown
  readonly findAll?: unknown
}

function readLink(
  link: unknown,
  to: Destination,
  links: LinkMaker,
  { key, find, as }: Relation,
  context: ReadContext,
): MaybePromise<unknown> {
  const { request } = context
  const inLink = keyInLink(link, to, links, request)
  if (inLink instanceof Refused) return inLink
  return after(key.read(inLink, context), (read) => {
    if (read instanceof Refused) return DOES_NOT_EXIST
    if (find === null) return read
    return after(find(read, request), (row) => {
      if (row === null || row === undefined) return DOES_NOT_EXIST
      return as === 'row' ? row : read
    })
  })
}
