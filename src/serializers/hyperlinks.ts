import type { EndpointName, ParamsAt, RouteTable, ServedBy, UrlTable } from '../types/routes.ts'
import { flatten } from '../links/address-table.ts'
import { parametersOf, parsePattern } from '../links/path-pattern.ts'
import type { AnyField, Chosen, Field, FieldOptions } from './declaration.ts'
import { type AsRow, type Linked, hyperlink } from './fields/hyperlink.ts'
import { type Identity, type IdentityOptions, identity } from './fields/identity.ts'
import { integer } from './fields/numbers.ts'
import type { Finder } from './fields/related.ts'
import { asInAddress } from './links/address-key.ts'
import { type LinkTarget, destinationOf } from './links/target.ts'

/** What the address of a name takes; a union where it has several paths. */
type ParamsOfName<R, N extends string> = ParamsAt<R[ServedBy<R, N> & keyof R]>
type ParamName<P> = P extends unknown ? keyof P & string : never
type ParamValue<P, Name extends string> = P extends Readonly<Record<Name, infer V>> ? V : never
/** The value of one parameter of a name. */
type KeyOf<R, N extends string, P extends string> = ParamValue<ParamsOfName<R, N>, P>
/** Said as a condition: a name alone is enough where its address has an `id`. */
type WithId<R, N extends string> =
  'id' extends ParamName<ParamsOfName<R, N>> ? unknown : { readonly '~needs': 'param' }

interface Target<N, P> {
  readonly route: N
  /** The parameter of its path that takes the key. */
  readonly param: P
  readonly format?: string
}
type MaybeFinder<Key, Row> = Finder<Key, Row> | { readonly find?: never; readonly findAll?: never }

/** `field.identity` and `field.hyperlink`, where the compiler knows all names and parameters. */
export interface Hyperlinks<R> {
  /** A link to the row itself: the row must hold what the address takes. */
  identity<const N extends EndpointName<R>, const O = unknown>(
    route: N & WithId<R, N>,
    options?: Chosen<O, IdentityOptions>,
  ): Field<KeyOf<R, N, 'id'>, string, never, Identity<O, 'id'>>
  identity<
    const N extends EndpointName<R>,
    const P extends ParamName<ParamsOfName<R, N>>,
    const O = unknown,
  >(
    target: Target<N, P>,
    options?: Chosen<O, IdentityOptions>,
  ): Field<KeyOf<R, N, P>, string, never, Identity<O, P>>
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
  >(
    target: Target<N, P> & MaybeFinder<KeyOf<R, N, P>, Row>,
    options?: Chosen<O, FieldOptions<KeyOf<R, N, P> | Row> & AsRow>,
  ): Field<KeyOf<R, N, P>, string, Linked<Field<never, unknown, KeyOf<R, N, P>>, Row, O>, O>
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
    const { route, param } = destinationOf(target)
    const key = converters.get(`${route} ${param}`) === 'int' ? integer() : asInAddress()
    const said = typeof target === 'string' ? { route: target } : target
    return hyperlink({ ...said, key } as never, options as never)
  }
  return { identity, hyperlink: typed } as unknown as Hyperlinks<RouteTable<T>>
}

/** What reads each parameter: by the name of its address, with its first namespace and without it. */
function convertersOf(urls: UrlTable): ReadonlyMap<string, string> {
  const found = flatten(urls).flatMap(({ name, paths }) =>
    paths
      .flatMap((path) => parametersOf(parsePattern(name, path)))
      .flatMap((parameter): [string, string][] =>
        [name, name.slice(name.indexOf(':') + 1)].map((each) => [
          `${each} ${parameter.name}`,
          parameter.converter.key,
        ]),
      ),
  )
  return new Map(found)
}
