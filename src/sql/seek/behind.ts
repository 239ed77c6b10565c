import { type OperationNode, TupleNode, ValueNode } from 'kysely'
import { type Truth, and, isNotNull, isNull, operation, or } from '../query/nodes.ts'
import type { Part } from './seek-steps.ts'
import type { ComparedTerm } from './terms.ts'
import type { Dialect } from '../dialect.ts'

/** Where a value of the position stands among the parameters. */
export class Slot {
  readonly place: number

  constructor(place: number) {
    this.place = place
  }
}

/** A term with the place of its value in the position. */
export interface PlacedTerm {
  readonly term: ComparedTerm
  readonly place: number
  /** Is the value NULL? */
  readonly isNull: boolean
}

/**
 * Rows strictly behind a position in the order of the terms, in the form of which the database makes
 * one range of an index: see `docs/pagination.md`.
 */
export function behind(dialect: Dialect, terms: readonly PlacedTerm[]): Truth {
  return dialect.id === 'mysql' ? alternatives(terms) : nested(terms)
}

/**
 * `a <= x AND (a < x OR …)`. Neighbours of one direction that are never NULL are compared as one row
 * value, `(a, b) <= (x, y)`: then the range begins at the position, and not at the first of its ties.
 */
function nested(terms: readonly PlacedTerm[]): Truth {
  const size = runLength(terms)
  const [run, rest] = [terms.slice(0, size), terms.slice(size)]
  if (rest.length === 0) return strictlyBehind(run)
  return and(notBefore(run), or(strictlyBehind(run), nested(rest)))
}

function runLength(terms: readonly PlacedTerm[]): number {
  const [first] = terms
  const end = terms.findIndex(
    ({ term }) => term.nullable || term.descending !== first!.term.descending,
  )
  return end === -1 ? terms.length : Math.max(end, 1)
}

function strictlyBehind(run: readonly PlacedTerm[]): Truth {
  const [{ term, isNull: atNull }] = run as [PlacedTerm]
  if (!term.nullable)
    return operation(tuple(run, nodeOf), term.descending ? '<' : '>', tuple(run, valueOf))
  if (atNull) return term.nullsFirst && isNotNull(term.node)
  const further = operation(term.node, term.descending ? '<' : '>', valueOf(run[0]!))
  return term.nullsFirst ? further : or(further, isNull(term.node))
}

function notBefore(run: readonly PlacedTerm[]): Truth {
  const [{ term, isNull: atNull }] = run as [PlacedTerm]
  if (!term.nullable)
    return operation(tuple(run, nodeOf), term.descending ? '<=' : '>=', tuple(run, valueOf))
  if (atNull) return term.nullsFirst || isNull(term.node)
  const further = operation(term.node, term.descending ? '<=' : '>=', valueOf(run[0]!))
  return term.nullsFirst ? further : or(further, isNull(term.node))
}

/** `a < x OR (a = x AND (b < y OR …))`: MariaDB and MySQL make ranges of it, and none of row values. */
function alternatives([first, ...rest]: readonly PlacedTerm[]): Truth {
  if (rest.length === 0) return strictlyBehind([first!])
  return or(strictlyBehind([first!]), and(same(first!), alternatives(rest)))
}

/** In this part of a key: what is further than its value, whatever the other keys are. */
export function furtherIn(part: Part, placed: PlacedTerm): Truth {
  const { term, isNull: atNull } = placed
  if (part === 'nulls') return isNull(term.node)
  if (atNull) return isNotNull(term.node)
  return strictlyBehind([{ ...placed, term: { ...term, nullable: false } }])
}

/** The same value, or none in both. */
export function same(placed: PlacedTerm): OperationNode {
  const { node } = placed.term
  return placed.isNull ? isNull(node) : operation(node, '=', valueOf(placed))
}

function tuple(
  run: readonly PlacedTerm[],
  part: (placed: PlacedTerm) => OperationNode,
): OperationNode {
  return run.length === 1 ? part(run[0]!) : TupleNode.create(run.map(part))
}

function nodeOf({ term }: PlacedTerm): OperationNode {
  return term.node
}

function valueOf({ term, place }: PlacedTerm): OperationNode {
  const value = ValueNode.create(new Slot(place))
  return term.kind.bound?.(value) ?? value
}
