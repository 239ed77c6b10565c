// The common parts of the endpoints of the administration: the accounts that a request is about, the changes of them, and the
// way in which people see the answers.
import type { Accounts } from '../../accounts/create-accounts.ts'
import type { Group } from '../../core/app/group.ts'
import { NotFound, PermissionDenied, ValidationError } from '../../core/errors/api-errors.ts'
import { ErrorDetail } from '../../core/errors/detail.ts'
import type { MessageKey } from '../../core/messages/english.ts'
import { Message } from '../../core/messages/message.ts'
import type { User } from '../../core/ports/credentials.ts'
import type { Behaviour, Handler } from '../../core/ports/kernel.ts'
import type { AnyQuery, FilterOperator, QuerySource } from '../../core/ports/list-source.ts'
import type { Cell, Presentation, PresentedAction, PresentedRow } from '../../core/ports/page.ts'
import type { FilterBackend } from '../../core/ports/policies/filters.ts'
import type { Permission } from '../../core/ports/policies/permissions.ts'
import type { ApiRequest, Incoming } from '../../core/ports/request.ts'
import type { AnyInputSerializer, InputOf, InputSerializer } from '../../core/ports/serializer.ts'
import type { OperationPlace } from '../../core/ports/settings/settings.ts'
import { readMoment } from '../../core/std/moment.ts'
import type { ErrorFacts, JSONSchema, ParameterFacts } from '../../core/types/documents.ts'
import type { RequestWith, TypedSettings } from '../../core/types/typed-settings.ts'
import type { ColumnDefinition } from '../../storage/sql/migrations/column-kinds.ts'
import { CursorPagination } from '../../policies/pagination/cursor.ts'
import { found } from '../../resources/endpoints/retrieve.ts'
import { field } from '../../resources/serializers/serializer.ts'
import type { AccountRoute, AdminRoute, accountUrls, adminUrls } from './urls.ts'

/** The number of rows in a page, by default and at most. */
export const PAGE_SIZE = 50

export interface AdminParts {
  readonly group: Group<TypedSettings, typeof adminUrls & typeof accountUrls>
  readonly accounts: Accounts
  readonly lists: Accounts['lists']
}

/** @throws ConfigurationError the database of the accounts speaks no SQL, or the service has no secret for sessions */
export function partsFor(
  api: object,
  accounts: Accounts,
  permissions: readonly Permission[],
): AdminParts {
  const { lists } = accounts
  // Reading the sessions keeps the service from starting without a secret for them.
  void accounts.sessions
  // The application has these addresses (`HasRoutes`), perhaps in a namespace; its other addresses do not matter here.
  const group = (api as AdminParts['group']).group({
    permissions,
    pagination: new CursorPagination({
      pageSize: PAGE_SIZE,
      pageSizeQueryParam: 'page_size',
      maxPageSize: PAGE_SIZE,
      ordering: '-id',
    }),
    versioning: null,
  })
  return { group, accounts, lists }
}

/** A request whose address has the number of a row. */
export type Numbered = RequestWith<{ params: { readonly id: number } }>

/** The accounts, changed in the name of the user who asks. @throws PermissionDenied the accounts do not know this user */
export function accountsBy({ user, id }: ApiRequest, accounts: Accounts): Accounts {
  const { id: own, username } = (user ?? {}) as Partial<User>
  if (typeof own !== 'number' || typeof username !== 'string') throw new PermissionDenied()
  return accounts.by({ user: { id: own, username }, requestId: id })
}

/** The account of the user who asks. @throws PermissionDenied the accounts do not know this user */
export async function ownAccount({ user }: ApiRequest, { users }: Accounts): Promise<User> {
  const { id, username } = (user ?? {}) as Partial<User>
  const known = typeof id === 'number' ? await users.byId(id) : null
  // A user of another scheme may have the number of another user here.
  if (known === null || known.username !== username) throw new PermissionDenied()
  return known
}

/** The user that the address names. @throws NotFound, and PermissionDenied if permissions about users refuse */
export async function adminUserNamed(
  request: Numbered,
  { accounts, lists }: AdminParts,
): Promise<User> {
  const { id } = await found(request, rowWhere(lists.users, 'id', request.params.id))
  return userById(accounts, id)
}

/** @throws NotFound */
export async function userById({ users }: Pick<Accounts, 'users'>, id: number): Promise<User> {
  const user = await users.byId(id)
  if (user === null) throw new NotFound()
  return user
}

export async function rowWhere<Row, Field extends string>(
  source: QuerySource<Row, Field>,
  key: Field,
  value: unknown,
): Promise<Row | null> {
  const [row = null] = await source.where([{ field: key, operator: 'equals', value }]).slice(0, 1)
  return row
}

/** The error for an input with one wrong field. */
export function invalid<Key extends MessageKey>(
  name: string,
  ...wrong: Parameters<typeof ErrorDetail.of<Key>>
): ValidationError {
  return new ValidationError({ [name]: [ErrorDetail.of(...wrong)] })
}

