import type { SelectQueryNode } from 'kysely'
import type { MaybePromise } from '../../contract/request.ts'
import type { Condition, SortKey } from '../../contract/source.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { after } from '../../std/after.ts'
import { type FieldFacts, factsOf, starNames } from './column-facts.ts'
import { type Compile, compilerOf } from './compiler.ts'
import { type Subject, conditionNode } from './conditions.ts'
import {
  type Field,
  type FieldQuery,
  type NamedQuery,
  fieldQuery,
  saidNames,
  unknownField,
} from './fields.ts'
import { type Truth, and, or } from './nodes.ts'
import { narrowed } from '../seek/seek-statements.ts'
import type { ComparedTerm } from '../seek/terms.ts'
import { windowOf } from './window.ts'

/** What a list asks of its database. */
export type ListDatabase = Pick<
  SqlDatabase,
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
  readonly #fields = new Map<boolean, FieldQuery>()

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

  /** @throws ConfigurationError the query is a part of a list, and what `done` is no part any more */
  checkWhole(done: string): void {
    const { skip, size } = windowOf(this.named.query)
    if (skip === 0 && size === Infinity) return
    throw new ConfigurationError(
      `A list that its query cuts with limit and offset cannot be ${done}. Leave them out.`,
    )
  }

  /** The query with its fields, asked of the database where it says `*`; with its own order where `ordered`. */
  fields(ordered: boolean = false): MaybePromise<FieldQuery> {
    const known = this.#fields.get(ordered)
    if (known !== undefined) return known
    return after(starNames(this.database, this.named.query, this.compile), (stars) => {
      const fields = fieldQuery(this.named, stars, ordered)
      this.#fields.set(ordered, fields)
      return fields
    })
  }

  /** What the database knows of fields of this query. */
  facts(fields: FieldQuery, asked: readonly Field[]): MaybePromise<readonly FieldFacts[]> {
    return factsOf(this.database, fields, asked, this.compile)
  }

  /** The total order of these keys: behind them comes the unique key, in the direction of the last one. */
  terms(fields: FieldQuery, keys: readonly SortKey[]): MaybePromise<readonly ComparedTerm[]> {
    const wanted = totalOf(fields, keys)
    const asked = wanted.map(({ field }) => field)
    return after(this.facts(fields, asked), (facts) =>
      wanted.map((key, place) => this.#toTerm(key, facts[place]!)),
    )
  }

  #toTerm({ field, descending, nullsFirst }: Wanted, facts: FieldFacts): ComparedTerm {
    const kind = this.database.dialect.kindOf(facts.type, facts.scale)
    const node = kind.ordered?.(field.node) ?? field.node
    const { nullable } = facts
    if (kind.read === undefined && field.output !== null)
      return { node, kind, descending, nullsFirst, nullable, hidden: null, output: field.output }
    const hidden = kind.read?.(node) ?? node
    return { node, kind, descending, nullsFirst, nullable, hidden, output: null }
  }

  /** The rows that fulfil one of each of these alternatives. */
  narrowed(fields: FieldQuery, conditions: readonly Alternatives[]): MaybePromise<SelectQueryNode> {
    if (conditions.length === 0) return fields.query
    const asked = [...new Set(conditions.flat().map(({ field }) => field))]
    const subjects = asked.map((name) => fields.field(name))
    return after(this.facts(fields, subjects), (facts) => {
      const known = asked.map(
        (name, place) => [name, this.#toSubject(subjects[place]!, facts[place]!)] as const,
      )
      return narrowed(fields.query, this.#truthOf(conditions, new Map(known)))
    })
  }

  #toSubject({ node }: Field, { type, scale }: FieldFacts): Subject {
    return { node, kind: this.database.dialect.kindOf(type, scale) }
  }

  #truthOf(conditions: readonly Alternatives[], subjects: ReadonlyMap<string, Subject>): Truth {
    const { dialect } = this.database
    const toTruth = (condition: Condition): Truth =>
      conditionNode(dialect, condition, subjects.get(condition.field)!)
    return conditions.map((anyOf) => anyOf.map(toTruth).reduce(or, false)).reduce(and, true)
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
