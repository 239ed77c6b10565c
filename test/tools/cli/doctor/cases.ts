// For each kind of finding the smallest service that has it, and the smallest change that takes it away.
import { onTestFinished } from 'vitest'
import {
  AllowAny,
  AnonRateThrottle,
  BasicAuthentication,
  ConcurrencyThrottle,
  CursorPagination,
  HostNameVersioning,
  LimitOffsetPagination,
  MemoryCounters,
  PageNumberPagination,
  RemoteUserAuthentication,
  ScopedRateThrottle,
  SearchFilter,
  SessionAuthentication,
  TokenAuthentication,
  UserRateThrottle,
  arraySource,
  defineApi,
  defineUrls,
  field,
  list,
  loginSession,
  logoutSession,
  obtainToken,
  resource,
  resourceUrls,
  serializer,
} from '../../../../src/index.ts'
import { loginPages, loginUrls } from '../../../../src/browsable.ts'
import type { Accounts } from '../../../../src/accounts/create-accounts.ts'
import type { Behaviour } from '../../../../src/core/ports/kernel.ts'
import type { CounterStore } from '../../../../src/core/ports/policies/throttling.ts'
import type { App } from '../../../../src/preset/define-api.ts'
import {
  type Configuration,
  readConfiguration,
} from '../../../../src/core/settings/configuration.ts'
import { defineAccounts } from '../../../../src/accounts.ts'
import { column, createTable, defineMigrations, migration, sqlTable } from '../../../../src/sql.ts'
import { healthEndpoints, healthUrls } from '../../../../src/operations.ts'
import { openMysql } from '../../../../src/mysql.ts'
import { openPostgres } from '../../../../src/postgres.ts'
import { openSqlite } from '../../../../src/sqlite.ts'
import type { Machine } from '../../../../src/tools/cli/doctor/doctor-command.ts'
import { type ServerDialect, migratedDatabaseUrl } from '../../../setup/databases.ts'
import { migratedSqlite, temporaryDirectory, temporarySqlite } from '../../../contract/temporary.ts'

type Keys = Readonly<Record<string, unknown>>
type Build = (keys: Keys) => App | Promise<App>

/** Keys of a service that has nothing to be found. */
export const CLEAN: Keys = {
  SECRET_KEY: 'tN4vQ0xJ8wYcR2mZ6kLpD1sB7hGfE3uA',
  PUBLIC_URL: 'https://api.example.com',
  ALLOWED_HOSTS: ['api.example.com'],
  TRUSTED_PROXIES: ['10.0.0.1'],
  CREDENTIAL_FAILURES: '10/10m',
  STRICT_QUERY: true,
  RATE_LIMIT_HEADERS: true,
  WORKERS: 1,
}

