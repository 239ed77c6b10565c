import type { LinkFrame } from '../contract/routes.ts'
import type { LinkOptions, Linker } from '../contract/reverse.ts'
import type { Lookup, PlainReverse } from '../contract/versioning.ts'
import { NoReverseMatch } from '../errors/configuration-error.ts'
import type { Context } from './context.ts'
import { keepFormat, reverseFor, throughScheme } from './reverse.ts'

type Params = Readonly<Record<string, unknown>>

/** Links to one route, in the version, the format and the suffix of the request (U3, U5, U28). */
export function linkerFor(request: Context, name: string, { format }: LinkOptions = {}): Linker {
  const suffix = request.suffixed ? { format: format ?? request.params['format'] } : null
  const complete = (params: Params): Params => (suffix === null ? params : { ...params, ...suffix })
  return {
    url: (params) => reverseFor(request)(name, complete(params)),
    find: (params) => findLink(request, name, complete(params)),
    frame: (param) => frameOf(request, name, complete({ [param]: OPEN }), param),
  }
}

function findLink(request: Context, name: string, params: Params): string | null {
  const { origin, service } = request
  const find = (lookup: Asked): string | null => {
    const path = service.urls.find(lookup.name, lookup.params)
    return path === null ? null : origin + path
  }
  return attempt(name, params, request, plainBy(find))
}

/** A plain reverse that spares the message: nobody reads it. */
function plainBy(find: PlainReverse['find']): PlainReverse {
  return Object.assign((lookup: Asked) => find(lookup) ?? refuse(lookup), { find })
}

function attempt(name: string, params: Params, request: Context, plain: PlainReverse): string | null {
  try {
    const lookup = { name, params, version: request.version }
    return keepFormat(throughScheme(lookup, request, plain), request)
  } catch (error) {
    if (error instanceof NoReverseMatch) return null
    throw error
  }
}

/** Stands for every value in the parameters, and for its text in the address: no address holds it. */
const OPEN = '\0'

/** What all links have in common, by the link of a value that may be any. */
function frameOf(request: Context, name: string, params: Params, param: string): LinkFrame | null {
  const { versioning } = request.settings
  if (versioning?.reverse !== undefined && versioning.reverse !== versioning.uniformReverse)
    return null
  const tried = new OpenReverse(request, param)
  const link = attempt(name, params, request, plainBy((lookup) => tried.find(lookup)))
  return link === null ? null : tried.close(link)
}

/** The plain reverse of a route whose one parameter is open. Remembers what it found. */
class OpenReverse {
  readonly #request: Context
  readonly #param: string
  #found: LinkFrame | null = null
  /** Which path it is depends on the value, or a scheme wanted more than one. */
  #isUnsure = false

  constructor(request: Context, param: string) {
    this.#request = request
    this.#param = param
  }

  /** The frame of the address that the scheme has made of the one that was found. */
  close(link: string): LinkFrame | null {
    const cut = link.indexOf(OPEN)
    if (this.#isUnsure || this.#found === null || cut < 0) return null
    const after = link.slice(cut + 1)
    if (after.includes(OPEN)) return null
    return { before: link.slice(0, cut), after, between: this.#found.between }
  }

  find({ name, params }: Asked): string | null {
    const { origin, service } = this.#request
    const frame = service.urls.frame(name, params, this.#param)
    if (frame === null) return null
    this.#isUnsure ||= frame === 'several' || this.#found !== null
    if (frame === 'several') return null
    this.#found = frame
    return origin + frame.before + OPEN + frame.after
  }
}

type Asked = Pick<Lookup, 'name' | 'params'>

function refuse({ name }: Asked): never {
  throw new NoReverseMatch(`No path of "${name}" takes these parameters.`)
}
