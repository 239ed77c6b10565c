import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type App,
  type Configuration,
  ConfigurationError,
  CursorPagination,
  OrderingFilter,
  arraySource,
  configurationOf,
  defineApi,
  list,
} from '../../../src/index.ts'
import type { ListSource, Paginator } from '../../../src/types.ts'
import { type Accounts, defineAccounts } from '../../../src/accounts.ts'
import { Seal } from '../../../src/core/secrets/seal.ts'
import { NO_SEALS, sealsFor, secretOf } from '../../../src/core/secrets/secret-key.ts'
import { client } from '../../../src/testing.ts'
import { migratedSqlite, temporaryDirectory } from '../../contract/temporary.ts'

const rows = Array.from({ length: 9 }, (_, index) => ({ id: index }))
const urls = { numbers: '/numbers/' } as const
const pagination = new CursorPagination({ pageSize: 4, ordering: 'id' })

interface Place {
  readonly keys?: Readonly<Record<string, unknown>>
  readonly production?: boolean
  readonly folder?: string
  readonly accounts?: Accounts
}

function configured({ keys, production = false, folder = '/nowhere' }: Place): Configuration {
  return { ...configurationOf(keys), production, folder }
}

function serve(place: Place): App {
  const { accounts } = place
  const api = defineApi({ urls, ...(accounts ? { accounts } : {}) })
  const source = arraySource(rows, { key: 'id' })
  const numbers = api.endpoint('numbers', { pagination }).get(list({ source }))
  return api.serve([numbers], { configuration: configured(place) })
}

const next = async (app: App, link = '/numbers/'): Promise<string> => {
  const { data } = await client(app).get(link)
  return (data as { next: string }).next.replace('http://localhost', '')
}

/** Good enough for production. */
const [SECRET, IN_CODE, ANOTHER] = ['tN4v', 'hB7u', 'e3Gx'].map(
  (text) => `${text}Q0xJ8wYcR2mZ6kLpD1sHfB7uGaE3`,
)

const POSTGRES = 'postgres://user@host/app'

describe('what cursors are sealed with', () => {
  test('is SECRET_KEY, wherever the service runs', async () => {
    for (const production of [true, false])
      for (const DATABASE_URL of ['sqlite:app.sqlite', POSTGRES]) {
        const app = serve({ keys: { SECRET_KEY: SECRET!, DATABASE_URL }, production })
        expect(await next(app, await next(app))).toContain('cursor=')
      }
  })

  test.each<[string, Place]>([
    ['in production', { production: true }],
    ['for a database on a server', { keys: { DATABASE_URL: POSTGRES } }],
    ['for one that is no file', { keys: { DATABASE_URL: 'sqlite::memory:' } }],
    ['for one that has no name', { keys: { DATABASE_URL: 'sqlite:' } }],
  ])('without it, a service with cursors does not start %s', (_, place) => {
    expect(() => serve(place)).toThrow(ConfigurationError)
    expect(() => serve(place)).toThrow(
      /^endpoint numbers: DEFAULT_PAGINATION_CLASS \(from endpoint numbers\) has CursorPagination, which needs SECRET_KEY/,
    )
  })

  test('nor with a style that one list brings', () => {
    const api = defineApi({ urls })
    const source = arraySource(rows, { key: 'id' })
    const configuration = configured({ production: true })
    const numbers = api.endpoint('numbers').get(list({ source, pagination }))
    expect(() => api.serve([numbers], { configuration })).toThrow(
      'GET of endpoint numbers: CursorPagination needs SECRET_KEY',
    )
  })

  test('in development it is kept beside the SQLite file, and made when it is first needed', async () => {
    const folder = temporaryDirectory()
    const file = join(folder, 'app.sqlite.key')
    const place = { folder, keys: { DATABASE_URL: 'sqlite:app.sqlite' } }
    const app = serve(place)
    await client(app).get('/numbers/?cursor=')
    const link = await next(app)
    expect(existsSync(file)).toBe(true)
    expect(await next(serve(place), link)).toContain('cursor=')
    expect((await client(serve({ keys: { SECRET_KEY: 'x' } })).get(link)).status).toBe(404)
  })

  test('a service that seals nothing leaves no secret behind', async () => {
    const folder = temporaryDirectory()
    const api = defineApi({ urls })
    const numbers = api.endpoint('numbers').get(list({ source: arraySource(rows) }))
    const app = api.serve([numbers], { configuration: configured({ folder }) })
    expect((await client(app).get('/numbers/')).status).toBe(200)
    expect(existsSync(join(folder, 'colophon.sqlite.key'))).toBe(false)
  })

  test('is that of the accounts, where only they have one', async () => {
    const database = await migratedSqlite()
    const accounts = defineAccounts({ database, secretKey: IN_CODE! })
    const place = { production: true, accounts }
    const link = await next(serve(place))
    expect(await next(serve(place), link)).toContain('cursor=')
    const other = defineAccounts({ database, secretKey: ANOTHER! })
    expect((await client(serve({ ...place, accounts: other })).get(link)).status).toBe(404)
    const renewed = { database, secretKey: ANOTHER!, secretKeyFallbacks: [IN_CODE!] }
    const both = serve({ ...place, accounts: defineAccounts(renewed) })
    expect(await next(both, link)).toContain('cursor=')
  })

  test('that of the accounts is the one beside their database', async () => {
    const database = await migratedSqlite()
    const configuration = configured({})
    const accounts = defineAccounts({ database, configuration })
    expect(await next(serve({ accounts }))).toContain('cursor=')
    expect(existsSync(`${database.path}.key`)).toBe(true)
  })

  test('SECRET_KEY counts before that of the accounts', async () => {
    const accounts = defineAccounts({ database: await migratedSqlite(), secretKey: 'in code' })
    const keys = { SECRET_KEY: 'said' }
    const link = await next(serve({ accounts, keys }))
    expect(await next(serve({ keys }), link)).toContain('cursor=')
    expect((await client(serve({ accounts })).get(link)).status).toBe(404)
  })

  test('an empty one is none', async () => {
    const accounts = defineAccounts({ database: await migratedSqlite(), secretKey: '' })
    expect(() => accounts.seals.seal('', 'text')).toThrow('SECRET_KEY is missing')
  })

  test('a policy that did not ask is told when it seals', async () => {
    const careless: Paginator = {
      paginate: (_source, { seals }) => ({ rows: [seals.seal('', 'text')] }),
      respond: () => ({ status: 200, headers: {}, data: null }),
    }
    const told: unknown[] = []
    const logger = {
      error: ({ error }: Readonly<Record<string, unknown>>) => void told.push(error),
    }
    const api = defineApi({ urls, pagination: careless, logger })
    const numbers = api.endpoint('numbers').get(list({ source: arraySource(rows) }))
    const app = api.serve([numbers], { configuration: configured({ production: true }) })
    expect((await client(app).get('/numbers/')).status).toBe(500)
    expect(JSON.stringify(told)).toContain('SECRET_KEY is missing')
  })
})

