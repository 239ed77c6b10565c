// Faults that make a cursor lose or repeat rows, each as a change to the text of the sources.

/** A text that is in the file once, and what takes its place. */
export interface Fault {
  readonly name: string
  readonly file: string
  readonly from: string
  readonly to: string
  /** What has to fail. @default the proofs */
  readonly suite?: string
}

export const CURSOR_FAULTS: readonly Fault[] = [
  {
    name: 'the tie-breaker is dropped',
    file: 'src/sql/query/list-query.ts',
    from: 'if (missing.has(identity(field)))',
    to: 'if (wanted.size === 0)',
  },
  {
    name: '< in place of <=',
    file: 'src/sql/seek/behind.ts',
    from: `operation(tuple(run, nodeOf), term.descending ? '<=' : '>=', tuple(run, valueOf))`,
    to: `operation(tuple(run, nodeOf), term.descending ? '<' : '>', tuple(run, valueOf))`,
  },
  {
    name: 'a timestamp as ISO text with milliseconds',
    file: 'src/databases/postgres/kinds.ts',
    from: `['timestamp', { ...WRITTEN, meant: moment }]`,
    to: `['timestamp', { ...WRITTEN, meant: moment, kept: (value) => new Date(value + 'Z').toISOString() }]`,
  },
  {
    name: 'the NULL arm is removed',
    file: 'src/sql/seek/behind.ts',
    from: `'<' : '>', valueOf(run[0]!))
  return term.nullsFirst ? further : or(further, isNull(term.node))`,
    to: `'<' : '>', valueOf(run[0]!))
  return further`,
  },
  {
    name: 'rows read backwards stay so',
    file: 'src/sql/seek/seek-plan.ts',
    from: 'reverse ? kept.toReversed() : kept',
    to: 'kept',
  },
  {
    name: 'NULLs stay at their end where the order is turned round',
    file: 'src/sql/seek/terms.ts',
    from: 'nullsFirst: !term.nullsFirst',
    to: 'nullsFirst: term.nullsFirst',
  },
  {
    name: 'the other half of the first key, NULLs or values, is not read',
    file: 'src/sql/seek/seek-steps.ts',
    from: '[{ ...whole, part: here! }, last]',
    to: '[{ ...whole, part: here! }]',
  },
  {
    name: 'the NULL arm is removed on SQLite',
    file: 'src/sql/seek/seek-steps.ts',
    from: `value === null ? [] : ['values', 'nulls']`,
    to: `value === null ? [] : ['values']`,
  },
  {
    name: 'the last ties are left out on SQLite',
    file: 'src/sql/seek/seek-steps.ts',
    from: `.toReversed()
    .flat()`,
    to: `.toReversed()
    .slice(1)
    .flat()`,
  },
  {
    name: 'ties are left out on MariaDB',
    file: 'src/sql/seek/behind.ts',
    from: 'or(strictlyBehind([first!]), and(same(first!), alternatives(rest)))',
    to: 'strictlyBehind([first!])',
  },
  {
    name: 'integers of 64 bits go through a number',
    file: 'src/pagination/cursor-start.ts',
    from: `return ['i', String(value)]`,
    to: 'return Number(value)',
  },
  {
    name: 'there is always more behind a full page',
    file: 'src/sql/seek/seek-plan.ts',
    from: 'found.length > wanted',
    to: 'found.length >= wanted',
  },
  {
    name: 'back begins at the last row',
    file: 'src/pagination/cursor-start.ts',
    from: 'from(first, true)',
    to: 'from(last, true)',
  },
  {
    name: 'cursors are not authenticated',
    file: 'src/std/crypto/seal.ts',
    from: 'timingSafeEqual(tagOf(mac, context, plain), tag) ? plain.toString() : null',
    to: 'plain.toString()',
    suite: 'test/pagination/cursor-fuzz.test.ts',
  },
]
