import fc from 'fast-check'
import { expect, test } from 'vitest'
import { counterKey, heldKey } from '../../../src/policies/throttling/counter-keys.ts'
import { sha256 } from '../../../src/core/secrets/digest.ts'
import { CHARACTER } from '../../setup/characters.ts'

test('T14 the form of a key', () => {
  expect(counterKey('anon', 'ip:203.0.113.7', 60)).toBe('throttle_anon_ip:203.0.113.7_60')
  expect(counterKey('user', 'ip:2001:db8::/64', 60)).toBe('throttle_user_ip:2001:db8::/64_60')
  expect(heldKey('a', 'user:7', 60)).toBe('held_a_user:7_60')
})

const long = `tenant:${'x'.repeat(200)}`
const digest = (text: string): string => sha256(JSON.stringify(text))

type Pair = readonly [scope: string, identity: string, seconds: number]

test.each<[string, Pair, Pair]>([
  ['an address and a user of its name', ['s', 'ip:1.1.1.1', 1], ['s', 'user:1.1.1.1', 1]],
  ['scopes that end as an identity begins', ['a', 'b_user:1', 1], ['a_b', 'user:1', 1]],
  ['scopes that end as one without a kind begins', ['a', 'b_user:1', 1], ['a_b', 'user:1', 1]],
  ['identities without a kind', ['a', 'b_c', 1], ['a_b', 'c', 1]],
  ['windows in an identity', ['s', 'user:1_60', 5], ['s', 'user:1', 60]],
  ['windows that an identity ends with', ['s', 'user:1_6', 5], ['s', 'user:1', 65]],
  [
    'an identity that is written as a digest',
    ['s', long, 1],
    ['s', `tenant:sha256:${digest(long)}`, 1],
  ],
  [
    'one that is written as a digest without a kind',
    ['s', 'no kind', 1],
    ['s', `sha256:${digest('no kind')}`, 1],
  ],
  ['long ones that differ at the end', ['s', `${long}a`, 1], ['s', `${long}b`, 1]],
  ['long ones of different kinds', ['s', `a${long}`, 1], ['s', `b${long}`, 1]],
  ['halves of characters', ['s', 'user:\ud800', 1], ['s', 'user:\ud801', 1]],
  ['characters that look the same', ['s', 'user:é', 1], ['s', 'user:e\u0301', 1]],
  ['a space', ['s', 'user:1', 1], ['s', 'user:1 ', 1]],
  ['cases', ['s', 'user:A', 1], ['s', 'user:a', 1]],
  ['zeros', ['s', 'user:1', 1], ['s', 'user:1\0', 1]],
  ['nothing', ['s', 'user:', 1], ['s', ':', 1]],
  ['no identity at all', ['s', '', 1], ['s', 'sha256:', 1]],
])('%s: two keys', (_title, one, other) => {
  expect(counterKey(...one)).not.toBe(counterKey(...other))
})

test('a rate and what is being answered are counted apart, whatever their scopes', () => {
  expect(heldKey('a', 'user:1', 60)).not.toBe(counterKey('a.held', 'user:1', 60))
  expect(heldKey('a', 'user:1', 60)).not.toBe(counterKey('a', 'user:1', 60))
})

const scopes = fc.stringMatching(/^[A-Za-z0-9._-]{1,6}$/)
const pieces = fc.constantFrom(
  '_',
  ':',
  'a',
  '1',
  '60',
  'user:',
  'ip:',
  'sha256:',
  'é',
  '\ud800',
  '.',
)
const identities = fc.oneof(
  fc.array(pieces, { maxLength: 8 }).map((some) => some.join('')),
  fc.string({ unit: CHARACTER, maxLength: 300 }),
)
const pairs = fc.tuple(scopes, identities, fc.constantFrom(1, 6, 60, 160))

test('no two pairs of scope, identity and window make one key', () => {
  const seen = new Map<string, string>()
  fc.assert(
    fc.property(pairs, pairs, (one, other) => {
      for (const pair of [one, other]) {
        const key = counterKey(...pair)
        const known = seen.get(key) ?? JSON.stringify(pair)
        expect(JSON.stringify(pair)).toBe(known)
        seen.set(key, known)
      }
    }),
    { numRuns: 20_000 },
  )
})

test('a key is short and printable, whatever a client sends', () => {
  fc.assert(
    fc.property(scopes, fc.string({ unit: CHARACTER, maxLength: 20_000 }), (scope, identity) => {
      expect(counterKey(scope, `ip:${identity}`, 31_622_400)).toMatch(/^[\x21-\x7e]{1,250}$/)
    }),
    { numRuns: 300 },
  )
  expect(
    counterKey('s'.repeat(60), `${'k'.repeat(20)}:${'x'.repeat(100)}`, 31_622_400).length,
  ).toBe(9 + 60 + 1 + 121 + 1 + 8)
})
