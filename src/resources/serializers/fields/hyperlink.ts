import type { ApiRequest } from '../../../core/ports/request.ts'
import { flattenTable } from '../../../core/urls/address-table.ts'
import { pathParameters, parsePattern } from '../../../core/urls/path-pattern.ts'
import { Query } from '../../../core/std/http/query.ts'
import type {
  EndpointName,
  ParamsAt,
  Resolved,
  RouteTable,
  ServedBy,
  UrlTable,
} from '../../../core/types/routes.ts'
import type { AnyField, Chosen, Field, FieldOptions, LinkKey } from '../declaration.ts'
import { fieldOf } from '../field-of.ts'
import { LinkMaker, type LinkTarget, linkProblem } from '../links.ts'
import { Refused, refused } from '../refused.ts'
import { relationProblem } from '../tenant-references.ts'
import type { GivenOf, RawOf } from '../types.ts'
import { type IdentityField, type IdentityOptions, identity } from './computed.ts'
import { integer } from './numbers.ts'
import {
  type AsRow,
  DOES_NOT_EXIST,
  type Finder,
  type KeyOrRow,
  type WholeKey,
  type Crossing,
  isEmpty,
  relatedReader,
  relationOf,
} from './related.ts'

type MaybeFinder<Key, Row, Rq> =
  | Finder<Key, Row, Rq>
  | (Crossing & { readonly store?: never; readonly find?: never; readonly findAll?: never })

type RelatedTarget<K extends AnyField, Row, Rq> = LinkTarget &
  MaybeFinder<GivenOf<K>, Row, Rq> & {
    /** The field that reads keys. @default `field.integer()` */
    readonly key?: K
  }

/**
 * Another row, named by its address (U20–U28). Shown as an absolute link, in the version of the
 * request, made of the key in the row without a look-up; `null` is `null`. A link that a client
 * sends must lead to the same route of this service, in the version of the request: `incorrect_type`,
 * `no_match`, `incorrect_match`. `find` (or `findAll`, for all links of a body at once) looks whether
 * the row is there: `does_not_exist`. Without it that is left to the database. In a resource with `scope` it has to be
 * looked up, or to say `scope: null`: else the link could lead to another tenant.
 *
 * @throws ConfigurationError `as: 'row'` without `find` or `findAll`
 * @example
 * field.hyperlink('user-detail', { source: 'author_id' })
 * field.hyperlink({ route: 'user-detail', find: (id) => users.byId(id) }, { source: 'author_id' })
 * field.list(field.hyperlink('tag-detail'), { source: 'tag_ids' })
 */
export function hyperlink<Row, K extends AnyField = WholeKey, const O = unknown, Rq = ApiRequest>(
  target: string | RelatedTarget<K, Row, Rq>,
  options?: Chosen<O, FieldOptions<GivenOf<K> | Row> & AsRow>,
): Field<RawOf<K>, string, KeyOrRow<K, Row, O>, O> {
  const given: LinkTarget & { readonly key?: AnyField } =
    typeof target === 'string' ? { route: target } : target
  const keys = given.key ?? integer()
  const links = new LinkMaker(given)
  const relation = relationOf(given)
  const read = relatedReader<KeyOrRow<K, Row, O>>(keys, relation, options?.as, DOES_NOT_EXIST)
  return fieldOf('field', options, {
    own: ['as'],
    show: (value, request) => links.shown(value as unknown as LinkKey, request),
    open: (request) => links.open(request),
    hasAddress: (value, request) => links.hasAddress(value, request),
    relation,
    schema: () => ({ type: 'string', format: 'uri' }),
    listed: (request) => links.listed(request),
    meansNull: isEmpty,
    read(link, context) {
      const key = keyInLink(link, links, context.request)
      return key instanceof Refused ? key : read(key, context)
    },
    check: (settings, service, name) =>
      (options?.readOnly ? null : relationProblem(name, relation, service)) ??
      linkProblem(name, links, settings, service),
  })
}

const INCORRECT_TYPE = refused('incorrect_type.link')
const NO_MATCH = refused('no_match')
const INCORRECT_MATCH = refused('incorrect_match')

