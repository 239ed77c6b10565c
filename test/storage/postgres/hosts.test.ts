// Several servers in one address: connections find the one that does what is wanted, also after another one has become it.
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { sql as text } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  type PostgresServer,
  startPostgres,
  startStandby,
} from '../../../scripts/servers/postgres.ts'
import { freePort, temporaryFolder, userFor } from '../../../scripts/servers/run-server.ts'
import { ConfigurationError } from '../../../src/core/errors/configuration-error.ts'
import { DatabaseUnavailable } from '../../../src/core/errors/storage-errors.ts'
import { openPostgres } from '../../../src/storage/postgres/open.ts'
import { until } from '../../setup/until.ts'

const run = (sql: string, ...parameters: unknown[]) => ({ sql, parameters })
const IN_RECOVERY = run('select pg_is_in_recovery() as standby')

let folder: string
let primary: PostgresServer
let standby: PostgresServer
beforeAll(async () => {
  primary = await startPostgres(['synchronous_commit=on', ...withCertificate()])
  standby = await startStandby(primary.url)
}, 120_000)
afterAll(async () => {
  await standby.stop()
  await primary.stop()
  rmSync(folder, { recursive: true })
})

/** Settings of a server that has a certificate that nobody else signed. */
function withCertificate(): readonly string[] {
  const user = userFor('postgres')
  folder = temporaryFolder('tls', user)
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const made = ['-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate]
  execFileSync('openssl', ['req', '-x509', '-subj', '/CN=localhost', ...made], { stdio: 'ignore' })
  if (user !== null) execFileSync('chown', [user, key, certificate])
  return ['ssl=on', `ssl_key_file=${key}`, `ssl_cert_file=${certificate}`]
}

const hostOf = ({ url }: { readonly url: string }): string => new URL(url).host

/** The address of several servers. */
function among(servers: readonly { readonly url: string }[], attributes = ''): string {
  const [first] = servers as readonly [{ readonly url: string }]
  return first.url.replace(hostOf(first), servers.map(hostOf).join(',')) + attributes
}

function open(url: string) {
  const database = openPostgres({ url, connections: 4 })
  onTestFinished(() => database.close())
  return database
}

async function isStandby(url: string): Promise<boolean> {
  const [row] = await open(url).read<{ standby: boolean }>(IN_RECOVERY)
  return row!.standby
}

const asking = (attributes: string): string => `?target_session_attrs=${attributes}`

describe('an address with several servers', () => {
  test('leads to the one that takes writes, wherever it stands', async () => {
    expect(await isStandby(among([primary, standby]))).toBe(false)
    expect(await isStandby(among([standby, primary]))).toBe(false)
  })

  test.each([
    ['any', true],
    ['read-write', false],
    ['read-only', true],
    ['primary', false],
    ['standby', true],
    ['prefer-standby', true],
  ])('and %s finds what libpq would find', async (attributes, expected) => {
    expect(await isStandby(among([standby, primary], asking(attributes)))).toBe(expected)
    if (attributes !== 'any')
      expect(await isStandby(among([primary, standby], asking(attributes)))).toBe(expected)
  })

  test('takes a primary where a standby is preferred and none is there', async () => {
    expect(await isStandby(`${primary.url}${asking('prefer-standby')}`)).toBe(false)
    const nowhere = { url: primary.url.replace(/:\d+\//, `:${await freePort()}/`) }
    expect(await isStandby(among([nowhere, primary], asking('prefer-standby')))).toBe(false)
  })

  test('says which of them is wanted where none fits, without the password', async () => {
    const reading = open(`${standby.url}${asking('primary')}`).read(IN_RECOVERY)
    await expect(reading).rejects.toThrow(DatabaseUnavailable)
    await expect(reading).rejects.toThrow(
      `No server of ${hostOf(standby)} is what target_session_attrs=primary asks for: the last one is a standby that takes no writes.`,
    )
    const one = { url: primary.url.replace(/:\d+\//, ':1/') }
    const failure = open(among([one, one])).read(IN_RECOVERY)
    await expect(failure).rejects.toThrow(
      'postgres://127.0.0.1:1,127.0.0.1:1/postgres cannot be reached (ECONNREFUSED)',
    )
  })

  test('is trusted where a transaction that reads only is asked to write', async () => {
    const database = openPostgres({ url: among([primary, standby]), connections: 1 })
    onTestFinished(() => database.close())
    const connection = async () => (await database.read(run('select pg_backend_pid()')))[0]
    const before = await connection()
    const write = 'create table never (n integer)'
    const snapshot = database.snapshot((reader) => reader.rows(run(write)))
    await expect(snapshot).rejects.toThrow('cannot execute CREATE TABLE in a read-only transaction')
    const transaction = database.kysely().transaction().setAccessMode('read only')
    await expect(transaction.execute((within) => text.raw(write).execute(within))).rejects.toThrow(
      'cannot execute CREATE TABLE in a read-only transaction',
    )
    expect(await connection()).toEqual(before)
  })

  test.each(['pa@ss', 'pa,s@s,', '@,@', 'p@h:1,s'])(
    'may have @ and , in its password, which no message shows: %s',
    async (password) => {
      const role = `login_${Buffer.from(password).toString('hex')}`
      await open(primary.url).write(run(`create role ${role} login password '${password}'`))
      const withAccount = (url: string) => url.replace('postgres:not-secret', `${role}:${password}`)
      expect(await isStandby(withAccount(primary.url))).toBe(false)
      expect(await isStandby(withAccount(among([primary, standby])))).toBe(false)
      const nowhere = { url: primary.url.replace(/:\d+\//, ':1/') }
      const places = [hostOf(nowhere), `${hostOf(nowhere)},${hostOf(nowhere)}`]
      for (const place of places) {
        const away = withAccount(nowhere.url).replace(hostOf(nowhere), place)
        await expect(open(away).read(IN_RECOVERY)).rejects.toThrow(
          `The database postgres://${place}/postgres cannot be reached (ECONNREFUSED)`,
        )
      }
      const unfit = open(`${withAccount(standby.url)}${asking('primary')}`).read(IN_RECOVERY)
      await expect(unfit).rejects.toThrow(`No server of ${hostOf(standby)} is what`)
    },
  )

  test('is refused where it asks for what there is not', () => {
    expect(() => open(`${primary.url}${asking('master')}`)).toThrow(ConfigurationError)
    expect(() => open(`${primary.url}${asking('master')}`)).toThrow(
      'target_session_attrs=master. It may be any, read-write, read-only, primary, standby, prefer-standby.',
    )
  })
})

test('when a standby takes over, writes reach it, and none that was acknowledged is repeated or gone', async () => {
  // The standby has what the primary has acknowledged.
  const old = await startPostgres(['synchronous_commit=on', 'synchronous_standby_names=*'])
  onTestFinished(() => old.stop())
  const next = await startStandby(old.url)
  onTestFinished(() => next.stop())
  const database = open(among([old, next]))
  await database.write(run('create table note (n integer)'))
  const acknowledged: number[] = []
  let number = 0
  let failures = 0
  const over = new AbortController()
  const writers = Array.from({ length: 4 }, async () => {
    while (!over.signal.aborted) {
      const n = ++number
      await database.write(run('insert into note values ($1)', n)).then(
        () => acknowledged.push(n),
        (error: unknown) => {
          failures++
          expect(error).toBeInstanceOf(DatabaseUnavailable)
        },
      )
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  })
  const written = (count: number) => until(() => expect(acknowledged.length).toBeGreaterThan(count))
  await written(50)
  // Connections stay open to a server that takes no writes any more, as one that was demoted.
  await open(old.url).write(run('alter system set default_transaction_read_only = on'))
  await open(old.url).rows(run('select pg_reload_conf()'))
  await until(() => expect(failures).toBeGreaterThan(3))
  await open(next.url).rows(run('select pg_promote()'))
  await written(acknowledged.length + 50)
  over.abort()
  await Promise.all(writers)
  const rows = await open(next.url).read<{ n: number }>(run('select n from note'))
  const kept = rows.map(({ n }) => n)
  expect(new Set(kept).size).toBe(kept.length)
  expect(acknowledged.filter((n) => !kept.includes(n))).toEqual([])
})

describe('a connection with TLS', () => {
  const LIST = `select n::int8 as id, repeat('ä', 300) as word, (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as safe
    from generate_series(1, 1000) as n`

  test('brings lists as another one does', async () => {
    const found = await open(`${primary.url}?sslmode=no-verify`).rows({
      ...run(LIST),
      asWritten: true,
    })
    const rows = found.values.map((row) => [...row].map(String))
    expect(rows).toEqual(Array.from({ length: 1000 }, (_, i) => [`${i + 1}`, 'ä'.repeat(300), 't']))
  })

  test('is refused where the certificate has to be known', async () => {
    await expect(open(`${primary.url}?sslmode=verify-full`).read(run('select 1'))).rejects.toThrow(
      'SELF_SIGNED_CERT',
    )
  })
})
