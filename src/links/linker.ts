import type { LinkFrame } from '../types/routes.ts'
import type { LinkOptions, Linker } from '../types/reverse.ts'
import type { Lookup } from '../contract/versioning.ts'
import type { Context } from '../pipeline/context.ts'
import { frameOf } from './link-frame.ts'
import { reverseFor } from './request-reverse.ts'
import { attemptLink } from './through-scheme.ts'

type Params = Readonly<Record<string, unknown>>

/** Links to one route, in the version, the format and the suffix of the request (U3, U5, U28). */
export class RouteLinker implements Linker {
  readonly #request: Context
  readonly #name: string
  /** Format suffix of the links; `null`: they have none. */
  readonly #suffix: unknown
  /** By parameter: fields of one serializer often lead to one route. */
  readonly #frames = new Map<string, LinkFrame | null>()
  #reverse: ReturnType<typeof reverseFor> | null = null

  constructor(request: Context, name: string, { format }: LinkOptions = {}) {
    this.#request = request
    this.#name = name
    this.#suffix = request.suffixed ? (format ?? request.params['format']) : null
  }

  url(params: Params): string {
    this.#reverse ??= reverseFor(this.#request)
    return this.#reverse(this.#name, this.#complete(params))
  }

  find(params: Params): string | null {
    const { origin, service } = this.#request
    return attemptLink(this.#lookup(params), this.#request, (lookup) => {
      const path = service.urls.find(lookup.name, lookup.params)
      return path === null ? null : origin + path
    })
  }

  frame(param: string): LinkFrame | null {
    const known = this.#frames.get(param)
    if (known !== undefined) return known
    const frame = this.#frameOf(param)
    this.#frames.set(param, frame)
    return frame
  }

  #frameOf(param: string): LinkFrame | null {
    return frameOf(this.#lookup(NO_PARAMS), param, this.#request)
  }

  #lookup(params: Params): Lookup {
    return { name: this.#name, params: this.#complete(params), version: this.#request.version }
  }

  #complete(params: Params): Params {
    return this.#suffix === null ? params : { ...params, format: this.#suffix }
  }
}

const NO_PARAMS: Params = Object.freeze({})
