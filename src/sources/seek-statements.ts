import {
  LimitNode,
  OrderByNode,
  type SelectQueryNode,
  ValueNode,
  WhereNode,
  ParensNode,
} from 'kysely'
import type { Position } from '../contract/source.ts'
import type { Database, Statement } from '../contract/storage.ts'
import { BoundedMap } from '../std/bounded-map.ts'
import { type PlacedTerm, Slot, behind } from './behind.ts'
import type { Compile } from './compiler.ts'
import { aliased } from './fields.ts'
import { type Truth, and, isNotNull, isNull, toNode } from './nodes.ts'
import { type ComparedTerm, isNative, orderItems, turned } from './terms.ts'

/** A part of the list that one range of an index can be: where the first key is NULL, where it is not. */
type Part = 'all' | 'nulls' | 'values'

/** One statement of a stretch: `from` is the position that its rows are behind. */
interface Step {
  readonly part: Part
  readonly from: Position | null
}

/** Gives the statement for so many rows. */
export type Read = (limit: number) => Statement

interface Compiled {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly limitAt: number
}

/** Texts that one order can have: two directions, three parts, and NULL or not for each key behind a position. */
const TEXTS = 64

export interface SeekStatementsOptions {
  readonly dialect: Database['dialect']
  /** The list with its hidden columns, without an order. */
  readonly query: SelectQueryNode
  /** The total order. */
  readonly terms: readonly ComparedTerm[]
  readonly compile: Compile
}

/** The statements of one order: compiled when first needed, and once. */
export class SeekStatements {
  readonly #options: SeekStatementsOptions
  readonly #backwards: readonly ComparedTerm[]
  readonly #texts = new BoundedMap<string, Compiled | null>(TEXTS)

  constructor(options: SeekStatementsOptions) {
    this.#options = options
    this.#backwards = turned(options.terms)
  }

  /** What to read one after another, until there are rows enough. */
  reads(position: Position | null, reverse: boolean): readonly Read[] {
    const terms = reverse ? this.#backwards : this.#options.terms
    return stepsOf(this.#options.dialect, terms[0]!, position).flatMap((step) => {
      const compiled = this.#textOf(step, reverse)
      return compiled === null ? [] : [(limit) => this.#filled(compiled, step.from, limit)]
    })
  }

  #textOf({ part, from }: Step, reverse: boolean): Compiled | null {
    const name = `${part}${reverse}${from === null ? '' : nullsIn(from)}`
    const known = this.#texts.get(name)
    if (known !== undefined) return known
    const text = this.#compile(part, from, reverse ? this.#backwards : this.#options.terms)
    this.#texts.set(name, text)
    return text
  }

  #compile(part: Part, from: Position | null, natural: readonly ComparedTerm[]): Compiled | null {
    const { dialect, query, compile } = this.#options
    const terms = termsOf(part, natural)
    const condition = and(isIn(part, natural[0]!, from), isBehind(dialect, part, terms, from))
    if (condition === false) return null
    const { sql, parameters } = compile({
      ...narrowed(query, condition),
      orderBy: OrderByNode.create(orderItems(dialect, orderedBy(dialect, part, terms))),
      limit: LimitNode.create(ValueNode.create(LIMIT)),
    })
    return { sql, parameters, limitAt: parameters.indexOf(LIMIT) }
  }

  #filled({ sql, parameters, limitAt }: Compiled, from: Position | null, limit: number): Statement {
    const values = parameters.slice()
    if (from !== null) fill(values, from, this.#options.terms)
    values[limitAt] = limit
    return { sql, parameters: values }
  }
}

const LIMIT = Symbol('limit')

function fill(values: unknown[], from: Position, terms: readonly ComparedTerm[]): void {
  for (let index = 0; index < values.length; index++) {
    const slot = values[index]
    if (!(slot instanceof Slot)) continue
    const value = from[slot.place]!
    const { sent } = terms[slot.place]!.kind
    values[index] = sent === undefined ? value : sent(value)
  }
}

function nullsIn(position: Position): string {
  let text = ''
  for (const value of position) text += value === null ? '0' : '1'
  return text
}

/**
 * Where the first key may be NULL, its NULLs and its values are read one after the other: as one
 * condition they would be no range of an index. MySQL makes one of them where its index has that order;
 * the others do without a position only.
 */
function stepsOf(
  dialect: Database['dialect'],
  first: ComparedTerm,
  position: Position | null,
): readonly Step[] {
  if (!first.nullable) return [{ part: 'all', from: position }]
  if (isNative(dialect, first) && (position === null || isOneRange(dialect, first, position)))
    return [{ part: 'all', from: position }]
  const [here, next]: readonly Part[] = first.nullsFirst ? ['nulls', 'values'] : ['values', 'nulls']
  const last: Step = { part: next!, from: null }
  if (position === null) return [{ part: here!, from: null }, last]
  const isInNext = (position[0] === null) === (next === 'nulls')
  return isInNext ? [{ ...last, from: position }] : [{ part: here!, from: position }, last]
}

/** Only NULLs behind NULLs would be sorted by MySQL, where nothing else is in the condition. */
function isOneRange(
  dialect: Database['dialect'],
  { nullsFirst }: ComparedTerm,
  position: Position,
): boolean {
  return dialect === 'mysql' && (nullsFirst || position[0] !== null)
}

/** Within a part the first key needs no word about NULLs, so that an index has its order. */
function termsOf(part: Part, [first, ...rest]: readonly ComparedTerm[]): readonly ComparedTerm[] {
  return part === 'all' ? [first!, ...rest] : [{ ...first!, nullable: false }, ...rest]
}

/** MySQL sorts by what is NULL everywhere; PostgreSQL knows the order of an index only with it. */
function orderedBy(
  dialect: Database['dialect'],
  part: Part,
  terms: readonly ComparedTerm[],
): readonly ComparedTerm[] {
  return dialect === 'mysql' && part === 'nulls' && terms.length > 1 ? terms.slice(1) : terms
}

function isIn(part: Part, { node }: ComparedTerm, from: Position | null): Truth {
  if (part === 'nulls') return isNull(node)
  // What is behind a value is no NULL.
  return part === 'values' && from === null ? isNotNull(node) : true
}

function isBehind(
  dialect: Database['dialect'],
  part: Part,
  terms: readonly ComparedTerm[],
  from: Position | null,
): Truth {
  if (from === null) return true
  const placed = terms.map((term, place): PlacedTerm => ({
    term,
    place,
    isNull: from[place] === null,
  }))
  if (part !== 'nulls') return behind(dialect, placed)
  // All of them are equal in the first key.
  return placed.length > 1 && behind(dialect, placed.slice(1))
}

/** The rows of a query that fulfil one more condition. */
export function narrowed(query: SelectQueryNode, condition: Truth): SelectQueryNode {
  if (condition === true) return query
  const node = toNode(condition)
  if (query.where === undefined) return { ...query, where: WhereNode.create(node) }
  const where = ParensNode.create(query.where.where)
  return {
    ...query,
    where: WhereNode.cloneWithOperation(WhereNode.create(where), 'And', node),
  }
}

/** The query with columns more, that no row shows. */
export function withHidden(
  query: SelectQueryNode,
  terms: readonly ComparedTerm[],
): SelectQueryNode {
  const more = terms.flatMap(({ hidden }, place) =>
    hidden === null ? [] : [aliased(hidden, `~${place}`)],
  )
  return { ...query, selections: [...(query.selections ?? []), ...more] }
}
