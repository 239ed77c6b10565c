import type { Accounts } from '../accounts/create-accounts.ts'
import type { Endpoint } from '../api/types.ts'
import type { User } from '../contract/credentials.ts'
import type { Behaviour } from '../contract/kernel.ts'
import type { AnyQuery, Operator, QuerySource } from '../contract/list-source.ts'
import type {
  ApiRequest,
  FilterBackend,
  Incoming,
  OperationPlace,
  Permission,
  Throttle,
} from '../contract/request.ts'
import type { InputSerializer } from '../contract/serializer.ts'
import { NotFound, PermissionDenied, ValidationError } from '../errors/api-errors.ts'
import { ErrorDetail } from '../errors/detail.ts'
import * as field from '../serializers/fields/index.ts'
import type { Message } from '../messages/message.ts'
import { CursorPagination } from '../pagination/cursor.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { type AccountLists, accountLists } from '../sql/accounts/lists.ts'
import type { SqlDatabase } from '../sql/sql-database.ts'
import type { ErrorFacts, JSONSchema } from '../types/documents.ts'
import type { EndpointName } from '../types/routes.ts'
import type { AccountRoute, AdminRoute } from './access.ts'

/** Rows of a page, at most and by default. */
export const PAGE_SIZE = 50

export interface AdminGroup {
  endpoint(
    name: AccountRoute | AdminRoute,
    options: {
      readonly title: string
      readonly description?: string
      readonly throttles?: readonly Throttle[]
    },
  ): Endpoint<ApiRequest>
}

export interface Parts {
  readonly group: AdminGroup
  readonly accounts: Accounts
  readonly lists: AccountLists
}

/** @throws ConfigurationError the database of the accounts speaks no SQL */
export function partsFor(
  name: string,
  api: object,
  accounts: Accounts,
  permissions: readonly Permission[],
): Parts {
  const { database } = accounts
  if (!('kysely' in database))
    throw new ConfigurationError(`${name}: the database of the accounts must speak SQL.`)
  const group = (api as UntypedGroup).group({
    permissions,
    pagination: new CursorPagination({
      pageSize: PAGE_SIZE,
      pageSizeQueryParam: 'page_size',
      maxPageSize: PAGE_SIZE,
      ordering: '-id',
    }),
    versioning: null,
  })
  return { group, accounts, lists: accountLists(database as SqlDatabase) }
}

interface UntypedGroup {
  group(layer: object): AdminGroup
}

/** A condition, because a table with fewer names is assignable to one with more. */
export type WithRoutes<R, Needed> =
  Needed extends EndpointName<R> ? unknown : { readonly '~needs': Needed }

export type Found = ApiRequest & { readonly params: { readonly id: number } }

/** The accounts in the hands of the user who asks. @throws PermissionDenied that is no user of the accounts */
export function inHandsOf({ user, id }: ApiRequest, accounts: Accounts): Accounts {
  const { id: own, username } = (user ?? {}) as Partial<User>
  if (typeof own !== 'number' || typeof username !== 'string') throw new PermissionDenied()
  return accounts.by({ user: { id: own, username }, requestId: id })
}

/** The account of the user who asks. @throws PermissionDenied that is no user of the accounts */
export async function ownOf({ user }: ApiRequest, { users }: Accounts): Promise<User> {
  const { id, username } = (user ?? {}) as Partial<User>
  const found = typeof id === 'number' ? await users.byId(id) : null
  // A user of another scheme may have the number of someone else here.
  if (found === null || found.username !== username) throw new PermissionDenied()
  return found
}

/** @throws NotFound */
export async function userOf({ users }: Pick<Accounts, 'users'>, id: number): Promise<User> {
  const user = await users.byId(id)
  if (user === null) throw new NotFound()
  return user
}

export async function oneOf<Row, Field extends string>(
  source: QuerySource<Row, Field>,
  key: Field,
  value: unknown,
): Promise<Row | null> {
  const [row = null] = await source.where([{ field: key, operator: 'equals', value }]).slice(0, 1)
  return row
}

