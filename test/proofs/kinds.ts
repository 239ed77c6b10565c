import { type DialectName } from '../setup/dialects.ts'
// The columns that lists are ordered by in the proofs, with values chosen to be confused with each other.
import fc from 'fast-check'

export type Dialect = DialectName

/** What a statement binds. Most values are texts, which every database turns into the type of the column. */
export type Value = string | number | Uint8Array | null

/** A kind of column: how each database declares it, and what stands in it. */
export interface Kind {
  readonly name: string
  /** A database that is not named has no such column. */
  readonly types: Readonly<Partial<Record<Dialect, string>>>
  readonly value: (dialect: Dialect) => fc.Arbitrary<Value>
  /** Stands for a value that is never NULL, where a table has other columns in use. @default NULL may be there */
  readonly instead?: string
}

/** The collation of PostgreSQL for which `a` and `A` are the same; made by `CREATE_COLLATION`. */
export const CREATE_COLLATION = `create collation proof_ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`

const digits = (length: number): fc.Arbitrary<string> =>
  fc
    .integer({ min: 0, max: 10 ** length - 1 })
    .map((number) => String(number).padStart(length, '0'))

const bigint = (min: bigint, max: bigint): fc.Arbitrary<string> =>
  fc.bigInt({ min, max }).map(String)

/** Neighbours beyond 2^53, which no JavaScript number can tell apart. */
const beyondNumbers = fc.oneof(
  bigint(2n ** 53n - 2n, 2n ** 53n + 6n),
  bigint(-(2n ** 53n) - 6n, -(2n ** 53n) + 2n),
  bigint(2n ** 63n - 4n, 2n ** 63n - 1n),
  bigint(-(2n ** 63n), -(2n ** 63n) + 3n),
  bigint(-3n, 3n),
)

/** 28 digits, then 10 that differ in the last ones. */
const decimal = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.constantFrom('0', '1', '12345678901234567890123456', '9999999999999999999999999999'),
    fc.constantFrom('00000000', '99999999'),
    digits(2),
  )
  .map(([sign, whole, zeros, last]) => `${sign}${whole}.${zeros}${last}`)

/** All within one millisecond. */
const microseconds = digits(3).map((last) => `2026-03-01 12:00:00.123${last}`)

const moment = fc.oneof(
  { weight: 6, arbitrary: microseconds },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '1969-12-31 23:59:59.999999',
      '1969-12-31 23:59:59.999998',
      '1999-12-31 00:00:00.000001',
      '2037-01-01 00:00:00',
    ),
  },
)

const WORDS = [
  ['', ' ', 'a', 'A', 'a ', 'aa', 'Aa', 'b', 'B', 'ab', 'a-b', 'a.b', 'a_b', 'a%', "a'", 'a"b'],
  ['é', 'É', 'e', 'e\u0301', 'E', 'ä', 'Ä', 'ss', 'ß', 'i', 'İ', 'ı', 'ñ', 'n', 'z', 'Z', 'Å'],
  ['😀', '😁', '😀a', '👩‍👩‍👧', '👩', '日本', '\uFFFD', '~', '!', '?', '#', '\\', '\\n', '\n', '\t'],
  ['null', 'NULL', '0', '1', '10', '9', 'true', '+', '&=', '%25', '{}', '[]'],
  [`${'x'.repeat(300)}a`, `${'x'.repeat(300)}b`],
].flat()

const text = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 4 }).map(storable) },
)

/** PostgreSQL keeps no NUL in a text. */
function storable(value: string): string {
  return value.replaceAll('\0', '')
}

const FLOATS = [0, 0.1, 0.1 + Number.EPSILON / 8, 0.30000000000000004, 0.3, 1e15, 1e300, 5e-324]
const float = (dialect: Dialect): fc.Arbitrary<Value> =>
  fc.constantFrom(
    ...FLOATS,
    ...FLOATS.map((value) => -value),
    ...(dialect === 'mysql' ? [] : [Infinity, -Infinity]),
    ...(dialect === 'postgres' ? [NaN] : []),
  )

/** MariaDB 10.11 takes no later version than the fifth. */
const uuid = fc.oneof(
  fc.uuid({ version: [1, 4, 5] }),
  digits(2).map((last) => `0190a0b0-c0d0-4000-8000-0000000000${last}`),
)

