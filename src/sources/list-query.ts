import type { SelectQueryNode } from 'kysely'
import type { MaybePromise } from '../contract/request.ts'
import type { Condition, SortKey } from '../contract/source.ts'
import type { Database } from '../contract/storage.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { after } from '../std/after.ts'
import { type FieldFacts, factsOf, starNames } from './column-facts.ts'
import { type Compile, compilerOf } from './compiler.ts'
import { conditionNode } from './conditions.ts'
import {
  type Field,
  type FieldQuery,
  type NamedQuery,
  fieldQuery,
  saidNames,
  starsOf,
  unknownField,
} from './fields.ts'
import { kindOf } from './kinds/kind-of.ts'
import { type Truth, and, or } from './nodes.ts'
import { narrowed } from './seek-statements.ts'
import type { ComparedTerm } from './terms.ts'

/** What a list asks of its database. */
export type ListDatabase = Pick<
  Database,
  'dialect' | 'rows' | 'describe' | 'snapshot' | 'sharedSnapshot'
>

/** Alternatives of which a row fulfils one. */
export type Alternatives = readonly Condition[]

/** A query whose fields are known by name, with what the database knows of them. Shared by all that is made of it. */
export class ListQuery {
  readonly database: ListDatabase
  readonly named: NamedQuery
  readonly compile: Compile
  readonly #names: readonly string[] | null
  #fields: FieldQuery | null = null

  constructor(database: ListDatabase, named: NamedQuery) {
    this.database = database
    this.named = named
    this.compile = compilerOf(database.dialect)
    this.#names = saidNames(named)
  }

  /** @throws ConfigurationError the query itself says all its names, and this is none of them */
  checkName(name: string): void {
    if (this.#names === null || this.#names.includes(name)) return
    throw new ConfigurationError(unknownField(name, this.#names))
  }

  /** The query with these fields, asked of the database where it says `*`. */
  fields(): MaybePromise<FieldQuery> {
    if (this.#fields !== null) return this.#fields
    const { named, database, compile } = this
    if (starsOf(named.query).length === 0) return (this.#fields = fieldQuery(named, new Map()))
    return after(
      starNames(database, named.query, compile),
      (stars) => (this.#fields = fieldQuery(named, stars)),
    )
  }

  /** The total order of these keys: behind them comes the unique key, in the direction of the last one. */
  terms(fields: FieldQuery, keys: readonly SortKey[]): MaybePromise<readonly ComparedTerm[]> {
    const wanted = totalOf(fields, keys)
    const known = factsOf(this.database, fields, wanted.map(({ field }) => field), this.compile)
    return after(known, (facts) =>
      wanted.map((key, place) => this.#toTerm(key, facts[place]!)),
    )
  }

  #toTerm({ field, descending, nullsFirst }: Wanted, facts: FieldFacts): ComparedTerm {
    const kind = kindOf(this.database.dialect, facts.type, facts.scale)
    const node = kind.ordered?.(field.node) ?? field.node
    const { nullable } = facts
    if (kind.read === undefined && field.output !== null)
      return { node, kind, descending, nullsFirst, nullable, hidden: null, output: field.output }
    const hidden = kind.read?.(node) ?? node
    return { node, kind, descending, nullsFirst, nullable, hidden, output: null }
  }

  /** The rows that fulfil one of each of these alternatives. */
  narrowed(
    fields: FieldQuery,
    conditions: readonly Alternatives[],
  ): MaybePromise<SelectQueryNode> {
    if (conditions.length === 0) return fields.query
    const asked = [...new Set(conditions.flat().map(({ field }) => field))]
    const subjects = asked.map((name) => fields.field(name))
    return after(factsOf(this.database, fields, subjects, this.compile), (facts) => {
      const known = new Map(asked.map((name, place) => [name, [subjects[place]!, facts[place]!]]))
      return narrowed(fields.query, this.#truthOf(conditions, known as never))
    })
  }

  #truthOf(
    conditions: readonly Alternatives[],
    known: ReadonlyMap<string, readonly [Field, FieldFacts]>,
  ): Truth {
    const { dialect } = this.database
    const toTruth = (condition: Condition): Truth => {
      const [{ node }, { type, scale }] = known.get(condition.field)!
      return conditionNode(dialect, condition, { node, kind: kindOf(dialect, type, scale) })
    }
    return conditions
      .map((anyOf) => anyOf.map(toTruth).reduce(or, false))
      .reduce(and, true)
  }
}

interface Wanted {
  readonly field: Field
  readonly descending: boolean
  readonly nullsFirst: boolean
}

/** Each field once; what comes behind the whole unique key decides nothing. */
function totalOf(fields: FieldQuery, keys: readonly SortKey[]): readonly Wanted[] {
  const wanted = new Map<string, Wanted>()
  const missing = new Set(fields.key.map(identity))
  for (const { field: name, descending, nulls } of keys) {
    const field = fields.field(name)
    if (missing.size > 0 && !wanted.has(identity(field)))
      wanted.set(identity(field), { field, descending, nullsFirst: nulls === 'first' })
    missing.delete(identity(field))
  }
  const descending = keys.at(-1)?.descending ?? false
  for (const field of fields.key) {
    if (missing.has(identity(field)))
      wanted.set(identity(field), { field, descending, nullsFirst: !descending })
  }
  return [...wanted.values()]
}

function identity({ node }: Field): string {
  return JSON.stringify(node)
}
