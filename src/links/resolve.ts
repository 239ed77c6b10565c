import type { Resolution } from '../types/routes.ts'
import { ParseError } from '../errors/api-errors.ts'
import type { Context } from '../pipeline/context.ts'

/** `resolve` of one request: the way back from an address to its name (U22, U23). Never throws. */
export function resolveFor({ origin, service: { urls } }: Context): (url: string) => Resolution {
  let own: string | null = null
  return (url) => {
    const parsed = parse(url, origin)
    if (parsed === null) return null
    // The origin as a client sees it: lower case, and without the port that everybody knows.
    own ??= new URL(origin).origin
    return parsed.origin === own ? resolvePath(parsed.pathname, urls) : 'foreign'
  }
}

const ABSOLUTE = /^https?:\/\//i

/** An absolute address, or one that begins with a slash: nobody knows what others are relative to. */
function parse(url: string, origin: string): URL | null {
  return url.startsWith('/') || ABSOLUTE.test(url) ? URL.parse(url, origin) : null
}

function resolvePath(path: string, urls: Context['service']['urls']): Resolution {
  try {
    const match = urls.match(path)
    if (match === null) return null
    const { name, namespace } = match.route
    return { name, namespace, params: match.params }
  } catch (error) {
    if (error instanceof ParseError) return null
    throw error
  }
}
