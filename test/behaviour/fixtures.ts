import { expect } from 'vitest'
import {
  type Identity,
  type Incoming,
  type Logger,
  type Token,
  type User,
  configurationOf,
} from '../../src/index.ts'
import type { Authenticator, Permission, Throttle, TokenVerifier } from '../../src/types.ts'

/** Nobody said anything: no file and no environment reaches a test. */
export const quiet = { configuration: configurationOf() }

export function user(username: string, facts: Partial<User> = {}): User {
  return {
    isAuthenticated: true,
    id: 1,
    username,
    email: `${username}@example.com`,
    isActive: true,
    isStaff: false,
    isSuperuser: false,
    dateJoined: new Date(0),
    lastLogin: null,
    ...facts,
  }
}

export const ada = user('ada', { id: 1, isStaff: true })
export const bob = user('bob', { id: 2 })
export const eve = user('eve', { id: 3, isActive: false })

/** Keys and whose they are: `k-ada`, `k-bob`, `k-eve` (who is inactive), and one that is not ASCII. */
export const tokens: TokenVerifier = {
  verify: (key) => KEYS.get(key) ?? null,
}

const token = (key: string, owner: User): [string, Token] => [
  key,
  { key, user: owner, created: new Date(0) },
]
const KEYS = new Map([
  token('k-ada', ada),
  token('k-bob', bob),
  token('k-eve', eve),
  token('clé', bob),
  token('k\u00a0bob', bob),
])

/** A scheme made of one function. */
export function scheme(
  authenticate: (request: Incoming) => Identity | null | Promise<Identity | null>,
  challenge?: string | null,
): Authenticator {
  if (challenge === undefined) return { authenticate }
  return { authenticate, authenticateHeader: () => challenge }
}

/** Names the user of a header: `X-User: ada`. */
export const byHeader = (challenge?: string | null): Authenticator =>
  scheme((request) => {
    const username = request.header('x-user')
    return username === null ? null : { user: user(username), auth: null }
  }, challenge)

export const failing = (error: unknown, challenge?: string | null): Authenticator =>
  scheme(() => {
    throw error
  }, challenge)

/** A permission that answers the same to everybody. */
export function says(
  verdict: boolean | null,
  facts: Omit<Permission, 'hasPermission'> = {},
): Permission {
  return { ...facts, hasPermission: () => verdict }
}

/** A throttle that counts and refuses, or admits. */
export function counting(wait: number | null | 'admit'): Throttle & { asked: number } {
  return {
    asked: 0,
    admit() {
      this.asked += 1
      return wait === 'admit' ? { allowed: true } : { allowed: false, wait }
    },
  }
}

/** A log to look at. */
export function notebook(): Logger & { records: Readonly<Record<string, unknown>>[] } {
  const records: Readonly<Record<string, unknown>>[] = []
  return { records, error: (record) => void records.push(record) }
}

/** The ids 1 … `count`, as a source that tells what it was asked. */
export function numbers(count: number): {
  asked: string[]
  count(): number
  slice(offset: number, limit: number): number[]
} {
  const all = Array.from({ length: count }, (_, index) => index + 1)
  const asked: string[] = []
  return {
    asked,
    count() {
      asked.push('count')
      return count
    },
    slice(offset, limit) {
      asked.push(`slice ${offset} ${limit}`)
      return all.slice(offset, offset + limit)
    },
  }
}

/** The body of an error with one message. */
export const DETAIL = { detail: expect.any(String) as unknown }

/** An address table with a path for each name: `{ open: '/open/' }`. */
export function addresses(names: readonly string[]): Record<string, `/${string}`> {
  const table: Record<string, `/${string}`> = {}
  for (const name of names) table[name] = `/${name}/`
  return table
}
