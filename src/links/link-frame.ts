import type { LinkFrame } from '../types/routes.ts'
import type { Lookup } from '../contract/versioning.ts'
import type { Context } from '../pipeline/context.ts'
import { attemptLink } from './through-scheme.ts'

/**
 * What the links of a name have in common that differ in one parameter. `null`: nobody knows, because
 * no path or several take it, or because the scheme may treat each link as it likes.
 */
export function frameOf(
  { name, params, version }: Lookup,
  param: string,
  request: Context,
): LinkFrame | null {
  const { versioning } = request.settings
  if (versioning?.reverse !== undefined && versioning.reverse !== versioning.uniformReverse)
    return null
  const open = new OpenReverse(request, param)
  const lookup = { name, params: { ...params, [param]: OPEN }, version }
  const link = attemptLink(lookup, request, (asked) => open.find(asked))
  return link === null ? null : open.close(link)
}

/** Stands for every value in the parameters, and for its text in the address: no address holds it. */
const OPEN = '\0'

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

  find({ name, params }: Pick<Lookup, 'name' | 'params'>): string | null {
    const { origin, service } = this.#request
    const frame = service.urls.frame(name, params, this.#param)
    if (frame === null) return null
    if (frame === 'several' || this.#found !== null) this.#isUnsure = true
    if (frame === 'several') return null
    this.#found = frame
    return origin + frame.before + OPEN + frame.after
  }

  /** The frame of the address that the scheme has made of the one that was found. */
  close(link: string): LinkFrame | null {
    const cut = link.indexOf(OPEN)
    if (this.#isUnsure || this.#found === null || cut < 0) return null
    const after = link.slice(cut + 1)
    if (after.includes(OPEN)) return null
    return { ...this.#found, before: link.slice(0, cut), after }
  }
}
