// Follows docs/recipes/moving-accounts.md, with tables that better-auth itself has filled.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { type Kysely, sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { root } from '../../scripts/run.ts'
import { type Accounts, type User, defineAccounts } from '../../src/accounts.ts'
import { SecondFactorRequired } from '../../src/index.ts'
import { openPostgres } from '../../src/postgres.ts'
import { type Migration, column, defineMigrations } from '../../src/sql.ts'
import { openSqlite } from '../../src/sqlite.ts'
import { stepsOf } from '../house/docs.ts'
import { installed, ownPeers } from '../house/tarball.ts'
import { emptyDatabaseUrl } from '../setup/databases.ts'

interface Person {
  readonly id: string
}
type Mover = User & { readonly old_id: string | null }
type Db = Kysely<Record<string, Record<string, unknown>>>
interface Page {
  readonly oldIds: Migration
  readonly moveAccounts: (options: {
    readonly accounts: Accounts<Mover>
    readonly db: Db
    readonly people: AsyncIterable<Person>
    readonly issuers: Readonly<Record<string, string>>
  }) => Promise<Readonly<Record<string, number>> & { readonly left: readonly string[] }>
  readonly ofBetterAuth: (
    db: Db,
    opened?: (secret: string) => Promise<string>,
  ) => AsyncGenerator<Person>
  readonly ofAuthJs: (db: Db) => AsyncGenerator<Person>
}

/** As much of better-auth as is called here. */
interface BetterAuth {
  readonly options: object
  readonly api: {
    signUpEmail(asked: object): Promise<{ headers: Headers; response: { user: { id: string } } }>
    enableTwoFactor(asked: object): Promise<{ totpURI: string }>
    verifyTOTP(asked: object): Promise<unknown>
  }
}

const folder = mkdtempSync(join(tmpdir(), 'moving-'))
afterAll(() => rmSync(folder, { recursive: true }))
const SECRET = 'a long random text, 32 characters at least'
const GOOGLE = 'https://accounts.google.com'
const issuers = { google: GOOGLE }
let page: Page
let load: (name: string) => Promise<Record<string, (...given: readonly unknown[]) => unknown>>

