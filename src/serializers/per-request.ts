import type { ApiRequest } from '../contract/request.ts'

/**
 * What is worked out once for the request that is being answered, and used for all its rows. It is
 * forgotten as soon as the work pauses: a serializer outlives its requests and must not keep them.
 */
export class PerRequest<T> {
  readonly #make: (request: ApiRequest) => T
  #kept: { readonly request: ApiRequest; readonly value: T } | null = null
  readonly #forget = (): void => {
    this.#kept = null
  }

  constructor(make: (request: ApiRequest) => T) {
    this.#make = make
  }

  of(request: ApiRequest): T {
    const kept = this.#kept
    if (kept !== null && kept.request === request) return kept.value
    const value = this.#make(request)
    if (kept === null) queueMicrotask(this.#forget)
    this.#kept = { request, value }
    return value
  }
}
