// The list of a model: counted, sliced, and continued behind a row by conditions that are ranges of an index.
import type {
  Condition,
  Position,
  SeekRequest,
  SortKey,
  Stretch,
} from '../../core/ports/list-source.ts'
import { InvalidPosition } from '../../core/errors/api-errors.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { theirColumn } from '../../resources/serializers/tenant-references.ts'
import { valueError } from '../sql/query/conditions.ts'
import { scopeConditions } from '../sql/table/scopes.ts'
import {
  type Where,
  allWhere,
  anyWhere,
  checkCompared,
  checkExact,
  checkInDatabase,
  scopeWhere,
  whereOf,
} from './conditions.ts'
import { refusesValue } from './failures.ts'
import type { PrismaModel } from './model.ts'
import type { Delegate, PrismaRelation, PrismaRelations, PrismaRow } from './types.ts'
import {
  type ReadStep,
  type OrderTerm,
  checkOrdered,
  stepsBehind,
  stepsFromStart,
  positionOf,
  valuesAt,
} from './steps.ts'

/** The rows of a list, before conditions and order. */
export interface ListedModel {
  readonly model: PrismaModel
  readonly key: string
  readonly relations: PrismaRelations
  /** The model's delegate of the client, or of one of its transactions. */
  readonly delegate: Delegate
  /** Conditions that every row fulfils. */
  readonly only: readonly Where[]
  /** Names that lists used at the start, for a check in the database. */
  readonly asked: Map<string, Parameters<typeof checkInDatabase>>
}

interface Asked {
  readonly conditions: readonly (readonly Condition[])[]
  readonly keys: readonly SortKey[]
  /** Values that related rows must have. */
  readonly relating: Where
}

/** Prisma takes no more. */
const MOST = 2 ** 31 - 2

export class ModelSource {
  readonly #listed: ListedModel
  readonly #asked: Asked

  constructor(listed: ListedModel, asked: Asked = { conditions: [], keys: [], relating: {} }) {
    this.#listed = listed
    this.#asked = asked
  }

  get unique(): readonly string[] {
    return [this.#listed.key]
  }

  async count(cap?: number): Promise<number> {
    const where = await this.#where()
    const take = cap === undefined || cap > MOST ? {} : { take: cap + 1 }
    return this.#refusing(() => this.#listed.delegate.count({ where, ...take }))
  }

  async slice(offset: number, limit: number): Promise<readonly PrismaRow[]> {
    // Prisma would take the offset modulo 2 ** 32.
    if (offset > MOST) return []
    const [where, terms] = [await this.#where(), await this.#terms(this.#asked.keys, false)]
    const window = { skip: offset, take: Math.min(limit, MOST) }
    const orderBy = this.#orderBy(terms)
    return this.#refusing(() => this.#listed.delegate.findMany({ where, orderBy, ...window }))
  }

  readonly where = (anyOf: readonly Condition[]): this => {
    for (const { field, operator } of anyOf) this.#check(field, operator)
    return this.#with({ conditions: [...this.#asked.conditions, anyOf] })
  }

  readonly orderBy = (keys: readonly SortKey[]): this => {
    for (const { field } of keys) this.#check(field, 'order')
    return this.#with({ keys })
  }

  readonly relating = (values: Where): this => this.#with({ relating: values })

  readonly seek = async (request: SeekRequest): Promise<Stretch<PrismaRow>> => {
    const { position, reverse, limit } = request
    for (const { field } of request.keys) this.#check(field, 'order')
    const terms = await this.#terms(request.keys, reverse)
    for (const { field } of terms) await checkExact(this.#listed.model, field.name)
    const values = position === null ? null : valuesAt(position, terms)
    const most = Math.min(limit, MOST)
    const steps = values === null ? stepsFromStart(terms) : stepsBehind(terms, values)
    const found = await this.#refusing(
      () => this.#read(steps, most + 1),
      position === null ? null : new InvalidPosition(),
    )
    const [rows, more] = [found.slice(0, most), found.length > most]
    if (reverse) rows.reverse()
    const [first = null, last = null] = [rows[0], rows.at(-1)]
    const at = (row: PrismaRow | null): Position | null => row && positionOf(row, terms)
    return { rows, more, first: at(first), last: at(last) }
  }

  async #read(steps: readonly ReadStep[], most: number): Promise<PrismaRow[]> {
    const where = await this.#where()
    const rows: PrismaRow[] = []
    for (const step of steps) {
      if (rows.length >= most) break
      const range = allWhere([where, ...step.where])
      const orderBy = this.#orderBy(step.terms)
      const take = most - rows.length
      rows.push(...(await this.#listed.delegate.findMany({ where: range, orderBy, take })))
    }
    return rows
  }

  /** If the database refuses a value, it comes from a condition, or else from the position. */
  async #refusing<T>(read: () => Promise<T>, other: Error | null = null): Promise<T> {
    try {
      return await read()
    } catch (error) {
      if (!refusesValue(error)) throw error
      const conditions = this.#asked.conditions.flat()
      if (conditions.some(({ parameter }) => parameter !== undefined)) throw valueError(conditions)
      throw other ?? (conditions.length > 0 ? valueError(conditions) : error)
    }
  }

  #with(asked: Partial<Asked>): this {
    return new ModelSource(this.#listed, { ...this.#asked, ...asked }) as this
  }

  /** @throws ConfigurationError Prisma cannot do it */
  #check(name: string, operator: Condition['operator'] | 'order'): void {
    const { model, field, relation } = this.#named(name)
    this.#listed.asked.set(`${operator} ${name}`, [model, field, operator])
    if (operator !== 'order') return checkCompared(model, field, operator)
    if (relation === null) return checkOrdered(model, field)
    throw new ConfigurationError(
      `Lists of the model "${this.#listed.model.name}" cannot be ordered by "${name}": Prisma cannot continue behind a value of a relation. Keep the value in the row, or order by another field.`,
    )
  }

  /** `createdAt`, or `comments.createdAt` of a relation. */
  #named(text: string) {
    const { model, relations } = this.#listed
    const point = text.indexOf('.')
    const name = text.slice(0, Math.max(point, 0))
    if (point < 0 || !Object.hasOwn(relations, name)) return { model, field: text, relation: null }
    const [field, theirs] = [text.slice(point + 1), relations[name]!]
    if (!theirs.columns.includes(field))
      throw new ConfigurationError(
        `The relation "${name}" has no column "${field}" for lists. It has: ${theirs.columns.join(', ')}.`,
      )
    return { model: model.relations.get(name)!, field, relation: { name, ...theirs } }
  }