/** As an operator sets keys in the environment of a service in production; `undefined` takes one away. */
export function production(
  keys: Keys = {},
  mode = 'production',
  others: Readonly<Record<string, string>> = {},
): Configuration {
  const set = Object.entries({ ...CLEAN, ...keys }).filter(([, value]) => value !== undefined)
  const env = set.map(([key, value]) => [
    `COLOPHON_${key}`,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const cwd = temporaryDirectory()
  return readConfiguration({ cwd, env: { ...others, ...Object.fromEntries(env), NODE_ENV: mode } })
}

const letters = arraySource([{ id: 1, name: 'a' }], { key: 'id' })
/** Outside of this process; no test asks it. */
const counters: CounterStore = {
  hit: () => ({ at: 0, standings: [] }),
  withdraw: () => {},
  clear: () => {},
}
const paged = new PageNumberPagination({ pageSize: 10, maxOffset: 1000 })

/** One endpoint that answers GET, with accounts or without. */
export function reading(options: object = {}, mode = 'production'): Build {
  return (keys) => {
    const api = defineApi({
      urls: { letters: '/letters/' },
      counters,
      pagination: paged,
      permissions: [new AllowAny()],
      ...options,
    })
    const searches = 'filters' in options
    const searchFields = searches ? (['name'] as const) : null
    const endpoint = api.endpoint('letters').get(list({ source: letters, searchFields }))
    return api.serve([endpoint], { configuration: production(keys, mode) })
  }
}

/** The same in an environment that has more. */
function amid(others: Readonly<Record<string, string>>): Build {
  return (keys) =>
    defineApi({ urls: {}, counters }).serve([], {
      configuration: production(keys, 'production', others),
    })
}

function signed(
  authentication: (accounts: Accounts) => readonly object[],
  options: object = {},
): Build {
  return async (keys) => {
    const accounts = await accountsFor(keys)
    return reading({ accounts, authentication: authentication(accounts), ...options })(keys)
  }
}

async function accountsFor(keys: Keys, mode = 'production'): Promise<Accounts> {
  const configuration = production(keys, mode)
  return defineAccounts({ database: await migratedSqlite(), configuration })
}

/** One endpoint that answers POST. */
function writing(options: object, behaviour: Behaviour = { handle: () => null }): Build {
  return (keys) => {
    const api = defineApi({ urls: { letters: '/letters/' }, counters })
    const endpoint = api.endpoint('letters', options).post(behaviour)
    return api.serve([endpoint], { configuration: production(keys) })
  }
}

/** Patients have a scope; do the visits that refer to them? */
function visits({
  isNarrowed = false,
  finds,
  only = ['create'],
  ...scoped
}: {
  readonly isNarrowed?: boolean
  /** In place of a reference to the patients. */
  readonly finds?: { readonly scope?: null }
  readonly only?: readonly ('create' | 'update' | 'partialUpdate')[]
  readonly scope?: () => { name: string }
}): Build {
  return (keys) => {
    const database = openSqlite({ path: temporaryDirectory() + '/clinic.sqlite' })
    const db = database.kysely<{ row: { id: number; name: string; to: number } }>()
    const rows = () => sqlTable({ database, db, table: 'row', key: 'id' })
    const [patients, all] = [rows(), rows()]
    const store = isNarrowed ? () => all.within(scope()) : all
    const to = finds ? field.related({ find: () => null, ...finds }) : field.related(patients)
    const outer = defineApi({
      urls: { ...resourceUrls('visit', '/visits/', ':id<int>'), 'patient-list': '/patients/' },
      counters,
    })
    const api = outer.group({ permissions: [new AllowAny()] })
    const visit = serializer({ name: field.text(), to, id: field.integer() })
    const other = only.includes('create') ? 'visit-detail' : 'visit-list'
    const served = [
      api.endpoint(other).get(() => null),
      ...resource(api, 'visit', { store, ...scoped, serializer: visit, only }),
      ...resource(api, 'patient', {
        store: patients,
        scope,
        serializer: serializer({ id: field.integer(), to: field.integer() }),
        only: ['create'],
      }),
    ]
    return outer.serve(served, { configuration: production(keys) })
  }
}

const scope = () => ({ name: 'a' })

const login = loginWith({})

function loginWith(options: object, store: CounterStore = counters, keeps = false): Build {
  return async (keys) => {
    const accounts = await accountsFor(keys)
    const api = defineApi({
      urls: { token: '/token/' },
      counters: store,
      authentication: [],
      ...(keeps && { database: accounts.database }),
    })
    const endpoint = api.endpoint('token', options).post(obtainToken({ accounts }))
    return api.serve([endpoint], { configuration: production(keys) })
  }
}

/** Pages, a script, and a token: endpoints that take passwords, and two that end a session. */
export const everyLogin: Build = async (keys) => {
  const accounts = await accountsFor(keys)
  const urls = defineUrls({ ...loginUrls, session: '/session/', token: '/token/' })
  const api = defineApi({ urls, accounts, counters, authentication: [] })
  const session = api.endpoint('session').post(loginSession({ accounts }))
  return api.serve(
    [
      ...loginPages(api, { accounts }),
      session.delete(logoutSession({ accounts })),
      api.endpoint('token').post(obtainToken({ accounts })),
    ],
    { configuration: production(keys) },
  )
}

const perHour = new UserRateThrottle({ rate: '1000/h' })

export interface Case {
  readonly kind: string
  /** The mistake. */
  readonly wrong: () => App | Promise<App>
  /** The same service without it. */
  readonly right: () => App | Promise<App>
  /** What production refuses to start with is found elsewhere only. */
  readonly elsewhere?: true
  /** Where the mistake is. @default a machine of eight cores */
  readonly machine?: Partial<Machine>
}

/** The same application under two sets of keys. */
function byKeys(kind: string, build: Build, wrong: Keys, right: Keys = {}): Case {
  return { kind, wrong: () => build(wrong), right: () => build(right) }
}

/** Two applications under the same keys. */
function byCode(kind: string, wrong: Build, right: Build, keys: Keys = {}): Case {
  return { kind, wrong: () => wrong(keys), right: () => right(keys) }
}

const cursors = new CursorPagination({ pageSize: 10, ordering: 'id' })
const sessions = signed((accounts) => [new SessionAuthentication(accounts)])
const remote = signed((accounts) => [new RemoteUserAuthentication(accounts)])
const WEAK = 'change me, change me, change me, change me'

export const CASES: readonly Case[] = [
  byCode('not-production', reading({}, 'development'), reading()),
  byCode('unread-keys', amid({ MAX_OFFSET: '100' }), amid({ COLOPHON_MAX_OFFSET: '100' })),
  {
    kind: 'missing-secret',
    elsewhere: true,
    wrong: async () => {
      const keys = { SECRET_KEY: undefined }
      const accounts = await accountsFor(keys, 'test')
      return reading({ accounts, authentication: [] }, 'test')(keys)
    },
    right: async () => {
      const accounts = await accountsFor({}, 'test')
      return reading({ accounts, authentication: [] }, 'test')({})
    },
  },
  { ...byKeys('weak-secret', reading({}, 'test'), { SECRET_KEY: WEAK }), elsewhere: true },
  {
    ...byKeys('missing-secret', reading({ pagination: cursors }, 'test'), {
      SECRET_KEY: undefined,
    }),
    elsewhere: true,
  },
  {
    kind: 'weak-secret',
    elsewhere: true,
    wrong: () => withSecretInCode(WEAK),
    right: () => withSecretInCode(String(CLEAN['SECRET_KEY'])),
  },
  byKeys('weak-old-secret', reading(), { SECRET_KEY_FALLBACKS: [WEAK] }),
  {
    kind: 'changed-migrations',
    wrong: async () => withDatabase(await migratedFor('other')),
    right: async () => withDatabase(await migratedFor('note')),
  },
  {
    kind: 'pending-migrations',
    wrong: () => withDatabase(temporarySqlite()),
    right: async () => withDatabase(await migratedSqlite()),
  },
  {
    kind: 'database-away',
    wrong: () => withDatabase(openSqlite({ path: temporaryDirectory() })),
    right: async () => withDatabase(await migratedSqlite()),
  },
  {
    kind: 'database-away',
    wrong: () => withDatabase(openSqlite({ path: `${temporaryDirectory()}/none/a.sqlite` })),
    right: async () => withDatabase(await migratedSqlite()),
  },
  byKeys(
    'passwords-without-https',
    signed(({ users }) => [new BasicAuthentication({ users })]),
    { PUBLIC_URL: 'http://api.example.com' },
  ),
  byKeys(
    'tokens-without-https',
    signed(({ tokens }) => [new TokenAuthentication({ tokens })]),
    { PUBLIC_URL: undefined, TRUSTED_PROXIES: [] },
    { PUBLIC_URL: undefined },
  ),
  byKeys('passwords-without-https', login, { PUBLIC_URL: 'http://api.example.com' }),
  byKeys('any-host', reading(), { ALLOWED_HOSTS: ['*'] }),
  ...[
    { ALLOWED_HOSTS: ['api.example.com', 'v1.example.com'] },
    { ALLOWED_HOSTS: ['.example.org'] },
  ].map((wrong) =>
    byKeys(
      'refused-hosts',
      reading({
        versioning: new HostNameVersioning({ hostnameRegex: /^(v\d)\.example\.com$/ }),
        allowedVersions: ['v1', 'v2'],
      }),
      { PUBLIC_URL: undefined, ...wrong },
      { PUBLIC_URL: undefined, ALLOWED_HOSTS: ['.example.com'] },
    ),
  ),
  byKeys('any-proxy', reading(), { TRUSTED_PROXIES: ['0.0.0.0/0'] }),
  byKeys('any-proxy', reading(), { TRUSTED_PROXIES: ['::/0'] }),
  byKeys('any-proxy', reading(), { TRUSTED_PROXIES: ['0.0.0.0/1', '128.0.0.0/1'] }),
  byKeys(
    'any-remote-user',
    remote,
    { REMOTE_USER_SOURCE: { header: 'X-User', proxies: ['0.0.0.0/0'] } },
    { REMOTE_USER_SOURCE: { header: 'X-User', proxies: ['10.0.0.0/8', 'fc00::/7', 'unix'] } },
  ),
  byKeys('huge-bodies', reading(), { DATA_UPLOAD_MAX_MEMORY_SIZE: 1e9 }),
  byKeys('insecure-cookies', sessions, { SESSION_COOKIE_SECURE: false }),
  byKeys('insecure-cookies', sessions, { CSRF_COOKIE_SECURE: false }),
  byKeys('cross-site-sessions', sessions, { SESSION_COOKIE_SAMESITE: 'None' }),
  byKeys('wide-csrf-origins', sessions, { CSRF_TRUSTED_ORIGINS: ['https://*.example.com'] }),
  byKeys(
    'wide-csrf-origins',
    sessions,
    { CSRF_TRUSTED_ORIGINS: ['http://app.example.com'] },
    { CSRF_TRUSTED_ORIGINS: ['https://app.example.com'] },
  ),
  byKeys(
    'wide-cors',
    reading(),
    { CORS: { origins: ['https://*.example.com'], credentials: true } },
    { CORS: { origins: ['https://*.example.com'] } },
  ),
  byKeys(
    'wide-cors',
    reading(),
    { CORS: { origins: ['http://localhost:*'], credentials: true } },
    { CORS: { origins: ['https://app.example.com'], credentials: true } },
  ),
  byKeys(
    'unlimited-guesses',
    signed(({ users }) => [new BasicAuthentication({ users })]),
    { CREDENTIAL_FAILURES: undefined },
  ),
  byKeys('unlimited-guesses', login, { CREDENTIAL_FAILURES: undefined }),
  byCode(
    'unlimited-guesses',
    login,
    loginWith({ throttles: [new AnonRateThrottle({ rate: '5/min' })] }),
    { CREDENTIAL_FAILURES: undefined },
  ),
  byCode(
    'unlimited-guesses',
    loginWith({ throttles: [new ConcurrencyThrottle({ limit: 2 })] }),
    loginWith({ throttles: [new UserRateThrottle({ rate: '5/min' })] }),
    { CREDENTIAL_FAILURES: undefined },
  ),
  byCode(
    'unlimited-guesses',
    loginWith({ throttles: [new ScopedRateThrottle()] }),
    loginWith({
      throttles: [new ScopedRateThrottle()],
      throttleScope: 'login',
      throttleRates: { login: '5/min' },
    }),
    { CREDENTIAL_FAILURES: undefined },
  ),
  byKeys('guesses-without-store', login, { ON_STORE_ERROR: 'allow' }, { ON_STORE_ERROR: 'deny' }),
  byKeys(
    'idle-throttle',
    reading({ throttles: [new UserRateThrottle()] }),
    {},
    { DEFAULT_THROTTLE_RATES: { user: '1000/h' } },
  ),
  byCode(
    'idle-throttle',
    reading({ throttles: [new UserRateThrottle({ rate: null })] }),
    reading({ throttles: [new ScopedRateThrottle()] }),
  ),
  byKeys('lenient-query', reading(), { STRICT_QUERY: undefined }),
  byKeys('silent-limits', reading({ throttles: [perHour] }), { RATE_LIMIT_HEADERS: false }),
  byCode('counters-in-memory', loginWith({ onStoreError: 'allow' }, new MemoryCounters()), login),
  byCode(
    'counters-in-memory',
    loginWith({}, new MemoryCounters()),
    loginWith({}, new MemoryCounters(), true),
  ),
  byKeys(
    'counters-in-memory',
    reading({ throttles: [perHour], counters: new MemoryCounters() }),
    {},
    { THROTTLE_STORE: 'memory' },
  ),
  byKeys(
    'counters-in-memory',
    signed(({ tokens }) => [new TokenAuthentication({ tokens })], {
      counters: undefined,
      throttles: [perHour],
    }),
    {},
    { THROTTLE_STORE: 'database' },
  ),
  byKeys('chosen-addresses', reading({ throttles: [perHour] }), { NUM_PROXIES: null }),
  byKeys('chosen-addresses', reading({ throttles: [perHour] }), { NUM_PROXIES: 1 }),
  byKeys(
    'many-addresses',
    reading({ throttles: [perHour] }),
    { IPV6_PREFIX: 65 },
    { IPV6_PREFIX: 64 },
  ),
  byKeys(
    'many-addresses',
    reading({ throttles: [perHour] }),
    { NUM_PROXIES: 0, PUBLIC_URL: undefined, TRUSTED_PROXIES: [] },
    { PUBLIC_URL: undefined, TRUSTED_PROXIES: [] },
  ),
  byKeys('shared-addresses', reading({ throttles: [perHour] }), { NUM_PROXIES: 0 }),
  byKeys('shared-addresses', reading({ throttles: [perHour] }), { TRUSTED_PROXIES: [] }),
  byKeys(
    'shared-addresses',
    reading({ throttles: [perHour] }),
    { HOST: 'unix:/run/api.sock' },
    { HOST: 'unix:/run/api.sock', TRUSTED_PROXIES: ['unix'] },
  ),
  byCode(
    'open-writes',
    writing({}),
    writing({}, { handle: () => null, permissions: [new AllowAny()] }),
  ),
  byCode('open-writes', writing({}), writing({ permissions: [new AllowAny()] })),
  byKeys(
    'open-writes',
    writing({}),
    { DEFAULT_PERMISSION_CLASSES: ['AllowAny'] },
    {
      DEFAULT_PERMISSION_CLASSES: ['IsAuthenticated'],
    },
  ),
  byCode('open-reads', reading({ permissions: undefined }), reading()),
  byKeys(
    'open-reads',
    reading({ permissions: undefined }),
    {},
    { DEFAULT_PERMISSION_CLASSES: ['AllowAny'] },
  ),
  ...(['create', 'update', 'partialUpdate'] as const).map((action) =>
    byCode('crossing-relations', visits({ only: [action] }), visits({ only: [action], scope })),
  ),
  byCode('crossing-relations', visits({ isNarrowed: true }), visits({ isNarrowed: true, scope })),
  byCode(
    'unscoped-relations',
    visits({ isNarrowed: true, finds: {} }),
    visits({ isNarrowed: true, finds: {}, scope }),
  ),
  byCode(
    'unscoped-relations',
    visits({ isNarrowed: true, finds: {} }),
    visits({ isNarrowed: true, finds: { scope: null } }),
  ),
  byKeys(
    'missing-page-size',
    reading({ pagination: new PageNumberPagination({ maxOffset: 1000 }) }),
    {},
    { PAGE_SIZE: 10 },
  ),
  byKeys(
    'missing-page-size',
    reading({ pagination: new PageNumberPagination({ maxOffset: 1000 }) }),
    {},
    { MAX_PAGE_SIZE: 10 },
  ),
  byCode('whole-list', reading({ pagination: null }), reading()),
  byKeys(
    'whole-list',
    reading({ pagination: new LimitOffsetPagination({ defaultLimit: 10, maxOffset: 1000 }) }),
    {},
    { MAX_PAGE_SIZE: 100 },
  ),
  byKeys(
    'unlimited-offset',
    reading({ pagination: new PageNumberPagination({ pageSize: 10 }) }),
    {},
    { MAX_OFFSET: 1000 },
  ),
  byCode(
    'uncapped-search',
    reading({ filters: [new SearchFilter()] }),
    reading({
      filters: [new SearchFilter()],
      pagination: new PageNumberPagination({ pageSize: 10, maxOffset: 1000, count: 'capped' }),
    }),
  ),
  byKeys('idle-cores', reading(), { WORKERS: undefined }),
  {
    kind: 'missing-probes',
    wrong: () => reading()({ HOST: '0.0.0.0' }),
    right: () => withProbes({ HOST: '0.0.0.0' }),
  },
  { kind: 'crowded-database', wrong: onServer(98), right: onServer(97) },
  ...(['postgres', 'mysql'] as const).map((dialect) => ({
    kind: 'clocks-apart',
    wrong: onServer(2, dialect),
    right: onServer(2, dialect),
    machine: { now: () => Date.now() - 3600_000 },
  })),
  { kind: 'stale-replicas', wrong: onReplica(60_001), right: onReplica(60_000) },
  { kind: 'stale-replicas', wrong: onReplica(Infinity), right: onReplica() },
  {
    kind: 'mixed-times',
    wrong: withTimes('12:00:00Z', '12:00:00.5Z'),
    right: withTimes('12:00:00Z', '12:00:01Z'),
  },
  {
    kind: 'mixed-times',
    wrong: withTimes('12:00:00.5Z', '12:00:00.52Z'),
    right: withTimes('12:00:00', '12:00:00.5'),
  },
]

/** Rows whose points in time are texts, as another program wrote them. */
function withTimes(...times: readonly string[]): () => Promise<App> {
  return async () => {
    const database = await migratedSqlite()
    await database.write({ sql: 'create table note (at datetime, text text)', parameters: [] })
    for (const time of times)
      await database.write({
        sql: 'insert into note values (?, ?)',
        parameters: [`2026-11-30T${time}`, time],
      })
    return reading({ database })({})
  }
}

/** What a replica may be behind is known without asking it. */
function onReplica(maxLag?: number): () => Promise<App> {
  return async () => {
    const url = await migratedDatabaseUrl('postgres')
    const lag = maxLag === undefined ? {} : { maxLag }
    const database = openPostgres({ url, replicas: [url], connections: 2, ...lag })
    onTestFinished(() => database.close())
    return reading({ database })({})
  }
}

/** A server of its own for the limit and the clock that doctor asks for. */
function onServer(connections: number, dialect: ServerDialect = 'postgres'): () => Promise<App> {
  return async () => {
    const url = await migratedDatabaseUrl(dialect)
    const database = (dialect === 'postgres' ? openPostgres : openMysql)({ url, connections })
    onTestFinished(() => database.close())
    return reading({ database })({})
  }
}

function withProbes(keys: Keys): App | Promise<App> {
  const api = defineApi({ urls: defineUrls(healthUrls), counters })
  return api.serve([...healthEndpoints(api)], { configuration: production(keys) })
}

/** A database whose migration made the table `note`, opened with one that makes this table. */
async function migratedFor(table: string): Promise<ReturnType<typeof openSqlite>> {
  const path = `${temporaryDirectory()}/changed.sqlite`
  const open = (name: string): ReturnType<typeof openSqlite> =>
    openSqlite({
      path,
      migrations: defineMigrations([migration('1', [createTable(name, { id: column.id() })])]),
    })
  const database = open('note')
  await database.migrate()
  database.close()
  return open(table)
}

function withDatabase(database: ReturnType<typeof openSqlite>): App | Promise<App> {
  const accounts = defineAccounts({ database, configuration: production() })
  return reading({ accounts, authentication: [] })({})
}

async function withSecretInCode(secretKey: string): Promise<App> {
  const keys = { SECRET_KEY: undefined }
  const configuration = production(keys, 'test')
  const accounts = defineAccounts({ database: await migratedSqlite(), configuration, secretKey })
  return reading({ accounts, authentication: [] }, 'test')(keys)
}
