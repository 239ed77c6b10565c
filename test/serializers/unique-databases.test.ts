import { beforeAll, describe, expect, test } from 'vitest'
import { unique, uniqueTogether } from '../../src/index.ts'
import type { ReadContext } from '../../src/serializers/declaration.ts'
import { onLibraries } from '../behaviour/library.ts'

const at = (existing: unknown = null) => ({ existing, partial: false }) as ReadContext

describe.each(await onLibraries())('uniqueness on $on', ({ articles, reset }) => {
  let row: { id: number; title: string; slug: string; words: number }
  beforeAll(async () => {
    await reset()
    const fresh = { words: 10, author: 1, place: null, owner: 'ada' }
    row = await articles.insert({ ...fresh, title: 'Fjords', slug: 'Fjord-One' })
  })

  test('regardless of upper and lower case', async () => {
    const loose = unique(articles, 'slug', { ignoreCase: true })
    expect(await loose('fJORD-oNE', at())).toMatchObject({ code: 'unique' })
    expect(await loose('fJORD-oNE', at(row))).toBe(null)
    expect(await loose('fjord_one', at())).toBe(null)
    expect(await loose('fjord%', at())).toBe(null)
  })

  test('of a combination', async () => {
    const both = uniqueTogether(articles, ['slug', 'words'], { ignoreCase: ['slug'] })
    expect(await both({ slug: 'FJORD-ONE', words: 10 }, at())).toMatchObject({ code: 'unique' })
    expect(await both({ slug: 'FJORD-ONE', words: 11 }, at())).toBe(null)
    expect(await both({ slug: 'FJORD-ONE', words: 10 }, at(row))).toBe(null)
    expect(await both({ slug: 'FJORD-ONE', words: 'ten' }, at())).toBe(null)
  })
})
