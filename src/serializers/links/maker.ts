import type { ApiRequest } from '../../contract/request.ts'
import type { Linker } from '../../contract/reverse.ts'
import type { LinkFrame } from '../../contract/routes.ts'
import { PerRequest } from '../per-request.ts'
import type { Destination } from './target.ts'

/** What a row may hold as key. */
export type LinkKey = string | number | bigint

/** Makes the links of a field: absolute, in the version and the format of the request (U20). */
export class LinkMaker {
  readonly #param: string
  readonly #prepared: PerRequest<{ readonly linker: Linker; readonly frame: LinkFrame | null }>

  constructor({ route, param, format }: Destination) {
    this.#param = param
    this.#prepared = new PerRequest((request) => {
      const linker = request.linker(route, format === undefined ? {} : { format })
      return { linker, frame: linker.frame(param) }
    })
  }

  frame(request: ApiRequest): LinkFrame | null {
    return this.#prepared.of(request).frame
  }

  /** @throws NoReverseMatch the service has no such route, or it takes no such key (U21) */
  url(key: LinkKey, request: ApiRequest): string {
    const { linker } = this.#prepared.of(request)
    return this.find(key, request) ?? linker.url({ [this.#param]: key })
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
      const url = linker.find({ [this.#param]: value })
      if (url !== null) return url
    }
    return null
  }
}

function formsOf(key: LinkKey): readonly unknown[] {
  if (typeof key === 'string') return [key]
  return typeof key === 'bigint' ? [Number(key), `${key}`] : [key, `${key}`]
}