export const readOnly: { readonly readOnly: true } = { readOnly: true }

/** A time as a column keeps it: milliseconds since 1970, which some drivers give as text. */
type Kept = number | string

/** A field that shows the time in a column, in ISO 8601. */
export function timeField<Column extends string>(
  column: Column,
): ReturnType<typeof field.computed<Readonly<Record<Column, Kept>>, string>> {
  const show = ({ [column]: at }: Readonly<Record<Column, Kept>>) => isoTime(at)
  return field.computed(show, { schema: { type: 'string', format: 'date-time' } })
}

/** A field like `moment`, for a column that may be `null`. */
export function timeOrNull<Column extends string>(
  column: Column,
): ReturnType<typeof field.computed<Readonly<Record<Column, Kept | null>>, string | null>> {
  const show = ({ [column]: at }: Readonly<Record<Column, Kept | null>>) =>
    at === null ? null : isoTime(at)
  return field.computed(show, { schema: { type: ['string', 'null'], format: 'date-time' } })
}

/** Writes a time in ISO 8601. */
export function isoTime(at: Kept): string {
  return new Date(Number(at)).toISOString()
}

/** Filters by columns that keep their values in another form than clients see. */
export class KeptFilter implements FilterBackend {
  readonly #parameters: readonly KeptParameter[]

  constructor(...parameters: readonly KeptParameter[]) {
    this.#parameters = parameters
  }

  parameters(): readonly ParameterFacts[] {
    return this.#parameters.map(({ name }) => ({ name }))
  }

  filter(source: AnyQuery, { query }: Incoming): AnyQuery {
    return this.#parameters.reduce((narrowed, { name, read, wrong, ...condition }) => {
      const text = query.text(name)
      const value = text === null ? null : read(text)
      if (text !== null && value === null) throw invalid(name, wrong)
      return value === null ? narrowed : narrowed.where([{ ...condition, value, parameter: name }])
    }, source)
  }
}

interface KeptParameter {
  readonly name: string
  readonly field: string
  readonly operator: FilterOperator
  /** Gives the value to compare with; `null`: the text is not valid. */
  readonly read: (text: string) => string | number | null
  readonly wrong: 'invalid.date_time' | 'invalid.unfit'
}

/** A scope of a token, as a whole word. */
export const SCOPE_PARAMETER: KeptParameter = {
  name: 'scope',
  field: 'words',
  operator: 'icontains',
  read: (scope) => (/^[!-~]+$/.test(scope) ? ` ${scope} ` : null),
  wrong: 'invalid.unfit',
}

/** A role of a user, as a whole word. */
export const ROLE_PARAMETER: KeptParameter = { ...SCOPE_PARAMETER, name: 'role' }

/** The fields of the columns that the application declares for users, to show and to read them. */
export function declaredFields({ roles, columns, secretColumns }: Accounts): {
  shown: {}
  given: {}
} {
  const rolesShown = field.computed((row: RolesKept) => rolesIn(row, roles), {
    schema: { type: 'array', items: { type: 'string' } },
  })
  const rolesGiven = field.multipleChoice(roles, { required: false })
  const isAny = roles.length > 0
  const shown: Record<string, unknown> = isAny ? { roles: rolesShown } : {}
  const given: Record<string, unknown> = isAny ? { roles: rolesGiven } : {}
  for (const [name, column] of Object.entries(columns)) {
    // A form that does not show a secret value would delete it.
    if (secretColumns.has(name)) continue
    shown[name] = declaredField(column, readOnly)
    given[name] = declaredField(column, { required: false })
  }
  return { shown, given }
}

/** The row of a user, with its roles as a list. */
export function withRoles<Row extends object>(row: Row | null, { roles }: Accounts): Row | null {
  return row && roles.length > 0 ? { ...row, roles: rolesIn(row as RolesKept, roles) } : row
}

interface RolesKept {
  readonly roles: string | readonly string[]
}

function rolesIn({ roles }: RolesKept, known: readonly string[]): readonly string[] {
  const all = typeof roles === 'string' ? roles.split(' ') : roles
  return all.filter((role) => known.includes(role))
}

function declaredField(
  { kind, nullable = false, maxLength, values = [] }: ColumnDefinition,
  more: object,
) {
  const options = { ...more, nullable }
  if (kind === 'choice') return field.choice(values, options)
  if (kind === 'text')
    return field.text({
      ...options,
      allowBlank: true,
      ...(maxLength !== undefined && { maxLength }),
    })
  return field[kind as 'integer' | 'float' | 'boolean' | 'uuid'](options)
}

/** Filters for the time before one that is given, and from it on: `lastUsed__lt`, `lastUsed__gte`. */
export function timeFilters(name: string, column: string): readonly KeptParameter[] {
  return (['lt', 'gte'] as const).map((operator) => {
    const lookup = `${name}__${operator}`
    return { name: lookup, field: column, operator, read: readMoment, wrong: 'invalid.date_time' }
  })
}