beforeAll(async () => {
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/colophon'))
  await ownPeers(join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const steps = stepsOf(readFileSync(join(root, 'docs/recipes/moving-accounts.md'), 'utf8'))
  const file = join(folder, 'move-accounts.ts')
  writeFileSync(file, steps.find(({ path }) => path === 'move-accounts.ts')!.text)
  page = (await import(pathToFileURL(file).href)) as Page
  const peers = join(
    await installed(join(root, 'test/house/peers')),
    'node_modules/better-auth/dist',
  )
  load = async (name) => import(pathToFileURL(join(peers, name)).href)
})

/** A database with our tables, and where better-auth finds it. */
async function opened(dialect: string) {
  const migrations = defineMigrations([page.oldIds])
  const url =
    dialect === 'sqlite'
      ? join(folder, `${dialect}-${Math.random()}.sqlite`)
      : await emptyDatabaseUrl('postgres')
  const database =
    dialect === 'sqlite' ? openSqlite({ path: url, migrations }) : openPostgres({ url, migrations })
  onTestFinished(async () => {
    await database.close()
  })
  const accounts = defineAccounts({
    database,
    secretKey: SECRET,
    columns: { old_id: column.text({ maxLength: 255, nullable: true }) },
    uses: ['sessions', 'identities', 'factors'],
  })
  void accounts.links
  await database.migrate()
  return { accounts, db: database.kysely<Record<string, Record<string, unknown>>>(), url }
}

async function betterAuth(dialect: string, url: string): Promise<BetterAuth> {
  const { betterAuth: make } = await load('index.mjs')
  const { twoFactor } = await load('plugins/index.mjs')
  const { getMigrations } = await load('db/get-migration.mjs')
  const pool = dialect === 'sqlite' ? new DatabaseSync(url) : new pg.Pool({ connectionString: url })
  // The database may be gone before its connections are.
  if (pool instanceof pg.Pool) pool.on('error', () => {})
  onTestFinished(async () => {
    if (pool instanceof pg.Pool) await pool.end()
    else pool.close()
  })
  const auth = make!({
    database: pool,
    secret: SECRET,
    baseURL: 'http://localhost',
    emailAndPassword: { enabled: true },
    plugins: [twoFactor!()],
  }) as BetterAuth
  const migrations = (await getMigrations!(auth.options)) as { runMigrations(): Promise<void> }
  await migrations.runMigrations()
  return auth
}

async function filled(dialect: string) {
  const parts = await opened(dialect)
  const auth = await betterAuth(dialect, parts.url)
  const ids: Record<string, string> = {}
  for (const name of ['ada', 'bob', 'cy', 'dee']) {
    const body = { name, email: `${name}@example.com`, password: `ﬁne password of ${name}` }
    const { headers, response } = await auth.api.signUpEmail({ body, returnHeaders: true })
    ids[name] = response.user.id
    if (name === 'dee') await enable(auth, headers, body.password)
  }
  const { db } = parts
  const at = new Date()
  const link = (name: string, providerId: string, accountId: string) => ({
    id: `${name}-${providerId}`,
    userId: ids[name],
    providerId,
    accountId,
    createdAt: dialect === 'sqlite' ? at.toISOString() : at,
    updatedAt: dialect === 'sqlite' ? at.toISOString() : at,
  })
  for (const row of [
    link('ada', 'google', '1234'),
    link('cy', 'google', '77'),
    link('cy', 'github', '5'),
  ])
    await db.insertInto('account').values(row).execute()
  await db
    .deleteFrom('account')
    .where('userId', '=', ids['cy'])
    .where('providerId', '=', 'credential')
    .execute()
  const verified = db.updateTable('user').set({ emailVerified: dialect === 'sqlite' ? 1 : true })
  await verified.where('id', 'in', [ids['ada'], ids['dee']]).execute()
  const { symmetricDecrypt } = await load('crypto/index.mjs')
  const text = async (data: string) => (await symmetricDecrypt!({ key: SECRET, data })) as string
  const secretOf = async (data: string) => Secret.fromUTF8(await text(data)).base32
  return { ...parts, ids, secretOf }
}

async function enable(auth: BetterAuth, signedUp: Headers, password: string) {
  const cookie = signedUp
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
  const headers = new Headers({ cookie })
  const { totpURI } = await auth.api.enableTwoFactor({ body: { password }, headers })
  const secret = new URL(totpURI).searchParams.get('secret')!
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  await auth.api.verifyTOTP({ body: { code }, headers })
}

/** Fails behind so many, as a process that is stopped. */
async function* broken(people: AsyncIterable<Person>, most: number): AsyncGenerator<Person> {
  let count = 0
  for await (const person of people) {
    if ((count += 1) > most) throw new Error('stopped')
    yield person
  }
}

const DIALECTS = ['sqlite', 'postgres']

describe.each(DIALECTS)('Accounts of better-auth on %s', (dialect) => {
  test('move, with what their people know, once', async () => {
    const { accounts, db, ids, secretOf } = await filled(dialect)
    const taken = await accounts.users.create({ username: 'bob@example.com' })
    const people = () => page.ofBetterAuth(db, secretOf)
    const options = { accounts, db, issuers }
    await expect(page.moveAccounts({ ...options, people: broken(people(), 2) })).rejects.toThrow(
      'stopped',
    )
    const some = (await accounts.users.count()) - 1
    const moved = await page.moveAccounts({ ...options, people: people() })
    expect(moved).toMatchObject({ people: 4, accounts: 3 - some })
    const isTaken = expect.stringContaining(`${ids['bob']}: `) as string
    expect(moved.left).toEqual(
      expect.arrayContaining([isTaken, `${ids['cy']}: no issuer of github`]),
    )
    expect(moved.left).toHaveLength(2)
    expect(await page.moveAccounts({ ...options, people: people() })).toMatchObject({
      people: 4,
      accounts: 0,
      passwords: 0,
      addresses: 0,
      links: 0,
      apps: 0,
    })

    const ada = (await accounts.users.byUsername('ada@example.com'))!
    expect(ada).toMatchObject({ old_id: ids['ada'], email: 'ada@example.com', isActive: true })
    expect(await accounts.links.isConfirmed(ada)).toBe(true)
    expect((await accounts.identities.find({ issuer: GOOGLE, subject: '1234' }))?.user.id).toBe(
      ada.id,
    )
    expect((await accounts.identities.find({ issuer: GOOGLE, subject: '77' }))?.user.old_id).toBe(
      ids['cy'],
    )
    const passwordOf = async ({ id }: User) =>
      (await db
        .selectFrom('colophon_user')
        .select('password')
        .where('id', '=', id)
        .executeTakeFirst())!['password'] as string
    expect(await passwordOf(ada)).toMatch(/^[\da-f]{32}:[\da-f]{128}$/)
    expect(await accounts.users.authenticate('ada@example.com', 'fine password of bob')).toBeNull()
    expect(
      await accounts.users.authenticate('ada@example.com', 'fine password of ada'),
    ).toMatchObject({ id: ada.id })
    expect(await passwordOf(ada)).toMatch(/^\$argon2id\$/)
    expect(await accounts.users.authenticate('ada@example.com', 'ﬁne password of ada')).toBeNull()
    expect(await passwordOf(taken)).toMatch(/^!/)

    const dee = (await accounts.users.byUsername('dee@example.com'))!
    await expect(
      accounts.users.authenticate('dee@example.com', 'fine password of dee'),
    ).rejects.toThrow(SecondFactorRequired)
    expect(
      await accounts.users.byPassword('dee@example.com', 'fine password of dee'),
    ).not.toBeNull()
    expect(await accounts.factors.apps(dee)).toMatchObject([{ name: 'moved' }])
    const { count } = (await db
      .selectFrom('colophon_session')
      .select(db.fn.countAll().as('count'))
      .executeTakeFirst())!
    expect(Number(count)).toBe(0)
  })
})

test('Accounts of better-auth come without a password where their second factor cannot be read', async () => {
  const { accounts, db } = await filled('sqlite')
  const moved = await page.moveAccounts({
    accounts,
    db,
    issuers,
    people: page.ofBetterAuth(db),
  })
  expect(moved.left.filter((each) => each.includes('a second factor'))).toHaveLength(1)
  expect(await accounts.users.byPassword('dee@example.com', 'fine password of dee')).toBeNull()
})

describe.each(DIALECTS)('Accounts of Auth.js on %s', (dialect) => {
  test('move, with their links, once', async () => {
    const { accounts, db } = await opened(dialect)
    const id = sql.raw(dialect === 'sqlite' ? 'text' : 'serial')
    const when = sql.raw(dialect === 'sqlite' ? 'datetime' : 'timestamptz')
    const owner = sql.raw(dialect === 'sqlite' ? 'text' : 'integer')
    // As the adapter for PostgreSQL makes them; those of Prisma and Drizzle have texts for keys.
    await sql`create table users (id ${id} primary key, name varchar(255), email varchar(255), "emailVerified" ${when}, image text)`.execute(
      db,
    )
    await sql`create table accounts (id ${id} primary key, "userId" ${owner} not null, type varchar(255) not null, provider varchar(255) not null, "providerAccountId" varchar(255) not null)`.execute(
      db,
    )
    const idOf = (number: number) => (dialect === 'sqlite' ? `u${number}` : number)
    for (let number = 1; number <= 3; number += 1) {
      const email = number === 3 ? null : `u${number}@example.com`
      const emailVerified = number === 1 ? '2026-01-01 00:00:00' : null
      await db
        .insertInto('users')
        .values({ id: idOf(number), email, emailVerified })
        .execute()
      const account = { id: idOf(number), userId: idOf(number), type: 'oidc', provider: 'google' }
      await db
        .insertInto('accounts')
        .values({ ...account, providerAccountId: `g${number}` })
        .execute()
    }
    const options = { accounts, db, issuers }
    const moved = await page.moveAccounts({ ...options, people: page.ofAuthJs(db) })
    expect(moved).toEqual({
      people: 3,
      accounts: 3,
      passwords: 0,
      addresses: 1,
      links: 3,
      apps: 0,
      left: [],
    })
    expect(await page.moveAccounts({ ...options, people: page.ofAuthJs(db) })).toMatchObject({
      accounts: 0,
      links: 0,
      addresses: 0,
      left: [],
    })
    const third = await accounts.identities.find({ issuer: GOOGLE, subject: 'g3' })
    expect(third?.user).toMatchObject({
      email: '',
      old_id: String(idOf(3)),
      username: `old ${idOf(3)}`,
    })
  })
})