describe('where none is set and none may be made up', () => {
  test.each([
    ['In production', true, '/nowhere/app.sqlite'],
    ['For a database on a server', false, null],
  ])('%s: is refused, with how to make one', (where, production, path) => {
    expect(() => secretOf(configured({ production }), { path })).toThrow(
      `SECRET_KEY is missing. ${where} it must be set: a long random text that seals the tokens. Make one with \`npx colophon secret\`. Keep it.`,
    )
  })
})

test('the seals of an application are those of texts, and open what came before', () => {
  const keys = { SECRET_KEY: SECRET!, SECRET_KEY_FALLBACKS: [IN_CODE!, ANOTHER!] }
  const seals = sealsFor(configured({ keys }), null, {})!
  const sealedBy = (secret: string) => new Seal('texts', () => [secret]).seal('list', 'text')
  expect(seals.seal('list', 'text')).toBe(sealedBy(SECRET!))
  for (const secret of [IN_CODE!, ANOTHER!])
    expect(seals.unseal('list', sealedBy(secret))).toBe('text')
})

test('without a secret nothing is sealed and nothing opened, with what is missing', () => {
  const refusal = new ConfigurationError(
    'SECRET_KEY is missing. Set it to a long random text, which seals what clients bring back.',
  )
  expect(() => NO_SEALS.seal('', 'text')).toThrow(refusal)
  expect(() => NO_SEALS.unseal('', 'text')).toThrow(refusal)
  expect(Object.isFrozen(NO_SEALS)).toBe(true)
})

describe('what a cursor style needs of a list is said when the service starts', () => {
  const served = (style: unknown, source: ListSource<unknown>, more: object = {}) => {
    const api = defineApi({ urls, pagination: style as Paginator, filters: [new OrderingFilter()] })
    const numbers = api.endpoint('numbers').get(list({ source: source as never, ...more }))
    return () => api.serve([numbers], { configuration: configured({ keys: { SECRET_KEY: 'x' } }) })
  }

  test('a source that can begin at a row', () => {
    expect(served(pagination, arraySource(rows))).toThrow(
      'GET of endpoint numbers: CursorPagination needs a source with seek()',
    )
    expect(served(pagination, arraySource(rows, { key: 'id' }))).not.toThrow()
  })

  test('with the fields of its order, unless the list has an order of its own', () => {
    const source = arraySource(rows, { key: 'id' })
    expect(served(new CursorPagination(), source)).toThrow(
      /^GET of endpoint numbers: CursorPagination orders by "created": .*created/,
    )
    expect(
      served(new CursorPagination(), source, { ordering: 'id', orderingFields: ['id'] }),
    ).not.toThrow()
  })

  test('or at the first request, where a function gives it', async () => {
    const told: unknown[] = []
    const logger = { error: (record: object) => void told.push(record) }
    const api = defineApi({ urls, pagination, logger })
    const numbers = api.endpoint('numbers').get(list({ source: () => arraySource(rows) as never }))
    const app = api.serve([numbers], { configuration: configured({ keys: { SECRET_KEY: 'x' } }) })
    expect((await client(app).get('/numbers/')).status).toBe(500)
    expect(JSON.stringify(told)).toContain(
      'endpoint numbers: CursorPagination needs a source with seek()',
    )
  })
})
