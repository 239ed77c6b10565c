// Reads on a streaming replica: a client sees what it has written, whatever the replica lacks.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  type PostgresServer,
  startPostgres,
  startStandby,
} from '../../../scripts/servers/postgres.ts'
import { startTcpProxy } from '../../../scripts/servers/tcp-proxy.ts'
import { defineAccounts } from '../../../src/accounts.ts'
import {
  TokenAuthentication,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  resource,
  resourceUrls,
  serializer,
} from '../../../src/index.ts'
import { sqlTable } from '../../../src/sql.ts'
import { type PostgresOptions, openPostgres } from '../../../src/storage/postgres/open.ts'
import { placeOf } from '../../../src/storage/postgres/replicas.ts'
import { readsOfOwnWrites } from '../../proofs/own-writes.ts'
import { until } from '../../setup/until.ts'

const run = (sql: string, ...parameters: unknown[]) => ({ sql, parameters })

let primary: PostgresServer
let standby: PostgresServer
beforeAll(async () => {
  primary = await startPostgres()
  standby = await startStandby(primary.url, [
    'recovery_min_apply_delay=5ms',
    'max_standby_streaming_delay=200ms',
  ])
  const database = openPostgres(primary.url)
  await database.write(run('create table note (id integer primary key, value integer not null)'))
  await database.write(run('insert into note select n, 0 from generate_series(0, 9) n'))
  await database.close()
}, 120_000)
afterAll(async () => {
  await standby.stop()
  await primary.stop()
})

type Options = Partial<Extract<PostgresOptions, { url: string }>>

function open(options: Options = {}) {
  const own = { url: primary.url, replicas: [standby.url], replicaWait: 5000, ...options }
  const database = openPostgres(own)
  onTestFinished(() => database.close())
  return database
}

