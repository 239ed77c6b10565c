import { describe, expect, test } from 'vitest'
import { RecentPasswords } from '../../../src/accounts/passwords/password-hasher.ts'

describe('I6 passwords found right a moment ago', () => {
  test('are known for a while, together with their hash', () => {
    let now = 5000
    const recent = new RecentPasswords(1000, () => now)
    recent.add('wonderland', 'hash')
    expect(recent.knows('wonderland', 'hash')).toBe(true)
    expect(recent.knows('Wonderland', 'hash')).toBe(false)
    expect(recent.knows('wonderland', 'new hash')).toBe(false)
    now += 999
    expect(recent.knows('wonderland', 'hash')).toBe(true)
    now += 1
    expect(recent.knows('wonderland', 'hash')).toBe(false)
  })

  test('are not known where that is switched off', () => {
    const recent = new RecentPasswords(0, () => 0)
    recent.add('wonderland', 'hash')
    expect(recent.knows('wonderland', 'hash')).toBe(false)
  })
})