/** A link must lead to the field's address, in the version of the request (U22–U26). */
function keyInLink(link: unknown, links: LinkMaker, request: ApiRequest): LinkKey | Refused {
  if (typeof link !== 'string') return INCORRECT_TYPE
  // In a path with a query, the query may belong to the path or to the value (U22).
  const isPathWithQuery = link.startsWith('/') && /[?#]/.test(link)
  const found = isPathWithQuery ? null : request.resolve(link)
  if (found === null || found === 'foreign') return NO_MATCH
  const { param } = links
  const key = Object.hasOwn(found.params, param) ? (found.params[param] as LinkKey) : null
  const ours = key === null ? null : links.find(key, request)
  return ours !== null && leadsTheSameWay(link, found, ours, request) ? key! : INCORRECT_MATCH
}

/** Compares the link with the one that we would make, so that its version must be the same in any scheme. */
function leadsTheSameWay(
  link: string,
  found: Resolved,
  ours: string,
  request: ApiRequest,
): boolean {
  const expected = request.resolve(ours)
  if (expected === null || expected === 'foreign' || expected.name !== found.name) return false
  const isSame = ([name, value]: [string, unknown]): boolean =>
    name === 'format' || expected.params[name] === value
  return Object.entries(found.params).every(isSame) && agrees(link, ours, request)
}

/** A link need not have the query that ours have, but must not have another version in it. */
function agrees(link: string, ours: string, { settings }: ApiRequest): boolean {
  const [query, expected] = [queryOf(link), queryOf(ours)]
  return expected
    .names()
    .filter((name) => name !== settings.urlFormatOverride && query.get(name) !== null)
    .every((name) => query.get(name) === expected.get(name))
}

function queryOf(link: string): Query {
  return Query.parse(URL.parse(link)?.search.slice(1) ?? '')
}

type ParamsOfName<R, N extends string> = ParamsAt<R[ServedBy<R, N> & keyof R]>
type ParamName<P> = P extends unknown ? keyof P & string : never
type ParamValue<P, Name extends string> = P extends Readonly<Record<Name, infer V>> ? V : never
type KeyOf<R, N extends string, P extends string> = ParamValue<ParamsOfName<R, N>, P>
/** A name alone is enough if its address has an `id`. */
type WithId<R, N extends string> =
  'id' extends ParamName<ParamsOfName<R, N>> ? unknown : { readonly '~needs': 'param' }

/** A link by the parameter `id` need not say so. */
type Target<N, P extends string> = Omit<LinkTarget<P>, 'param'> & {
  readonly route: N
} & ('id' extends P ? { readonly param?: P } : { readonly param: P })

/** `field.identity` and `field.hyperlink` with names and parameters that the compiler knows. */
export interface Hyperlinks<R> {
  /** A link to the row itself: the row must hold what the address takes. */
  identity<const N extends EndpointName<R>, const O = unknown>(
    route: N & WithId<R, N>,
    options?: Chosen<O, IdentityOptions>,
  ): Field<KeyOf<R, N, 'id'>, string, never, IdentityField<O, 'id'>>
  identity<
    const N extends EndpointName<R>,
    const P extends ParamName<ParamsOfName<R, N>>,
    const O = unknown,
  >(
    target: Target<N, P>,
    options?: Chosen<O, IdentityOptions>,
  ): Field<KeyOf<R, N, P>, string, never, IdentityField<O, P>>
  /** A link to another row. The input holds what the address says, as its converter reads it. */
  hyperlink<const N extends EndpointName<R>, const O = unknown>(
    route: N & WithId<R, N>,
    options?: Chosen<O, FieldOptions<KeyOf<R, N, 'id'>>>,
  ): Field<KeyOf<R, N, 'id'>, string, KeyOf<R, N, 'id'>, O>
  hyperlink<
    Row,
    const N extends EndpointName<R>,
    const P extends ParamName<ParamsOfName<R, N>>,
    const O = unknown,
    Rq = ApiRequest,
  >(
    target: Target<N, P> & MaybeFinder<KeyOf<R, N, P>, Row, Rq>,
    options?: Chosen<O, FieldOptions<KeyOf<R, N, P> | Row> & AsRow>,
  ): Field<KeyOf<R, N, P>, string, KeyOrRow<Field<never, unknown, KeyOf<R, N, P>>, Row, O>, O>
}

/**
 * Hyperlinks into one address table: a name that is not in it, or a parameter that the address does not
 * take, does not compile, and keys have the type of their parameter.
 *
 * @throws ConfigurationError the table has an address that cannot work
 * @example
 * const link = hyperlinks(urls)
 * const article = serializer({
 *   url: link.identity('article-detail'),
 *   tag: link.hyperlink({ route: 'tag-detail', param: 'slug' }),
 * })
 */
export function hyperlinks<const T extends UrlTable>(urls: T): Hyperlinks<RouteTable<T>> {
  const converters = convertersOf(urls)
  const typed = (target: string | LinkTarget, options?: object): AnyField => {
    const { route, param = 'id', ...more } = typeof target === 'string' ? { route: target } : target
    const key = converters.get(`${route} ${param}`) === 'int' ? integer() : TEXT_KEY
    return hyperlink({ ...more, route, param, key } as never, options as never)
  }
  return { identity, hyperlink: typed } as unknown as Hyperlinks<RouteTable<T>>
}

/** A key that is as the address has it. NUL is in no key: some databases cannot even be asked for one. */
const TEXT_KEY: Field<string, string, string> = fieldOf('string', undefined, {
  schema: () => ({ type: 'string' }),
  read: (key) => (typeof key === 'string' && !key.includes('\0') ? key : DOES_NOT_EXIST),
})

/** The converters by the names of the address, with and without its first namespace, and of the parameter. */
function convertersOf(urls: UrlTable): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const { name, paths } of flattenTable(urls))
    for (const path of paths)
      for (const parameter of pathParameters(parsePattern(name, path)))
        for (const each of [name, name.slice(name.indexOf(':') + 1)])
          found.set(`${each} ${parameter.name}`, parameter.converter.key)
  return found
}