/** A point in time that is kept as milliseconds, which some drivers give as text. */
export function moment(
  column: string,
  { nullable = false }: { readonly nullable?: boolean } = {},
): ReturnType<typeof field.computed<object, string | null>> {
  const show = (row: object): string | null => {
    const at = (row as Readonly<Record<string, unknown>>)[column]
    return at === null ? null : new Date(Number(at)).toISOString()
  }
  const type = nullable ? ['string', 'null'] : 'string'
  return field.computed(show, { schema: { type, format: 'date-time' } })
}

export const readOnly: { readonly readOnly: true } = { readOnly: true }

/** A handler with the fields that it reads, for OPTIONS and for the form of a page. */
export function asked(
  reads: Pick<InputSerializer<unknown>, 'describe' | 'lists'>,
  handle: Behaviour['handle'],
  title?: Message,
  values: (request: ApiRequest) => object | null = () => null,
): Behaviour {
  const fields = (request: ApiRequest) => reads.describe?.(request) ?? null
  return {
    handle,
    fields,
    form: (request) => ({
      fields: fields(request) ?? {},
      values: values(request),
      lists: reads.lists?.(request) ?? {},
      ...(title !== undefined && { title }),
    }),
  }
}

interface Described {
  /** @default no body is read */
  readonly reads?: Pick<InputSerializer<unknown>, 'schema'>
  readonly shows: (at: OperationPlace) => JSONSchema
  /** @default 200 */
  readonly status?: number
  readonly errors?: readonly ErrorFacts[]
}

/** A handler with what documents say of it. */
export function described(
  behaviour: Behaviour | Behaviour['handle'],
  { reads, shows, status = 200, errors = [] }: Described,
): Behaviour {
  const known = typeof behaviour === 'function' ? { handle: behaviour } : behaviour
  const invalidBody = reads === undefined ? [] : [{ status: 400, codes: ['invalid'] }]
  return {
    ...known,
    operation: (at) => ({
      body: reads === undefined ? null : at.schema(reads, 'input'),
      answers: [{ status, schema: shows(at) }],
      errors: [...invalidBody, ...errors],
    }),
  }
}

/** The schema of an object with one member. */
export const holding = (name: string, schema: JSONSchema): JSONSchema => ({
  type: 'object',
  properties: { [name]: schema },
  required: [name],
})

/** The same, where the form of a page is called otherwise than its method. */
export function titled(behaviour: Behaviour, title: Message): Behaviour {
  const form = behaviour.form?.bind(behaviour)
  if (form === undefined) return behaviour
  return {
    ...behaviour,
    form: (request, row) => {
      const made = form(request, row)
      return made && { ...made, title }
    },
  }
}

export function invalid(name: string, key: Parameters<typeof ErrorDetail.of>[0]): ValidationError {
  return new ValidationError({ [name]: [ErrorDetail.of(key as 'invalid.unfit')] })
}

/** A parameter of the query, and the condition that it stands for. */
export interface Narrowed {
  readonly name: string
  readonly field: string
  readonly operator: Operator
  /** `null`: it is none. */
  readonly read: (text: string) => string | number | null
  readonly wrong: 'invalid.date_time' | 'invalid.unfit'
}

/** Rows by what is kept in another form than clients see. */
export class Narrowing implements FilterBackend {
  readonly #parameters: readonly Narrowed[]

  constructor(...parameters: readonly Narrowed[]) {
    this.#parameters = parameters
  }

  queryParams(): readonly string[] {
    return this.#parameters.map(({ name }) => name)
  }

  filter(source: AnyQuery, { query }: Incoming): AnyQuery {
    let found = source
    for (const { name, field: column, operator, read, wrong } of this.#parameters) {
      const text = query.text(name)
      if (text === null) continue
      const value = read(text)
      if (value === null) throw invalid(name, wrong)
      found = found.where([{ field: column, operator, value, parameter: name }])
    }
    return found
  }
}

/** A day or a point in time with its zone. */
const MOMENT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d))?$/

export function moments(name: string, column: string): readonly Narrowed[] {
  const read = (text: string): number | null => {
    const at = MOMENT.test(text) ? Date.parse(text) : NaN
    return Number.isNaN(at) ? null : at
  }
  const form = { field: column, read, wrong: 'invalid.date_time' } as const
  return [
    { name: `${name}__lt`, operator: 'lt', ...form },
    { name: `${name}__gte`, operator: 'gte', ...form },
  ]
}
