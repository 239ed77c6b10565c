// Asks everything of every resource of a program that `colophon inspect` has written. Rows are made up from what is
// known of the database, parents first.
import type { Kysely } from 'kysely'
import type { App } from '../../../../src/preset/define-api.ts'
import type {
  PlannedColumn,
  Plan,
  PlannedResource,
} from '../../../../src/tools/cli/inspect/plan.ts'
import { client } from '../../../../src/tools/testing/client.ts'

type Values = Record<string, unknown>
type Answer = Awaited<ReturnType<ReturnType<typeof client>['get']>>

export interface Program {
  readonly app: App
  readonly plan: Plan
  readonly db: Kysely<Record<string, Values>>
  /** Values for columns that need special ones, or that clients do not write, by table and column. */
  readonly given?: Readonly<Record<string, unknown>>
  /** What the database calls a column of the program. @default the same */
  readonly columnOf?: ((table: string, name: string) => string) | undefined
}

const as = { isAuthenticated: true, username: 'alice' }

/** What each request was answered with, by the names of the resources. */
export async function smoke(program: Program): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const resource of program.plan.resources)
    found[resource.name] = await new Smoke(program).run(resource)
  return found
}

let number = 0

class Smoke {
  readonly #program: Program
  readonly #client: ReturnType<typeof client>

  constructor(program: Program) {
    this.#program = program
    this.#client = client(program.app)
  }

  async run(resource: PlannedResource): Promise<string> {
    if (resource.key === null) return this.#list(resource)
    const body = await this.#body(resource)
    const created = resource.creates
      ? await this.#ask('post', pathOf(resource), body)
      : await this.#ask('post', pathOf(resource), {})
    if (created.status === 400) return `post 400 ${created.text} for ${JSON.stringify(body)}`
    const row = resource.creates ? (created.data as Values) : await this.#insert(resource, body)
    const path = `${pathOf(resource)}${encodeURIComponent(String(row[resource.key.api]))}/`
    const read = await this.#ask('get', path)
    const [changed, patch] = await this.#patch(resource, path)
    const again = await this.#ask('put', path, { ...body, ...keyIn(resource, body) })
    const listed = await this.#ask('get', `${pathOf(resource)}?ordering=${orderOf(resource)}`)
    const filtered = await this.#ask('get', `${pathOf(resource)}?${filterOf(resource, row)}`)
    const statuses = [created, read, changed, again, listed, filtered].map(({ status }) => status)
    const refused = [created, read, changed, again].find(
      ({ status }) => status === 400 || status >= 500,
    )
    const removed = await this.#ask('delete', path)
    const gone = await this.#ask('get', path)
    const facts = [
      ...(refused ? [refused.text] : []),
      ...(isWithin(row, body) ? [] : [`made ${JSON.stringify(row)} of ${JSON.stringify(body)}`]),
      ...(isSame(read.data, row) ? [] : [`read ${read.text} after ${JSON.stringify(row)}`]),
      ...(isWithin(changed.data, patch) ? [] : [`${changed.text} after ${JSON.stringify(patch)}`]),
      ...(count(filtered) === 1 ? [] : [`${count(filtered)} rows in the filter`]),
    ]
    return [...statuses, removed.status, gone.status, ...facts].join(' ')
  }

