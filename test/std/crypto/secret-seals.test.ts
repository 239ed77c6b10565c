import { describe, expect, test } from 'vitest'
import { SecretSeals } from '../../../src/std/crypto/secret-seals.ts'

const under = (...secrets: string[]): SecretSeals => new SecretSeals(() => secrets)

describe('seals of several secrets', () => {
  test('what the first sealed opens under every ring that has it', () => {
    const sealed = under('new', 'old').seal('list', 'text')
    expect(sealed).toBe(under('new').seal('list', 'text'))
    expect(under('newest', 'new').unseal('list', sealed)).toBe('text')
    expect(under('a', 'b', 'new').unseal('list', sealed)).toBe('text')
  })

  test('what an older one sealed opens, until it is left out', () => {
    const sealed = under('old').seal('list', 'text')
    expect(under('new', 'old').unseal('list', sealed)).toBe('text')
    expect(under('new').unseal('list', sealed)).toBeNull()
  })

  test('the secrets are asked for on the first use, and once', () => {
    let asked = 0
    const seals = new SecretSeals(() => {
      asked += 1
      return ['secret']
    })
    expect(asked).toBe(0)
    expect(seals.unseal('', seals.seal('', 'text'))).toBe('text')
    expect(asked).toBe(1)
  })

  test('where there are none, that is said each time', () => {
    const seals = new SecretSeals(() => {
      throw new Error('There is no secret.')
    })
    expect(() => seals.seal('', 'text')).toThrow('no secret')
    expect(() => seals.unseal('', 'text')).toThrow('no secret')
  })
})