  async #where(): Promise<Where> {
    const groups = await Promise.all(
      this.#asked.conditions.map(async (anyOf) =>
        anyWhere(await Promise.all(anyOf.map((condition) => this.#condition(condition)))),
      ),
    )
    return allWhere([...this.#listed.only, ...groups])
  }

  async #condition(condition: Condition): Promise<Where> {
    const { model, field, relation } = this.#named(condition.field)
    if (relation === null) return whereOf(model, field, condition)
    const within = await this.#relatedWhere(relation, model)
    const isLacking = condition.operator === 'isNull' && condition.value === true
    const asked = isLacking ? { ...condition, value: false } : condition
    const where = allWhere([await whereOf(model, field, asked), ...within])
    const isOne = await this.#listed.model.takes({ where: { [relation.name]: { is: {} } } })
    const related = { [relation.name]: { [isOne ? 'is' : 'some']: where } }
    return isLacking ? { NOT: related } : related
  }

  /** The related rows that count: those that fulfil `only`, within the scope of the list. */
  async #relatedWhere(
    { name, only, scope }: PrismaRelation & { readonly name: string },
    model: PrismaModel,
  ): Promise<readonly Where[]> {
    const within = Object.entries(scope === null ? {} : this.#asked.relating).flatMap(
      ([ours, value]) => {
        const property = theirColumn(ours, scope)
        if (property === null) return []
        if (model.fields.has(property)) return [scopeConditions(property, value)]
        throw new ConfigurationError(
          `The relation "${name}" has no property "${property}", by which its list has a scope. Say which it is (scope: { ${ours}: '…' }), or that any row may be seen (scope: null, or { ${ours}: null }).`,
        )
      },
    )
    const scoped = await Promise.all(within.map((anyOf) => scopeWhere(model, anyOf)))
    return [...(only === undefined ? [] : [only as Where]), ...scoped]
  }

  /** The keys, with a unique one behind them. */
  async #terms(keys: readonly SortKey[], reverse: boolean): Promise<readonly OrderTerm[]> {
    const { model, key } = this.#listed
    const descending = keys.at(-1)?.descending ?? false
    const all: SortKey[] = []
    for (const each of [...keys, { field: key, descending, nulls: 'last' } as const])
      if (all.every(({ field }) => field !== each.field)) all.push(each)
    const last = all.findIndex(({ field }) => field === key)
    return Promise.all(
      all.slice(0, last + 1).map(async ({ field: name, descending: isDown, nulls }) => {
        const field = model.field(name)
        const nullable = name !== key && (await model.isNullable(field))
        return {
          field,
          nullable,
          descending: isDown !== reverse,
          nullsFirst: (nulls === 'first') !== reverse,
        }
      }),
    )
  }

  #orderBy(terms: readonly OrderTerm[]): readonly Where[] {
    const isLast = this.#listed.model.provider === 'postgresql'
    return terms.map(({ field: { name }, descending, nullable, nullsFirst }) => {
      const sort = descending ? 'desc' : 'asc'
      // The database's own place of NULLs is also that of its index.
      if (!nullable || nullsFirst === (descending === isLast)) return { [name]: sort }
      return { [name]: { sort, nulls: nullsFirst ? 'first' : 'last' } }
    })
  }
}
