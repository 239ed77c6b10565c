import { describe, expect, test } from 'vitest'
import { checksIn, rulesOf, tokensIn } from '../../../src/storage/sql/checks.ts'
import { expectLinear } from '../../setup/linear.ts'

const columns = ['x', 'status', 'Größe', 'y']
const rules = (check: string) => rulesOf(tokensIn(check), columns)

describe('what a check asks of a column', () => {
  test.each([
    ['x >= 0', [{ column: 'x', min: 0 }]],
    ['0 < X', [{ column: 'x', min: 0, isOpen: true }]],
    ['x between -1 and 5.5', [{ column: 'x', min: -1, max: 5.5 }]],
    [
      'x > 0 and x < 10',
      [
        { column: 'x', min: 0, isOpen: true },
        { column: 'x', max: 10, isOpen: true },
      ],
    ],
    [`status in ('it''s', 'b', 'b')`, [{ column: 'status', values: ["it's", 'b'] }]],
    ['[x] in (1, 2)', [{ column: 'x', values: [1, 2] }]],
    [`"Größe" is null or "Größe" <= 3`, [{ column: 'Größe', max: 3 }]],
    [
      'x is null or (x > 0 and x < 10)',
      [
        { column: 'x', min: 0, isOpen: true },
        { column: 'x', max: 10, isOpen: true },
      ],
    ],
    ['length(status) <= 5', [{ column: 'status', max: 5, ofLength: true }]],
    ['length(status) = 36', [{ column: 'status', min: 36, max: 36, ofLength: true }]],
    [`length(coalesce(status, '')) <= 5`, [{ column: 'status', max: 5, ofLength: true }]],
    [`typeof(x) in ('integer', 'null')`, [{ column: 'x' }]],
    ['date(x) is x', [{ column: 'x' }]],
    // As PostgreSQL writes it
    [
      '((x >= 1901) AND (x <= 2155))',
      [
        { column: 'x', min: 1901 },
        { column: 'x', max: 2155 },
      ],
    ],
    [
      `((status)::text = ANY ((ARRAY['a'::character varying, 'b'::character varying])::text[]))`,
      [{ column: 'status', values: ['a', 'b'] }],
    ],
    [`(x = ANY (ARRAY[1, 2]))`, [{ column: 'x', values: [1, 2] }]],
    [`(x >= '-90'::integer)`, [{ column: 'x', min: -90 }]],
    [`(char_length((status)::text) >= 2)`, [{ column: 'status', min: 2, ofLength: true }]],
    // As MariaDB and MySQL write it
    ["(`status` in (_utf8mb4'a',_utf8mb4'b'))", [{ column: 'status', values: ['a', 'b'] }]],
  ])('%s', (check, expected) => expect(rules(check)).toEqual(expected))

  test.each([
    'x > y',
    'x <> 3',
    'not x > 3',
    'lower(status) = status',
    `status = 'a' or x > 1`,
    `status in (null, 'a')`,
    'x > 1 and x > y',
    'x in (select 1)',
    'x % 2 = 1',
    'x + 1 > 2',
    'date(x) is y',
    'date(x) > 1',
    'unknown > 1',
    'length(status, x) > 1 and',
    ')(',
    '',
  ])('only the database knows: %s', (check) => expect(rules(check)).toBeNull())
})

test('the checks of a statement are found, but not in texts and comments', () => {
  const statement = `create table "check (1)" (
    x int check (x > 0), -- check (x > 1)
    status text /* check (x > 2) */ check (status in ('check (', ')')),
    constraint c check ((x < 3)))`
  const found = checksIn(statement).map((check) => rulesOf(check, columns))
  expect(found).toEqual([
    [{ column: 'x', min: 0, isOpen: true }],
    [{ column: 'status', values: ['check (', ')'] }],
    [{ column: 'x', max: 3, isOpen: true }],
  ])
})

test.each(['(', 'x and ', "'", '"', 'check (', '/*', '((x)'])(
  'a check costs what its length costs: %s',
  (text) => expectLinear((size) => rules(text.repeat(size)), { size: 500 }),
)
