import type { Lookup, PlainReverse } from '../contract/versioning.ts'
import { NoReverseMatch } from '../errors/configuration-error.ts'
import { withQuery } from '../std/http/with-query.ts'
import type { Context } from '../pipeline/context.ts'

type Asked = Pick<Lookup, 'name' | 'params'>

/** Absolute links by name alone, with no thought of versions. */
export function plainFor({ origin, service: { urls } }: Context): PlainReverse {
  function plain({ name, params }: Asked): string {
    return origin + urls.reverse(name, params)
  }
  plain.find = ({ name, params }: Asked): string | null => {
    const path = urls.find(name, params)
    return path === null ? null : origin + path
  }
  return plain
}

/** U2: where the scheme finds no route, the plain one is tried; its error names what was asked for. */
export function throughScheme(lookup: Lookup, request: Context, plain: PlainReverse): string {
  const { versioning } = request.settings
  if (versioning?.reverse === undefined) return plain(lookup)
  try {
    return versioning.reverse(lookup, request, plain)
  } catch (error) {
    if (error instanceof NoReverseMatch) return instead(error, lookup, plain)
    throw error
  }
}

/** A name that the scheme found, and with values that do not fit, is no unknown name. */
function instead(error: NoReverseMatch, lookup: Lookup, plain: PlainReverse): string {
  const url = plain.find(lookup)
  if (url !== null) return url
  if (error.isOfValue) throw error
  return plain(lookup)
}

/** U3: the format that the request asks for in its query stays. */
export function keepFormat(url: string, request: Context): string {
  const { urlFormatOverride } = request.settings
  if (urlFormatOverride === null || request.queryText === '') return url
  const format = request.query.get(urlFormatOverride)
  return format === null ? url : withQuery(url, urlFormatOverride, format)
}

/** A link, or `null` where nothing fits. `find` takes the place of the plain reverse: nobody reads its message. */
export function attemptLink(
  lookup: Lookup,
  request: Context,
  find: PlainReverse['find'],
): string | null {
  try {
    return keepFormat(throughScheme(lookup, request, quietly(find)), request)
  } catch (error) {
    if (error instanceof NoReverseMatch) return null
    throw error
  }
}

function quietly(find: PlainReverse['find']): PlainReverse {
  function plain(lookup: Asked): string {
    const url = find(lookup)
    if (url === null)
      throw new NoReverseMatch(`No path of "${lookup.name}" takes these parameters.`)
    return url
  }
  plain.find = find
  return plain
}
