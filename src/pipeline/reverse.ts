import type { Lookup } from '../contract/versioning.ts'
import { NoReverseMatch } from '../errors/configuration-error.ts'
import { Query } from '../std/query.ts'
import type { Context } from './context.ts'

type Params = Readonly<Record<string, unknown>>

/** `reverse` of one request: absolute, in the request's version (U1–U6), with its format (U3). */
export function reverseFor(request: Context): (name: string, params?: Params) => string {
  const plain = ({ name, params }: Lookup): string =>
    request.origin + request.service.urls.reverse(name, params)
  return (name, params = NO_PARAMS) =>
    keepFormat(throughScheme({ name, params }, request, plain), request)
}

const NO_PARAMS: Params = Object.freeze({})

// U2: where the scheme finds no route, the plain one is tried; its error names what was asked for.
function throughScheme(
  lookup: Lookup,
  request: Context,
  plain: (lookup: Lookup) => string,
): string {
  const { versioning } = request.settings
  if (versioning?.reverse === undefined) return plain(lookup)
  try {
    return versioning.reverse(lookup, request, plain)
  } catch (error) {
    if (error instanceof NoReverseMatch) return plain(lookup)
    throw error
  }
}

function keepFormat(url: string, request: Context): string {
  const { urlFormatOverride } = request.settings
  if (urlFormatOverride === null || request.queryText === '') return url
  const format = request.query.get(urlFormatOverride)
  return format === null ? url : withQuery(url, { [urlFormatOverride]: format })
}

function withQuery(url: string, changes: Readonly<Record<string, string>>): string {
  const cut = url.indexOf('?')
  const query = Query.parse(cut < 0 ? '' : url.slice(cut + 1)).with(changes)
  return `${cut < 0 ? url : url.slice(0, cut)}?${query.toString()}`
}
