import type { LinkOptions } from '../types/reverse.ts'
import { NoReverseMatch } from '../errors/configuration-error.ts'
import type { Context } from '../pipeline/context.ts'
import { QuickLinks } from './quick-links.ts'
import { keepFormat, plainFor, throughScheme } from './through-scheme.ts'

type Params = Readonly<Record<string, unknown>>
type ReverseByName = (name: string, params?: Params, options?: LinkOptions) => string

/** `reverse` of one request: absolute, in the request's version (U1–U6), with its format (U3). */
export function reverseFor(request: Context): ReverseByName {
  const plain = plainFor(request)
  const quick = new QuickLinks(request)
  return (name, given = NO_PARAMS, options) => {
    const params = withFormat(given, options)
    const known = quick.find(name, params)
    if (known !== null) return known
    const url = throughScheme({ name, params, version: request.version }, request, plain)
    quick.learn(name, params)
    return keepFormat(url, request)
  }
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

/** U4: a format is a parameter like others, which routes with suffixes take. */
function withFormat(params: Params, options: LinkOptions | undefined): Params {
  return options?.format === undefined ? params : { ...params, format: options.format }
}
