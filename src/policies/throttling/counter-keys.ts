import type { ApiRequest, Incoming } from '../../core/ports/request.ts'
import { sha256 } from '../../core/secrets/digest.ts'

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
 * The name of a counter (T14). Two different pairs never share a key: scopes have no colon, and kinds no underscore or
 * colon, so the identity begins after the last underscore before the first colon. A name that clients can choose freely is
 * replaced by its digest, and so is a name that looks like a digest.
 */
export function counterKey(scope: string, identity: string, seconds: number): string {
  const shown = PLAIN.test(identity) ? identity : digestOf(identity)
  return `throttle_${scope}_${shown}_${seconds}`
}

/** The key of requests that are being answered, beside a rate of the same scope. */
export function heldKey(scope: string, identity: string, seconds: number): string {
  return counterKey(scope, identity, seconds).replace('throttle', 'held')
}

/** A kind, a colon and a name. */
const PLAIN = /^(?!sha256:)[A-Za-z0-9.-]{1,20}:(?!sha256:)[\x21-\x7e]{1,100}$/

function digestOf(identity: string): string {
  const [kind] = /^(?!sha256:)[A-Za-z0-9.-]{1,20}:/.exec(identity) ?? ['']
  // JSON distinguishes halves of characters, which all look the same in UTF-8.
  return `${kind}sha256:${sha256(JSON.stringify(identity))}`
}

/** Names of scopes: they stand in keys, and in the fields that clients read. */
export const SCOPE: RegExp = /^[A-Za-z0-9._-]{1,60}$/
