import type { ApiRequest, Incoming } from '../contract/request.ts'
import { sha256 } from '../std/crypto/digest.ts'

/** The user of a request (T12); `null`: no scheme named one. */
export function userIdentity({ user }: ApiRequest): string | null {
  const { isAuthenticated, id } = (user ?? {}) as Readonly<Record<string, unknown>>
  if (isAuthenticated !== true) return null
  if (typeof id === 'number' || typeof id === 'string' || typeof id === 'bigint')
    return `user:${id}`
  throw new TypeError(
    'Throttles count users by "id", and request.user has none: override identify().',
  )
}

/** The client of a request, with a user or without (T11). */
export function clientIdentity({ client }: Pick<Incoming, 'client'>): string {
  return `ip:${client}`
}

/**
 * The name of a counter (T14). No scope has a colon, and every identity begins with its kind and one: no two pairs
 * make one key. What a client may have chosen freely is replaced by its digest.
 */
export function counterKey(scope: string, identity: string, seconds: number): string {
  const kind = identity.slice(0, identity.indexOf(':') + 1)
  const shown = PLAIN.test(identity) ? identity : `${kind}sha256:${sha256(identity)}`
  return `throttle_${scope}_${shown}_${seconds}`
}

const PLAIN = /^[\x21-\x7e]{1,100}$/

/** Names of scopes: they stand in keys, and in the fields that clients read. */
export const SCOPE: RegExp = /^[A-Za-z0-9._-]{1,60}$/
