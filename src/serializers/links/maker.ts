import type { ApiRequest } from '../../contract/request.ts'
import type { Linker } from '../../types/reverse.ts'
import { NoReverseMatch } from '../../errors/configuration-error.ts'
import type { LinkKey } from '../declaration.ts'
import { Unshowable, shortly } from '../unshowable.ts'
import type { Destination } from './target.ts'

export type { LinkKey }

/** Makes the links of a field: absolute, in the version and the format of the request (U20). */
export class LinkMaker {
  readonly #to: Destination
  constructor(to: Destination) {
    this.#to = to
  }

  /** @throws NoReverseMatch the service has no such route (U21), Unshowable it takes no such key */
  url(key: LinkKey, request: ApiRequest): string {
    const link = this.find(key, request)
    if (link !== null) return link
    const linker = this.#linker(request)
    if (linker.to(this.#to.param) === null) return urlOf(linker, { [this.#to.param]: key })
    throw new Unshowable(`No address of "${this.#to.route}" can hold the key ${shortly(key)}.`)
  }

  /** @throws NoReverseMatch as `url` does */
  hasAddress(key: LinkKey, request: ApiRequest): boolean {
    try {
      return this.url(key, request) !== ''
    } catch (error) {
      if (error instanceof Unshowable) return false
      throw error
    }
  }

  /** `null`: there is no such link. */
  find(key: LinkKey, request: ApiRequest): string | null {
    const linker = this.#linker(request)
    return linker.to(this.#to.param)?.(key) ?? this.#ask(linker, key)
  }

  /** A scheme may treat each link in its own way: the key is tried as it is, then as text. */
  #ask(linker: Linker, key: LinkKey): string | null {
    for (const value of formsOf(key)) {
      const url = linker.find({ [this.#to.param]: value })
      if (url !== null) return url
    }
    return null
  }

  #linker(request: ApiRequest): Linker {
    const { route, format } = this.#to
    return request.linker(route, format === undefined ? undefined : { format })
  }
}

/** A link; what is wrong with a value of the row alone is no mistake of the program. */
export function urlOf(linker: Linker, params: Readonly<Record<string, unknown>>): string {
  try {
    return linker.url(params)
  } catch (error) {
    if (error instanceof NoReverseMatch && error.isOfValue) throw new Unshowable(error.message)
    throw error
  }
}

function formsOf(key: LinkKey): readonly unknown[] {
  if (typeof key === 'string') return [key]
  return typeof key === 'bigint' ? [Number(key), `${key}`] : [key, `${key}`]
}
