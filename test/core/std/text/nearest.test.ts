import { describe, expect, test } from 'vitest'
import { nearest } from '../../../../src/core/std/text/nearest.ts'
import { expectLinear } from '../../../setup/linear.ts'

describe('nearest', () => {
  for (const [title, word, candidates, expected] of [
    ['the word itself', 'int', ['str', 'int'], 'int'],
    ['a swap of neighbours is one edit', 'itn', ['iten', 'int'], 'iten'],
    ['a swap is nearer than two edits', 'itn', ['xtx', 'int'], 'int'],
    ['case does not count', 'PAGESIZE', ['pageSize'], 'pageSize'],
    ['a missing letter', 'pge', ['page', 'limit'], 'page'],
    ['a letter too many', 'pagge', ['limit', 'page'], 'page'],
    ['the first of equally near ones', 'cat', ['bat', 'rat'], 'bat'],
    ['two edits are near for a short word', 'id', ['int'], 'int'],
    ['three edits are not', 'abc', ['xyz'], null],
    ['a third of a long word is near', 'abcdefghijkl', ['abcdefghwxyz'], 'abcdefghwxyz'],
    ['more than a third is not', 'abcdefghi', ['abcdewxyz'], null],
    ['nothing to choose from', 'int', [], null],
    ['an empty word is near to nothing long', '', ['page'], null],
  ] as const) {
    test(title, () => expect(nearest(word, candidates)).toBe(expected))
  }

  test('a very long word costs what its length costs', async () => {
    const candidates = ['page', 'limit', 'offset']
    expect(nearest('x'.repeat(100_000), candidates)).toBeNull()
    await expectLinear((size) => nearest('x'.repeat(size), candidates), { size: 25_000 })
  })
})
