import { describe, expect, test } from 'vitest'
import { ConfigurationError } from '../../../src/core/errors/configuration-error.ts'
import { type Ordering, sortKeys } from '../../../src/core/settings/ordering-terms.ts'

const up = (field: string) => ({ field, descending: false, nulls: 'first' })
const down = (field: string) => ({ field, descending: true, nulls: 'last' })

describe('an ordering', () => {
  test.each<[Ordering, unknown[]]>([
    ['created', [up('created')]],
    ['-created', [down('created')]],
    [['-created'], [down('created')]],
    [
      ['-created', 'id'],
      [down('created'), up('id')],
    ],
    [{ field: 'rank' }, [up('rank')]],
    [{ field: 'rank', descending: true }, [down('rank')]],
    [{ field: 'rank', nulls: 'last' }, [{ ...up('rank'), nulls: 'last' }]],
    [
      [{ field: 'rank', descending: true, nulls: 'first' }, '-id'],
      [{ ...down('rank'), nulls: 'first' }, down('id')],
    ],
    // Only an object can name a field that begins like a direction.
    [{ field: '-odd' }, [up('-odd')]],
    ['author.name', [up('author.name')]],
    ['author__name', [up('author__name')]],
    // What is equal in a field is equal in it again.
    [
      ['id', '-id', { field: 'id' }, 'title'],
      [up('id'), up('title')],
    ],
  ])('C21, I1: %j', (ordering, keys) => {
    expect(sortKeys(ordering)).toEqual(keys)
  })

  test.each<unknown>([
    null,
    undefined,
    '',
    '-',
    '--created',
    [],
    [''],
    ['created', null],
    ['created', ['id']],
    7,
    true,
    {},
    { field: '' },
    { field: 7 },
    { field: 'id', descending: 'yes' },
    { field: 'id', nulls: 'middle' },
    { field: 'id', nulls: null },
  ])('C22: %j is none', (ordering) => {
    expect(() => sortKeys(ordering as Ordering)).toThrow(ConfigurationError)
    expect(() => sortKeys(ordering as Ordering)).toThrow('An ordering names fields')
  })
})
