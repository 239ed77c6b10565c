// Faults that make a cursor lose or repeat rows, each as a change of the sources' text.

/** A text that occurs once in the file, and its replacement. */
export interface Fault {
  readonly name: string
  readonly file: string
  readonly from: string
  readonly to: string
  /** The suite that has to fail. @default the proofs */
  readonly suite?: string
}

export const CURSOR_FAULTS: readonly Fault[] = [
  {
    name: 'the tie-breaker is dropped',
    file: 'src/resources/lists/order.ts',
    from: '!isOrdered(column)',
    to: '!isOrdered(column) && key.length === 0',
  },
  {
    name: '< in place of <=',
    file: 'src/storage/sql/seek-steps.ts',
    from: `(orEqual ? '<=' : '<') : orEqual ? '>=' : '>'`,
    to: `'<' : '>'`,
  },
  {
    name: 'a timestamp as ISO text with milliseconds',
    file: 'src/storage/postgres/value-kinds.ts',
    from: `{ ...WRITTEN, ...LISTED, stored: utcText, meant: (value) => withEra(means.momentValue(value)) },`,
    to: `{ ...WRITTEN, ...LISTED, meant: means.momentValue, kept: (value) => new Date(value + 'Z').toISOString() },`,
  },
  {
    name: 'the NULL arm is removed',
    file: 'src/storage/sql/seek-steps.ts',
    from: 'nullable && !nullsFirst ? or(further, isNull(node)) : further',
    to: 'further',
  },
  {
    name: 'rows read backwards stay so',
    file: 'src/storage/sql/seek.ts',
    from: 'reverse ? kept.toReversed() : kept',
    to: 'kept',
  },
  {
    name: 'NULLs stay at their end where the order is turned round',
    file: 'src/storage/sql/order.ts',
    from: 'nullsFirst: !term.nullsFirst',
    to: 'nullsFirst: term.nullsFirst',
  },
  {
    name: 'the other half of the first key, NULLs or values, is not read',
    file: 'src/storage/sql/seek-steps.ts',
    from: 'inOrder.slice(here)',
    to: 'inOrder.slice(here, here + 1)',
  },
  {
    name: 'the NULLs behind the values are no range',
    file: 'src/storage/sql/seek-steps.ts',
    from: '[values, isNull(node)]',
    to: '[values]',
  },
  {
    name: 'the last ties are left out on SQLite and PostgreSQL',
    file: 'src/storage/sql/seek-steps.ts',
    from: `.toReversed()
    .flat()`,
    to: `.toReversed()
    .slice(1)
    .flat()`,
  },
  {
    name: 'what lies beyond is read before the ties',
    file: 'src/storage/sql/seek-steps.ts',
    from: `    })
    .toReversed()
    .flat()`,
    to: `    })
    .flat()`,
  },
  {
    name: 'only the first range is read on PostgreSQL',
    file: 'src/storage/postgres/open.ts',
    from: '[...ranges, LIMIT]',
    to: '[ranges[0]!, ...ranges.slice(1).map(() => ranges[0]!), LIMIT]',
  },
  {
    name: 'a row value goes on over another direction on PostgreSQL',
    file: 'src/storage/postgres/open.ts',
    from: ' || descending !== first.descending',
    to: '',
  },
  {
    name: 'a row value goes on over NULLs on PostgreSQL',
    file: 'src/storage/postgres/open.ts',
    from: '(nullable || first.value',
    to: '(first.value',
  },
  {
    name: 'a range ends too early for the page',
    file: 'src/storage/sql/seek.ts',
    from: 'Math.ceil(Math.log2(limit))',
    to: 'Math.floor(Math.log2(limit))',
  },
  {
    name: 'ties are left out on MariaDB',
    file: 'src/storage/mysql/open.ts',
    from: 'or(behindIn([first!]), and(sameIn(first!), alternatives(rest)))',
    to: 'behindIn([first!])',
  },
  {
    name: 'integers of 64 bits go through a number',
    file: 'src/policies/pagination/cursor.ts',
    from: `return ['i', String(value)]`,
    to: 'return Number(value)',
  },
  {
    name: 'there is always more behind a full page',
    file: 'src/storage/sql/seek.ts',
    from: 'more: rowCount(found) > requested',
    to: 'more: rowCount(found) >= requested',
  },
  {
    name: 'back begins at the last row',
    file: 'src/policies/pagination/cursor.ts',
    from: '{ reverse: true, position: first }',
    to: '{ reverse: true, position: last }',
  },
  {
    name: 'cursors are not authenticated',
    file: 'src/core/secrets/seal.ts',
    from: 'timingSafeEqual(this.#tagOf(associated, plain), tag) ? plain : null',
    to: 'plain',
    suite: 'test/policies/pagination/cursor-fuzz.test.ts',
  },
]
