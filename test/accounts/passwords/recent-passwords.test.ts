import { describe, expect, test } from 'vitest'
import {
  RecentPasswords,
  type SentPassword,
} from '../../../src/accounts/passwords/password-hasher.ts'

const RIGHT: SentPassword = { client: 'home', password: 'wonderland', encoded: 'hash' }
const WRONG = { ...RIGHT, password: 'Wonderland' }

function remembering(milliseconds = 1000) {
  const clock = { now: 5000 }
  const recent = new RecentPasswords(milliseconds, () => clock.now)
  recent.add(RIGHT)
  return { clock, recent, knows: (sent: SentPassword, once = false) => recent.knows(sent, once) }
}

describe('I6 passwords found right a moment ago', () => {
  test('are known for a while, together with their hash', () => {
    const { clock, knows } = remembering()
    expect(knows(RIGHT)).toBe(true)
    expect(knows(WRONG)).toBe(false)
    expect(knows({ ...RIGHT, encoded: 'new hash' })).toBe(false)
    clock.now += 999
    expect(knows(RIGHT)).toBe(true)
    clock.now += 1
    expect(knows(RIGHT)).toBe(false)
  })

  test('are known at the client that sent them, and nowhere else', () => {
    const { knows } = remembering()
    expect(knows({ ...RIGHT, client: 'elsewhere' }, true)).toBe(false)
    expect(knows(RIGHT)).toBe(true)
  })

  test('one guess at a time: a wrong one has the right one forgotten', () => {
    const { knows, recent } = remembering()
    expect([knows(RIGHT, true), knows(RIGHT, true)]).toEqual([true, true])
    expect([knows(WRONG, true), knows(RIGHT, true)]).toEqual([false, false])
    recent.add(RIGHT)
    expect(knows(RIGHT, true)).toBe(true)
  })

  test('are not known where that is switched off', () => {
    expect(remembering(0).knows(RIGHT)).toBe(false)
  })
})
