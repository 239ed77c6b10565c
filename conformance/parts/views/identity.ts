import type { Token } from 'colophon'
import type { Request } from '../../request.ts'
import { Guest } from '../settings.ts'
import { isUser } from '../users.ts'
import type { View } from './view.ts'

/** Who is asking, as the request knows it. */
export function identify({ user, auth, authenticator, method }: Request): object {
  return {
    user: showUser(user),
    auth: isToken(auth) ? { kind: 'token', key: auth.key, user: auth.user.username } : auth,
    authenticator: authenticator?.constructor.name ?? null,
    method,
  }
}

function showUser(user: unknown): object {
  if (user === null) return { kind: 'none' }
  if (user instanceof Guest) return { kind: 'guest', username: user.username }
  if (!isUser(user)) return { kind: 'anonymous' }
  return { kind: 'user', id: user.id, username: user.username, is_staff: user.isStaff }
}

function isToken(auth: unknown): auth is Token {
  return typeof auth === 'object' && auth !== null && 'key' in auth && 'user' in auth
}

export const identity: View = {
  verbs: (endpoint) =>
    endpoint.get(identify).post(identify).put(identify).patch(identify).delete(identify),
}

export const identityGet: View = { verbs: (endpoint) => endpoint.get(identify) }

export const identityPost: View = { verbs: (endpoint) => endpoint.post(identify) }

export const noMetadata: View = {
  settings: { metadata: null },
  verbs: (endpoint) => endpoint.get(identify),
}

/** No method of its own. */
export const bare: View = { verbs: (endpoint) => endpoint }