const bytes = fc.uint8Array({ maxLength: 3, max: 255 }).map((array) => Buffer.from(array))

const whole = (value: fc.Arbitrary<Value>) => (): fc.Arbitrary<Value> => value

const OPTIONAL: readonly Kind[] = [
  {
    name: 'c_int',
    types: { sqlite: 'integer', postgres: 'integer', mysql: 'integer' },
    value: whole(fc.integer({ min: -3, max: 3 }).map(String)),
  },
  {
    name: 'c_big',
    types: { sqlite: 'integer', postgres: 'bigint', mysql: 'bigint' },
    value: whole(beyondNumbers),
  },
  {
    name: 'c_decimal',
    types: { sqlite: 'text', postgres: 'numeric(38,10)', mysql: 'decimal(38,10)' },
    value: whole(decimal),
  },
  {
    name: 'c_moment',
    types: { sqlite: 'text', postgres: 'timestamp(6)', mysql: 'datetime(6)' },
    value: whole(moment),
  },
  {
    name: 'c_instant',
    types: { sqlite: 'text', postgres: 'timestamptz(6)', mysql: 'timestamp(6) null' },
    value: (dialect) => (dialect === 'mysql' ? microseconds : moment),
  },
  {
    name: 'c_day',
    types: { sqlite: 'text', postgres: 'date', mysql: 'date' },
    value: whole(fc.constantFrom('2026-03-01', '2026-03-02', '1969-12-31', '1970-01-01')),
  },
  {
    name: 'c_text',
    types: {
      sqlite: 'text',
      postgres: 'text',
      mysql: 'varchar(400) character set utf8mb4 collate utf8mb4_bin',
    },
    value: whole(text),
  },
  {
    name: 'c_words',
    types: {
      sqlite: 'text collate rtrim',
      postgres: 'varchar(400) collate "und-x-icu"',
      mysql: 'varchar(400) character set utf8mb4 collate utf8mb4_general_ci',
    },
    value: whole(text),
  },
  {
    name: 'c_folded',
    types: {
      sqlite: 'text collate nocase',
      postgres: 'text collate proof_ci',
      mysql: 'varchar(400) character set utf8mb4 collate utf8mb4_unicode_520_ci',
    },
    value: whole(text),
  },
  {
    name: 'c_bool',
    types: { sqlite: 'integer', postgres: 'boolean', mysql: 'boolean' },
    value: whole(fc.constantFrom('0', '1')),
  },
  {
    name: 'c_uuid',
    types: { sqlite: 'text', postgres: 'uuid', mysql: 'uuid' },
    value: whole(uuid),
  },
  {
    name: 'c_bytes',
    types: { sqlite: 'blob', postgres: 'bytea', mysql: 'varbinary(20)' },
    value: whole(bytes),
  },
  {
    name: 'c_float',
    types: { sqlite: 'real', postgres: 'double precision', mysql: 'double' },
    value: float,
  },
  {
    name: 'c_any',
    types: { sqlite: '' },
    value: whole(
      fc.constantFrom<Value>(
        1,
        1.5,
        2,
        '1',
        '10',
        '9',
        'a',
        '',
        Buffer.from('1'),
        Buffer.from('a'),
      ),
    ),
  },
]

/** Some of them once more, as columns that are never NULL: those are compared in other ways. */
const INSTEAD: Readonly<Record<string, string>> = {
  c_int: '0',
  c_big: '0',
  c_decimal: '0',
  c_moment: "'2026-03-01 12:00:00'",
  c_text: "''",
  c_words: "''",
  c_folded: "''",
}

const REQUIRED: readonly Kind[] = OPTIONAL.flatMap((kind) => {
  const instead = INSTEAD[kind.name]
  return instead === undefined ? [] : [{ ...kind, name: `${kind.name}_there`, instead }]
})

/** The kinds that a database has. */
export function kindsOf(dialect: Dialect): readonly Kind[] {
  return [...OPTIONAL, ...REQUIRED].filter(({ types }) => types[dialect] !== undefined)
}

/** How a table declares a column. */
export function declaration({ name, types, instead }: Kind, dialect: Dialect): string {
  return `${name} ${types[dialect]}${instead === undefined ? '' : ` not null default ${instead}`}`
}