  async #list(resource: PlannedResource): Promise<string> {
    await this.#insert(resource, await this.#body(resource, () => true))
    const path = pathOf(resource)
    const listed = await this.#ask('get', path)
    const [row = {}] = (listed.data as { results: Values[] }).results
    const filtered = await this.#ask('get', `${path}?${filterOf(resource, row)}`)
    const posted = await this.#ask('post', path, {})
    return [listed.status, filtered.status, posted.status, count(filtered) > 0].join(' ')
  }

  #ask(
    method: 'get' | 'post' | 'put' | 'patch' | 'delete',
    path: string,
    json?: object,
  ): Promise<Answer> {
    return this.#client[method](path, { as, ...(json !== undefined && { json }) })
  }

  async #body(resource: PlannedResource, isSent = isWritten): Promise<Values> {
    const body: Values = {}
    for (const column of resource.columns)
      if (isSent(column) && column.absence === null) {
        const value = await this.#valueOf(column, resource, [resource])
        if (value !== undefined) body[column.api] = value
      }
    return body
  }

  async #valueOf(
    column: PlannedColumn,
    resource: PlannedResource,
    under: readonly PlannedResource[],
  ): Promise<unknown> {
    const given = this.#program.given?.[`${resource.table.name}.${column.name}`]
    if (given !== undefined) return given
    number++
    if (column.parent === null) return sample(column, number)
    const { resources } = this.#program.plan
    const parent = resources.find(({ table }) => table.name === column.parent)!
    const path = pathOf(parent)
    const there = ((await this.#ask('get', path)).data as { results: Values[] }).results
    if (there.length > 0 && !column.unique) return there[0]![parent.key!.api]
    if (under.includes(parent)) return column.nullable ? undefined : there[0]?.[parent.key!.api]
    const body: Values = {}
    for (const each of parent.columns)
      if (isWritten(each)) body[each.api] = await this.#valueOf(each, parent, [...under, parent])
    const made = parent.creates
      ? (await this.#ask('post', path, body)).data
      : await this.#insert(parent, body)
    const key = (made as Values)[parent.key!.api]
    if (key === undefined)
      throw new Error(`${path}: ${JSON.stringify(made)} for ${JSON.stringify(body)}`)
    return key
  }

  /** Past the program, for rows that clients do not make; gives the row as clients see it. */
  async #insert(resource: PlannedResource, body: Values): Promise<Values> {
    const { db, given = {}, columnOf = (_, name) => name } = this.#program
    const { name: table } = resource.table
    const values: Values = {}
    for (const { name, api, readOnly } of resource.columns) {
      const own = given[`${table}.${name}`]
      if (own !== undefined) values[columnOf(table, name)] = own
      else if (api in body && !readOnly) values[columnOf(table, name)] = body[api]
    }
    await db.insertInto(table).values(values).execute()
    const { results } = (await this.#ask('get', pathOf(resource))).data as { results: Values[] }
    return results.at(-1)!
  }

  async #patch(resource: PlannedResource, path: string): Promise<readonly [Answer, Values]> {
    const column = resource.columns.find(
      (each) => isWritten(each) && each.parent === null && each.name !== resource.key?.name,
    )
    if (column === undefined) return [await this.#ask('patch', path, {}), {}]
    const given = this.#program.given?.[`${resource.table.name}.${column.name}`]
    const patch = { [column.api]: given ?? sample(column, ++number) }
    return [await this.#ask('patch', path, patch), patch]
  }
}

const isWritten = ({ absence, readOnly }: PlannedColumn): boolean => absence === null && !readOnly
const pathOf = ({ name }: PlannedResource): string => `/${encodeURIComponent(name)}/`
const count = ({ data }: Answer): number => (data as { count: number }).count

function keyIn({ key }: PlannedResource, body: Values): Values {
  return key !== null && key.api in body ? { [key.api]: body[key.api] } : {}
}

function filterOf({ key, columns, order }: PlannedResource, row: Values): string {
  const column = key ?? columns.find(({ name }) => name === order[0])!
  return new URLSearchParams([[column.api, String(row[column.api])]]).toString()
}

function orderOf({ key }: PlannedResource): string {
  return encodeURIComponent(`-${key!.api}`)
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** A database may show a value with more places than it was sent. */
function isWithin(whole: unknown, part: Values): boolean {
  return Object.entries(part).every(([name, value]) => {
    const kept = (whole as Values | null)?.[name]
    if (typeof value === 'object') return isSame(kept, value)
    // A time may be shown without what is zero in it.
    return typeof value === 'string' ? String(kept).startsWith(value.slice(0, 10)) : kept === value
  })
}

/** A value that the column takes. */
function sample(
  { api, value, limits }: Pick<PlannedColumn, 'api' | 'value' | 'limits'>,
  at: number,
): unknown {
  const { min = 1, max = 30_000, maxLength = 100, minLength = 1 } = limits
  switch (value.kind) {
    case 'integer':
    case 'bigInteger':
      return Math.ceil(min) + (at % (Math.floor(max) - Math.ceil(min) + 1))
    case 'decimal':
      return decimal(Math.max(min, 0), max, value.places ?? 2)
    case 'float':
      return (min + Math.min(max, min + 9)) / 2
    case 'boolean':
      return at % 2 === 0
    case 'choice':
      return value.values[at % value.values.length]
    case 'uuid':
      return crypto.randomUUID()
    case 'date':
      return `2022-01-${String(10 + (at % 20))}`
    case 'time':
      return `08:30:${String(10 + (at % 50))}`
    case 'dateTime':
      return new Date(Date.UTC(2022, 0, 1) + at * 60_000).toISOString().replace('.000', '')
    case 'json':
      return [{ a: at }]
    case 'list':
      return [sample({ api, value: value.of, limits: {} }, at)]
    case 'other':
      return undefined
    case 'text':
      return text(api.toLowerCase(), at).padEnd(minLength, 'x').slice(-maxLength)
  }
}

function decimal(min: number, max: number, places: number): string {
  return Math.min(max, Math.max(min, 1.5)).toFixed(places)
}

function text(name: string, at: number): string {
  const unique = at.toString(36)
  if (name.endsWith('email') || name.endsWith('emailaddress')) return `${unique}@example.com`
  return name.endsWith('url') ? `https://example.com/${unique}` : unique
}
