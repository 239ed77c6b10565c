import type { LinkFrame } from '../types/routes.ts'
import type { Context } from '../pipeline/context.ts'
import { frameOf } from './link-frame.ts'

type Params = Readonly<Record<string, unknown>>

/** What is known of a name that was asked for: its one parameter, of one type. */
interface Known {
  readonly param: string
  readonly type: string
  /** `undefined`: not asked for a second time yet. `null`: there is none. */
  frame: LinkFrame | null | undefined
}

/**
 * The links of one request that were asked for before, with another value: rows of a list link to the
 * same few routes. From the second time on, such a link is a concatenation.
 */
export class QuickLinks {
  readonly #request: Context
  readonly #byName = new Map<string, Known>()

  constructor(request: Context) {
    this.#request = request
  }

  /** The link, or `null` where nobody asked for one like it, or where it has to be found as ever. */
  find(name: string, params: Params): string | null {
    const known = this.#byName.get(name)
    if (known === undefined || !isLike(params, known)) return null
    const frame = known.frame === undefined ? this.#frame(name, known) : known.frame
    if (frame === null) return null
    const text = frame.between(params[known.param])
    return text === null ? null : frame.before + text + frame.after
  }

  /** A link with these parameters was found. */
  learn(name: string, params: Params): void {
    const [param, other] = Object.keys(params)
    if (param === undefined || other !== undefined || this.#byName.has(name)) return
    const type = typeof params[param]
    // Only what was found shows what a value may be: `between` takes more than `reverse` does.
    if (type !== 'string' && type !== 'number') return
    this.#byName.set(name, { param, type, frame: undefined })
  }

  #frame(name: string, known: Known): LinkFrame | null {
    const lookup = { name, params: {}, version: this.#request.version }
    return (known.frame = frameOf(lookup, known.param, this.#request))
  }
}

/** One parameter of this name, its own, and of this type. */
function isLike(params: Params, { param, type }: Known): boolean {
  for (const name in params) if (name !== param) return false
  return typeof params[param] === type && Object.hasOwn(params, param)
}