/** The answer of an endpoint, as documents and pages show it. */
interface Answer {
  readonly shows: (at: OperationPlace) => JSONSchema
  readonly presentation: (data: never, request: ApiRequest) => Presentation
  /** @default 200 */
  readonly status?: number
  readonly errors?: readonly ErrorFacts[]
}

interface Act<Rq, S extends AnyInputSerializer> extends Answer {
  readonly reads: S
  readonly does: (input: InputOf<NoInfer<S>>, request: Rq) => unknown
  /** The title of its form. */
  readonly title: Message
  /** The first values of its form. @default it is empty */
  readonly values?: (request: ApiRequest) => object
  /** The kind of value that browsers fill in, by field. */
  readonly autocomplete?: Readonly<Record<string, string>>
  readonly takesPasswords?: boolean
}

export const NO_SUCH_OBJECT: ErrorFacts = { status: 404, codes: ['not_found'] }

/** A handler that reads no body. */
export function withAnswer<Rq extends ApiRequest>(
  handle: Handler<Rq>,
  { shows, status = 200, errors = [], presentation }: Answer,
  reads?: AnyInputSerializer,
): Behaviour<Rq> {
  return {
    handle,
    presentation,
    operation: (at) => ({
      body: reads ? at.schema(reads, 'input') : null,
      answers: [{ status, schema: shows(at) }],
      errors: reads ? [{ status: 400, codes: ['invalid'] }, ...errors] : errors,
    }),
  }
}

/** A page with a notice above its form; programs get an empty object. */
export function formPage(notice: Message): Behaviour {
  return withAnswer(() => ({}), {
    shows: () => ({ type: 'object' }),
    presentation: () => ({ notice }),
  })
}

/** An endpoint that reads and checks a body, and then acts on it. */
export function actOnBody<Rq extends ApiRequest, S extends InputSerializer<never, unknown, Rq>>({
  reads,
  does,
  title,
  values,
  autocomplete = {},
  takesPasswords = false,
  ...answer
}: Act<Rq, S>): Behaviour<Rq> {
  const handle = async (request: Rq) => {
    const input = await reads.parse(await request.body(), request)
    return does(input as InputOf<S>, request)
  }
  return {
    ...withAnswer(handle, answer, reads),
    takesPasswords,
    form: (request) => ({
      fields: reads.describe?.(request) ?? {},
      values: values?.(request),
      lists: reads.lists?.(request) ?? {},
      title,
      autocomplete,
    }),
  }
}

export const objectWith = (name: string, schema: JSONSchema): JSONSchema => ({
  type: 'object',
  properties: { [name]: schema },
  required: [name],
})

/** The function that makes a cell, by the heading of its column. */
export type Columns<Row> = Readonly<Record<string, (row: Row, request: ApiRequest) => Cell>>

/** The table of a page. `known`: the name of a row, and the actions that it offers. */
export function tableOf<Row>(
  columns: Columns<Row>,
  rows: readonly Row[],
  request: ApiRequest,
  known: (row: Row) => Omit<PresentedRow, 'cells' | 'actions'> & Partial<PresentedRow>,
): Required<Pick<Presentation, 'columns' | 'rows'>> {
  const cells = Object.values(columns)
  return {
    columns: Object.keys(columns).map((heading) => Message.of(heading as 'admin.token')),
    rows: rows.map((row) => {
      return { actions: [], ...known(row), cells: cells.map((cell) => cell(row, request)) }
    }),
  }
}

/** The path to a route of the same namespace, without a host: the page may stand behind any host. */
export function pathToRoute(
  { namespace, linker, origin }: ApiRequest,
  name: AccountRoute | AdminRoute,
  params: Readonly<Record<string, unknown>> = {},
): string {
  const url = linker([...namespace, name].join(':')).url(params)
  return url.startsWith(origin) ? url.slice(origin.length) : url
}

/** Links to pages, each with its name. */
export function linksTo(
  request: ApiRequest,
  ...routes: readonly (
    | `admin-${'users' | 'tokens' | 'audit'}`
    | `account-${'tokens' | 'sessions' | 'password'}`
  )[]
): readonly PresentedAction[] {
  return routes.map((route) => ({
    label: Message.of(route.replace('-', '.') as 'admin.users'),
    url: pathToRoute(request, route),
  }))
}

/** The name of a row's user, with a link to the page of that user. */
export function ownerCell(
  { username: text, user: id }: { readonly username: string; readonly user: number },
  request: ApiRequest,
): Cell {
  return { text, url: pathToRoute(request, 'admin-user', { id }) }
}

/** Makes the cell of a time; `none`: its text without a time. */
export function timeCell<Name extends string>(
  name: Name,
  none: 'admin.never' | null = null,
): (row: Readonly<Record<Name, string | null>>) => Cell {
  return ({ [name]: at }) => (at === null ? { text: none && Message.of(none) } : { at })
}
