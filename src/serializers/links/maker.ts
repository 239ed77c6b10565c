import type { ApiRequest } from '../../contract/request.ts'
import type { Linker } from '../../contract/reverse.ts'
import type { LinkFrame } from '../../contract/routes.ts'
import { PerRequest } from '../per-request.ts'
import type { Destination } from './target.ts'

/** What a row may hold as key. */
export type LinkKey = string | number | bigint

/** Makes the links of a field: absolute, in the version and the format of the request (U20). */
export class LinkMaker {
  readonly #to: Destination
  readonly #prepared = new PerRequest((request) => {
    const linker = this.#linker(request)
    return { linker, frame: linker.frame(this.#to.param) }
  })

  constructor(to: Destination) {
    this.#to = to
  }

  frame(request: ApiRequest): LinkFrame | null {
    return this.#linker(request).frame(this.#to.param)
  }

  /** @throws NoReverseMatch the service has no such route, or it takes no such key (U21) */
  url(key: LinkKey, request: ApiRequest): string {
    return this.find(key, request) ?? this.#linker(request).url({ [this.#to.param]: key })
  }

  /** `null`: there is no such link. */
  find(key: LinkKey, request: ApiRequest): string | null {
    const { linker, frame } = this.#prepared.of(request)
    const between = frame === null ? null : frame.between(key)
    if (frame !== null && between !== null) return frame.before + between + frame.after
    return this.#ask(linker, key)
  }

  /** What a number of a database is to an address, nobody knows before it is asked. */
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

function formsOf(key: LinkKey): readonly unknown[] {
  if (typeof key === 'string') return [key]
  return typeof key === 'bigint' ? [Number(key), `${key}`] : [key, `${key}`]
}