/** An application that says which server has answered. */
function service(database: ReturnType<typeof open>) {
  const urls = defineUrls({ note: '/notes/:id<int>/', fresh: '/fresh/:id<int>/', all: '/notes/' })
  const api = defineApi({ urls, database, reads: 'replica' })
  const read = async ({ params: { id } }: { params: { id: number } }) => {
    const [row] = await database.read(
      run('select value, pg_is_in_recovery() as replica from note where id = $1', id),
    )
    return row
  }
  const permission = {
    hasPermission: () => null,
    // What decides is read from the primary, also within a handler.
    async hasObjectPermission() {
      const [row] = await database.read(run('select pg_is_in_recovery() as replica'))
      return row!['replica'] === false
    },
  }
  const note = api
    .endpoint('note', { permissions: [permission] })
    .get(async (request) => {
      const row = await read(request)
      await request.checkObjectPermissions(row)
      return row
    })
    .put(async (request) => {
      const { value } = (await request.body()) as { value: number }
      await database.write(
        run('update note set value = $2 where id = $1', request.params.id, value),
      )
      return read(request)
    })
  const fresh = api.endpoint('fresh', { reads: 'primary' }).get(read)
  const all = api.endpoint('all').get(() =>
    database.snapshot(async (reader) => {
      const [row] = await reader.read(run('select pg_is_in_recovery() as replica'))
      return row
    }),
  )
  const { fetch } = api.serve([note, fresh, all], { configuration: configurationOf() })
  return async (method: string, path: string, after: string | null = null, body?: unknown) => {
    const answer = await fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: {
          'Content-Type': 'application/json',
          ...(after !== null && { 'Read-After': after }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
    expect(answer.status).toBe(200)
    const row = (await answer.json()) as { value: number; replica: boolean }
    return { ...row, after: answer.headers.get('Read-After'), vary: answer.headers.get('Vary') }
  }
}

/** Until a replica answers: it has to be looked at first. */
const answersFromReplica = (ask: ReturnType<typeof service>) =>
  until(async () => expect((await ask('GET', '/notes/1/')).replica).toBe(true))

const IN_RECOVERY = 'pg_is_in_recovery() as replica'

/** An application with one endpoint, whose handler gets the place in the query. */
function answering(
  database: ReturnType<typeof open>,
  handle: (given: string | null) => Promise<unknown>,
) {
  const api = defineApi({ urls: defineUrls({ one: '/one/' }), database, reads: 'replica' })
  const one = api.endpoint('one').get((request) => handle(request.query.get('given')) as never)
  const app = api.serve([one], { configuration: configurationOf() })
  const ask = async (given?: string) =>
    app.fetch(new Request(`http://localhost/one/${given === undefined ? '' : `?given=${given}`}`))
  return {
    get: async (given?: string) => (await ask(given)).json() as Promise<unknown>,
    status: async (given?: string) => (await ask(given)).status,
    header: async (name: string) => (await ask()).headers.get(name),
  }
}

const onStandby = (sql: string) => once(standby, sql)
const onPrimary = (sql: string) => once(primary, sql)

/** Where the log of a server stands. */
async function placeOn({ url }: PostgresServer): Promise<bigint> {
  const database = openPostgres(url)
  const [row] = await database.read<{ place: string }>(
    run(`select case when pg_is_in_recovery() then pg_last_wal_replay_lsn()
      else pg_current_wal_insert_lsn() end::text as place`),
  )
  await database.close()
  return placeOf(row!.place)!
}

async function once({ url }: PostgresServer, sql: string): Promise<void> {
  const database = openPostgres(url)
  await database.rows(run(sql))
  await database.close()
}

describe('where reads may go to a replica', () => {
  test('GET does, and writes, what they read and other endpoints go to the primary', async () => {
    const ask = service(open())
    await answersFromReplica(ask)
    expect((await ask('GET', '/notes/')).replica).toBe(true)
    expect((await ask('GET', '/fresh/1/')).replica).toBe(false)
    const written = await ask('PUT', '/notes/1/', null, { value: 7 })
    expect(written).toMatchObject({ value: 7, replica: false })
    expect(written.after).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/)
    const read = await ask('GET', '/notes/1/', written.after)
    expect(read).toMatchObject({ value: 7, replica: true, after: null })
    expect(read.vary).toContain('Read-After')
  })

  test('a client that has written waits for the replica, and then asks the primary', async () => {
    const ask = service(open({ replicaWait: 50 }))
    await answersFromReplica(ask)
    await onStandby('select pg_wal_replay_pause()')
    onTestFinished(() => onStandby('select pg_wal_replay_resume()'))
    const { after } = await ask('PUT', '/notes/2/', null, { value: 8 })
    expect(await ask('GET', '/notes/2/', after)).toMatchObject({ value: 8, replica: false })
    // Others may see what was there before.
    expect(await ask('GET', '/notes/2/')).toMatchObject({ value: 0, replica: true })
  })

  test('a replica that is too far behind is not asked until it has caught up', async () => {
    const ask = service(open({ maxLag: 300 }))
    await answersFromReplica(ask)
    await onStandby('select pg_wal_replay_pause()')
    await until(async () => {
      await ask('PUT', '/notes/3/', null, { value: 9 })
      expect((await ask('GET', '/notes/3/')).replica).toBe(false)
    })
    expect((await ask('GET', '/notes/3/')).value).toBe(9)
    await onStandby('select pg_wal_replay_resume()')
    await answersFromReplica(ask)
  })

  test.each(['', 'x', '1/2/3', '-1/0', 'G/0', `${'F'.repeat(9)}/0`, 'FFFFFFFF/FFFFFFFF', '0/-1'])(
    'a place that is none, or that no server has reached, is answered by the primary: %j',
    async (after) => {
      const ask = service(open({ replicaWait: 20 }))
      await answersFromReplica(ask)
      expect((await ask('GET', '/notes/1/', after)).replica).toBe(false)
    },
  )

  test('a replica that goes away, lacks a table or is none does no harm', async () => {
    const proxy = await startTcpProxy(Number(new URL(standby.url).port))
    onTestFinished(() => proxy.close())
    const ask = service(open({ replicas: [proxy.via(standby.url)] }))
    await answersFromReplica(ask)
    await proxy.refuse()
    for (let i = 0; i < 5; i++) expect((await ask('GET', '/notes/1/')).replica).toBe(false)
    const other = service(open({ replicas: [primary.url] }))
    for (let i = 0; i < 20; i++) expect((await other('GET', '/notes/1/')).replica).toBe(false)
    const database = open()
    let table = 'note'
    const { get } = answering(database, () =>
      database.read(run(`select count(*) >= 0, ${IN_RECOVERY} from ${table}`)),
    )
    await until(async () => expect(await get()).toMatchObject([{ replica: true }]))
    await onStandby('select pg_wal_replay_pause()')
    onTestFinished(() => onStandby('select pg_wal_replay_resume()'))
    await database.write(run('create table later (id integer)'))
    table = 'later'
    expect(await get()).toMatchObject([{ replica: false }])
  })

  test('a request that goes on for longer leaves a replica that falls behind, and does not come back', async () => {
    const database = open({ maxLag: 300 })
    const seen: boolean[] = []
    const { get } = answering(database, async (step) => {
      const [row] = await database.read(run(`select ${IN_RECOVERY}`))
      if (row!['replica'] !== true || step === null) return row
      await onStandby('select pg_wal_replay_pause()')
      await onPrimary('update note set value = 1 where id = 4')
      const look = async () => {
        const [found] = await database.read<{ value: number; replica: boolean }>(
          run(`select value, ${IN_RECOVERY} from note where id = 4`),
        )
        seen.push(found!.replica)
        return found!
      }
      await until(async () => expect((await look()).value).toBe(1))
      await onStandby('select pg_wal_replay_resume()')
      seen.length = 0
      for (let i = 0; i < 40; i++) {
        await look()
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      return { ...row, over: true }
    })
    onTestFinished(() => onStandby('select pg_wal_replay_resume()'))
    await until(async () => expect(await get('poll')).toMatchObject({ over: true }))
    expect(seen).toEqual(Array.from({ length: 40 }, () => false))
  })

  test('a read that was too slow on a replica, or found all of its connections busy, fails as on the primary', async () => {
    const database = open({ statementTimeout: 1000 })
    // Quick on the primary, and slow on a replica.
    const slow = `select ${IN_RECOVERY}, case when pg_is_in_recovery() then pg_sleep($1) end`
    const { get, status } = answering(database, (seconds) => database.read(run(slow, seconds ?? 0)))
    await until(async () => expect(await get()).toMatchObject([{ replica: true }]))
    expect(await status('20')).toBe(503)
    expect(await get()).toMatchObject([{ replica: true }])
    const few = open({ connections: 1, connectTimeout: 1000 })
    const quick = `select ${IN_RECOVERY}`
    const busy = answering(few, (seconds) =>
      few.read(seconds === null ? run(quick) : run(slow, seconds)),
    )
    await until(async () => expect(await busy.get()).toMatchObject([{ replica: true }]))
    const statuses = await Promise.all([busy.status('4'), busy.status()])
    expect(statuses).toEqual([200, 503])
  })

  test('a read that a replica gives up to follow its primary is asked there at once', async () => {
    const conflicts = async () => {
      const [row] = await reader.read<{ n: number }>(
        run('select sum(confl_lock)::integer as n from pg_stat_database_conflicts'),
      )
      return row!.n
    }
    const reader = openPostgres(standby.url)
    const before = await conflicts()
    const database = open()
    const { get } = answering(database, (seconds) =>
      database.read(
        run(
          `select ${IN_RECOVERY}, case when pg_is_in_recovery() then pg_sleep($1) end from note limit 1`,
          seconds ?? 0,
        ),
      ),
    )
    await until(async () => expect(await get()).toMatchObject([{ replica: true }]))
    let over = false
    const long = get('8').finally(() => (over = true))
    await until(async () => {
      await onPrimary('alter table note alter column value set default 0')
      expect(over).toBe(true)
    })
    expect(await long).toMatchObject([{ replica: false }])
    await until(async () => expect((await conflicts()) - before).toBe(1))
    await reader.close()
  })

  test.each([{ maxLag: NaN }, { maxLag: -1 }, { maxLag: '5s' }, { replicaWait: NaN }])(
    'what is no number of milliseconds does not start: %j',
    (limits) => {
      const [[name, value]] = Object.entries(limits) as [[string, unknown]]
      const message = `${name} is ${String(value)}; it is a number of milliseconds.`
      expect(() => open(limits as object)).toThrow(message)
    },
  )

  test('a request that fails behind a write knows its place, too', async () => {
    const database = open()
    const { header } = answering(database, async () => {
      await database.write(run('update note set value = value'))
      throw new Error('on purpose')
    })
    expect(await header('read-after')).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/)
  })

  test('a replica that has all of a log whose segment has just begun is asked', async () => {
    const ask = service(open({ replicaWait: 100 }))
    await answersFromReplica(ask)
    const places: string[] = []
    for (let i = 0; i < 3; i++) {
      await onPrimary('select pg_switch_wal()')
      const database = openPostgres(primary.url)
      const [row] = await database.read<{ place: string }>(
        run('select pg_current_wal_insert_lsn()::text as place'),
      )
      await database.close()
      places.push(row!.place)
      await until(async () =>
        expect((await ask('GET', '/notes/1/', row!.place)).replica).toBe(true),
      )
    }
    expect(places.some((place) => place.endsWith('000028'))).toBe(true)
  })

  test('a standby that has more than the primary follows another server, and is not asked until it has moved on', async () => {
    const other = await startPostgres()
    onTestFinished(() => other.stop())
    const ask = service(open({ url: other.url, maxLag: 800 }))
    await once(other, 'create table note as select 1 as id, 0 as value')
    await onPrimary('select pg_switch_wal()')
    await onPrimary('update note set value = value')
    await until(async () => expect(await placeOn(standby)).toBeGreaterThan(await placeOn(other)))
    await onStandby('select pg_wal_replay_pause()')
    onTestFinished(() => onStandby('select pg_wal_replay_resume()'))
    const answersFromPrimary = async () => {
      for (let i = 0; i < 30; i++) {
        expect((await ask('GET', '/notes/1/')).replica).toBe(false)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    }
    await answersFromPrimary()
    // The log of the primary passes the place of the standby, which has nothing of it.
    while ((await placeOn(other)) <= (await placeOn(standby))) {
      await once(other, 'select pg_switch_wal()')
      await once(other, 'update note set value = value')
    }
    await answersFromPrimary()
  })

  test('a replica behind a pooler has statements without names', async () => {
    const database = open({ replicas: [`${standby.url}?pooler=transaction`] })
    const { get } = answering(database, () =>
      database.read(run(`select ${IN_RECOVERY}, count(*) as names from pg_prepared_statements`)),
    )
    await until(async () => expect(await get()).toMatchObject([{ replica: true }]))
    for (let i = 0; i < 5; i++) expect(await get()).toEqual([{ replica: true, names: 0 }])
  })
})

test('who a user is, and what a scope shows, is asked of the primary, also by a handler', async () => {
  const database = open({ maxLag: 60_000 })
  await database.migrate()
  await onPrimary('create table member (user_id integer, org integer)')
  await onPrimary('create table doc as select 1 as id, 7 as org')
  await onPrimary('alter table doc add primary key (id)')
  await onPrimary('create table page as select 1 as id, 1 as doc')
  await onPrimary('alter table page add primary key (id)')
  const accounts = defineAccounts({ database, secretKey: 'a'.repeat(40) })
  const { users, tokens, identities, factors } = accounts
  const alice = await users.create({ username: 'alice', password: 'before' })
  const account = { issuer: 'https://one.example', subject: '1' }
  await identities.link(alice, account)
  await database.write(run('insert into member values ($1, 7)', alice.id))
  let { key } = await tokens.obtain(alice)
  const own = '/who/'
  const urls = defineUrls({
    ...resourceUrls('doc', '/docs/', ':id<int>'),
    ...resourceUrls('page', '/docs/:doc<int>/pages/', ':id<int>'),
    own,
  })
  const authentication = [new TokenAuthentication({ tokens })]
  const api = defineApi({ urls, database, reads: 'replica', authentication })
  const db = database.kysely<Tables>()
  const docs = resource(api, 'doc', {
    store: sqlTable({ database, db, table: 'doc', key: 'id' }),
    serializer: serializer({ id: field.integer() }),
    only: ['list', 'retrieve'],
    scope: async ({ user }) => {
      const sql = 'select org from member where user_id = $1'
      const rows = await database.read<{ org: number }>(run(sql, user?.id))
      return { org: rows.map(({ org }) => org) }
    },
  })
  const pages = resource(api, 'page', {
    store: sqlTable({ database, db, table: 'page', key: 'id' }),
    serializer: serializer({ id: field.integer() }),
    only: ['list', 'retrieve'],
    parent: docs,
    by: 'doc',
  })
  const who = api.endpoint('own').get(async () => {
    const [row] = await database.read<{ replica: boolean }>(run(`select ${IN_RECOVERY}`))
    return {
      replica: row!.replica,
      isKnown: (await tokens.verify(key)) !== null,
      isIn: (await users.authenticate('alice', 'before')) !== null,
      isLinked: (await identities.find(account)) !== null,
      factors: (await factors.of(alice)).length,
    }
  })
  const app = api.serve([...docs, ...pages, who], { configuration: configurationOf() })
  const ask = async (path: string) => {
    const headers = { Authorization: `Token ${key}` }
    const answer = await app.fetch(new Request(`http://localhost${path}`, { headers }))
    return answer.ok ? answer.json() : answer.status
  }
  const known = { replica: true, isKnown: true }
  await until(async () =>
    expect(await ask(own)).toEqual({ ...known, isIn: true, isLinked: true, factors: 0 }),
  )
  expect(await ask('/docs/')).toEqual([{ id: 1 }])
  expect(await ask('/docs/1/pages/')).toEqual([{ id: 1 }])
  await onStandby('select pg_wal_replay_pause()')
  onTestFinished(() => onStandby('select pg_wal_replay_resume()'))
  await database.write(run('delete from member'))
  await users.setPassword(alice, 'after')
  await identities.unlink(alice, (await identities.of(alice))[0]!)
  await factors.begin(alice, 'phone', 'Example')
  ;({ key } = await tokens.regenerate(alice))
  expect(await ask(own)).toEqual({ ...known, isIn: false, isLinked: false, factors: 1 })
  expect(await ask('/docs/')).toEqual([])
  expect(await ask('/docs/1/')).toBe(404)
  expect(await ask('/docs/1/pages/')).toBe(404)
})

interface Tables {
  readonly doc: { readonly id: number; readonly org: number }
  readonly page: { readonly id: number; readonly doc: number }
}

test('in random steps, each client sees its own writes with the place, and not without it', async () => {
  const options = { url: primary.url, replicas: [standby.url], replicaWait: 5000 }
  const [steps, seed] = [1200, 29]
  const seeing = await readsOfOwnWrites(options, { steps, withPlace: true, seed })
  expect(seeing.violations).toBe(0)
  // Otherwise the test would show nothing.
  expect(seeing.byReplica).toBeGreaterThan(100)
  const missing = await readsOfOwnWrites(options, { steps, withPlace: false, seed })
  expect(missing.violations).toBeGreaterThan(0)
})
