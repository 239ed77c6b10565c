import type { Lookup, PlainReverse } from '../contract/versioning.ts'
import { NoReverseMatch } from '../errors/configuration-error.ts'
import { withQuery } from '../std/with-query.ts'
import type { Context } from './context.ts'

type Params = Readonly<Record<string, unknown>>

/** `reverse` of one request: absolute, in the request's version (U1–U6), with its format (U3). */
export function reverseFor(request: Context): (name: string, params?: Params) => string {
  const plain = plainFor(request)
  return (name, params = NO_PARAMS) =>
    keepFormat(throughScheme({ name, params, version: request.version }, request, plain), request)
}

/** The address of the request's own resource in another version; `null` where no address tells the two apart. */
export function otherVersion(request: Context, version: string): string | null {
  const plain = plainFor(request)
  const lookup = { name: request.endpointName, params: request.params }
  try {
    const own = throughScheme({ ...lookup, version: request.version }, request, plain)
    const other = throughScheme({ ...lookup, version }, request, plain)
    return own === other ? null : other
  } catch (error) {
    if (error instanceof NoReverseMatch) return null
    throw error
  }
}

const NO_PARAMS: Params = Object.freeze({})

function plainFor({ origin, service: { urls } }: Context): PlainReverse {
  return Object.assign(
    ({ name, params }: Pick<Lookup, 'name' | 'params'>) => origin + urls.reverse(name, params),
    {
      find({ name, params }: Pick<Lookup, 'name' | 'params'>) {
        const path = urls.find(name, params)
        return path === null ? null : origin + path
      },
    },
  )
}

// U2: where the scheme finds no route, the plain one is tried; its error names what was asked for.
export function throughScheme(lookup: Lookup, request: Context, plain: PlainReverse): string {
  const { versioning } = request.settings
  if (versioning?.reverse === undefined) return plain(lookup)
  try {
    return versioning.reverse(lookup, request, plain)
  } catch (error) {
    if (error instanceof NoReverseMatch) return plain(lookup)
    throw error
  }
}

export function keepFormat(url: string, request: Context): string {
  const { urlFormatOverride } = request.settings
  if (urlFormatOverride === null || request.queryText === '') return url
  const format = request.query.get(urlFormatOverride)
  return format === null ? url : withQuery(url, urlFormatOverride, format)
}
