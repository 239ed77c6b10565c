import { describe, expect, test } from 'vitest'
import { ConfigurationError, CursorPagination } from '../../../src/index.ts'
import { SERVICE_DEFAULTS } from '../../../src/core/settings/service-keys.ts'

type Check = NonNullable<CursorPagination['check']>
const style = new CursorPagination({ pageSize: 2, ordering: ['-created', 'id'] })
const facts = { hasSecret: true } as Parameters<Check>[0]
const checked = (source: object): string | null =>
  style.check(facts, { source } as unknown as Parameters<Check>[1])
const seek = (): never => {
  throw new Error('Nothing is read at the start.')
}

describe('what a style of cursors misses at the start', () => {
  test('a secret', () => {
    expect(style.check({ ...facts, hasSecret: false })).toMatch(/^needs SECRET_KEY/)
    expect(style.check(facts)).toBeNull()
  })

  test('a source that can seek', () => {
    expect(checked({})).toMatch(/^needs a source with seek\(\): take sqlSource/)
    expect(checked({ seek: true })).toMatch(/^needs a source with seek\(\)/)
    expect(checked({ seek })).toBeNull()
  })

  test('a source that has the order: all of it is named, with what the source says', () => {
    const orderBy = (): never => {
      throw new ConfigurationError('there is no such column')
    }
    expect(checked({ seek, orderBy })).toBe('orders by "created", "id": there is no such column')
    expect(checked({ seek, orderBy: () => ({}) })).toBeNull()
  })

  test('under the name that its column has, where a serializer calls it otherwise', () => {
    const orderBy = (): never => {
      throw new ConfigurationError('there is no such column')
    }
    const named = (names: object): string | null => {
      const list = { source: { seek, orderBy }, names: new Map(Object.entries(names)) }
      return style.check(facts, list as unknown as Parameters<Check>[1])
    }
    const created = { column: 'made_at' }
    expect(named({ created, id: {} })).toBe('orders by "made_at", "id": there is no such column')
    const plain = 'orders by "created", "id": there is no such column'
    expect(named({ created: { ...created, problem: 'It is hidden.' } })).toBe(plain)
  })

  test('what goes wrong otherwise is no matter of the order', () => {
    const orderBy = (): never => {
      throw new TypeError('broken')
    }
    expect(() => checked({ seek, orderBy })).toThrow(TypeError)
  })
})

test('a page of cursors counts nothing and passes nothing over', () => {
  const settings = SERVICE_DEFAULTS as unknown as Parameters<typeof style.bounds>[0]
  expect(style.bounds(settings)).toEqual({
    rows: 2,
    offset: 0,
    count: 0,
  })
})
