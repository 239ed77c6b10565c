import {
  LimitNode,
  OrderByNode,
  type SelectQueryNode,
  ValueNode,
  WhereNode,
  ParensNode,
} from 'kysely'
import type { Position } from '../../contract/source.ts'
import type { Statement } from '../../contract/storage.ts'
import { BoundedMap } from '../../std/bounded-map.ts'
import { type PlacedTerm, Slot, behind, furtherIn, same } from './behind.ts'
import type { Compile } from '../query/compiler.ts'
import { aliased } from '../query/fields.ts'
import { type Truth, and, isNotNull, isNull, toNode } from '../query/nodes.ts'
import { type Part, type Step, stepsOf } from './seek-steps.ts'
import { type ComparedTerm, orderItems, turned } from './terms.ts'
import type { Dialect } from '../dialect.ts'

/** Gives the statement for so many rows. */
export type Read = (limit: number) => Statement

interface Compiled {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly limitAt: number
}

/** Texts that one order can have: two directions, parts, equal keys, and NULL or not for each key of a position. */
const TEXTS = 128

export interface SeekStatementsOptions {
  readonly dialect: Dialect
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
    return stepsOf(this.#options.dialect, terms, position).flatMap((step) => {
      const compiled = this.#textOf(step, reverse)
      return compiled === null ? [] : [(limit) => this.#filled(compiled, step.from, limit)]
    })
  }

  #textOf(step: Step, reverse: boolean): Compiled | null {
    const name = nameOf(step, reverse)
    const known = this.#texts.get(name)
    if (known !== undefined) return known
    const text = this.#compile(step, reverse ? this.#backwards : this.#options.terms)
    this.#texts.set(name, text)
    return text
  }

  #compile(step: Step, natural: readonly ComparedTerm[]): Compiled | null {
    const { dialect, query, compile } = this.#options
    const terms = termsOf(step.part, natural.slice(step.equal ?? 0))
    const condition = conditionOf(dialect, step, natural, terms)
    if (condition === false) return null
    const { sql, parameters } = compile({
      ...narrowed(query, condition),
      orderBy: OrderByNode.create(orderItems(dialect, orderedBy(dialect, step.part, terms))),
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

function nameOf({ part, from, equal }: Step, reverse: boolean): string {
  const compared = equal === null ? from : from!.slice(0, equal + 1)
  let name = `${part}${reverse}${equal}`
  for (const value of compared ?? []) name += value === null ? '0' : '1'
  return name
}

/** Within a part the first key needs no word about NULLs, so that an index has its order. */
function termsOf(part: Part, [first, ...rest]: readonly ComparedTerm[]): readonly ComparedTerm[] {
  return part === 'all' ? [first!, ...rest] : [{ ...first!, nullable: false }, ...rest]
}

/** MySQL sorts by what is NULL everywhere; PostgreSQL knows the order of an index only with it. */
function orderedBy(
  dialect: Dialect,
  part: Part,
  terms: readonly ComparedTerm[],
): readonly ComparedTerm[] {
  return dialect.id === 'mysql' && part === 'nulls' && terms.length > 1 ? terms.slice(1) : terms
}

function conditionOf(
  dialect: Dialect,
  { part, from, equal }: Step,
  natural: readonly ComparedTerm[],
  terms: readonly ComparedTerm[],
): Truth {
  if (equal === null || from === null)
    return and(isIn(part, natural[0]!, from), isBehind(dialect, part, terms, from))
  const ties = placed(natural.slice(0, equal), from).map(same)
  return [...ties, furtherIn(part, placed(natural, from)[equal]!)].reduce(and, true)
}

function isIn(part: Part, { node }: ComparedTerm, from: Position | null): Truth {
  if (part === 'nulls') return isNull(node)
  // What is behind a value is no NULL.
  return part === 'values' && from === null ? isNotNull(node) : true
}

function isBehind(
  dialect: Dialect,
  part: Part,
  terms: readonly ComparedTerm[],
  from: Position | null,
): Truth {
  if (from === null) return true
  if (part !== 'nulls') return behind(dialect, placed(terms, from))
  // All of them are equal in the first key.
  return terms.length > 1 && behind(dialect, placed(terms, from).slice(1))
}

function placed(terms: readonly ComparedTerm[], from: Position): readonly PlacedTerm[] {
  return terms.map((term, place) => ({ term, place, isNull: from[place] === null }))
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
