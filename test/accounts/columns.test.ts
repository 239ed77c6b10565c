// Columns of the application in the table of users: read with their types, checked, and asked for at the start.
import { describe, expect, test, vi } from 'vitest'
import {
  type Column,
  addColumn,
  column,
  createIndex,
  createTable,
  defineMigrations,
  dropColumn,
  migration,
  renameColumn,
} from 'colophon/sql'
import { createAccounts } from '../../src/accounts/create-accounts.ts'
import { InvalidAccount } from '../../src/accounts/account-input.ts'
import { PermissionDenied } from '../../src/core/errors/api-errors.ts'
import { ConfigurationError } from '../../src/core/errors/configuration-error.ts'
import { configurationOf, defineApi } from '../../src/index.ts'
import { migratedSqlite } from '../contract/temporary.ts'
import { NAMES, emptyPlace } from '../storage/sql/migrations/place.ts'
import { CHEAP } from './fixtures.ts'

const KEY = '0b9e2c4e-7f44-4e0e-9a52-6d6f2d1c0a11'
const columns = {
  clinic: column.references('clinic', { nullable: true }),
  badge: column.text({ maxLength: 8, nullable: true, unique: true }),
  rate: column.float({ nullable: true }),
  onCall: column.boolean({ default: false }),
  grade: column.choice(['junior', 'senior'], { default: 'junior' }),
  key: column.uuid({ nullable: true }),
  floor: column.integer({ default: 0 }),
}
const migrations = defineMigrations([
  migration('0001_clinics', [createTable('clinic', { id: column.id(), name: column.text() })]),
  migration('0002_users', [
    ...Object.entries(columns).map(([name, each]) =>
      addColumn('colophon_user', name, each as Column),
    ),
    createIndex('colophon_user', ['floor']),
  ]),
])

describe.each(NAMES)('columns of users on %s', (name) => {
  async function open() {
    const { open: opened } = await emptyPlace(name)
    const database = opened(migrations)
    await database.migrate()
    await database.write({ sql: "insert into clinic (name) values ('east')", parameters: [] })
    const parts = { database, secretKey: () => 'a secret', passwordCost: CHEAP }
    return { ...createAccounts({ ...parts, roles: ['doctor'], columns }), parts }
  }

  test('have their defaults, and what is written, by every way to a user', async () => {
    const { users, tokens, sessions, database } = await open()
    const none = { clinic: null, badge: null, rate: null, key: null }
    const usual = { ...none, onCall: false, grade: 'junior', floor: 0, roles: [] }
    expect(await users.create({ username: 'bob' })).toMatchObject(usual)
    const given = {
      clinic: 1,
      badge: 'é-1',
      rate: 0.5,
      onCall: true,
      grade: 'senior',
      key: KEY,
      floor: 9_007_199_254_740_991,
    } as const
    const alice = await users.create({ username: 'alice', roles: ['doctor'], ...given })
    const whole = { ...given, roles: ['doctor'] }
    expect(alice).toMatchObject(whole)
    const { key } = await tokens.obtain(alice)
    const cookie = await sessions.start(alice)
    const asked = vi.spyOn(database, 'rows')
    expect((await tokens.verify(key))?.user).toMatchObject(whole)
    expect((await sessions.read(cookie))?.user).toMatchObject(whole)
    // One statement each, as without them.
    expect(asked).toHaveBeenCalledTimes(2)
    await users.update(alice, { clinic: null, onCall: false, email: 'a@example.com' })
    expect(await users.byId(alice.id)).toMatchObject({ ...whole, clinic: null, onCall: false })
  })

  test('take nothing that does not fit them, as an answer of 400, and change nothing then', async () => {
    const { users, by, database } = await open()
    const root = await users.create({ username: 'root', isSuperuser: true })
    await database.write({ sql: "update colophon_user set badge = 'taken'", parameters: [] })
    const alice = await users.create({ username: 'alice' })
    const wrong: readonly (readonly [string, unknown])[] = [
      ['clinic', 4711],
      ['clinic', 1.5],
      ['clinic', '1'],
      ['badge', 'taken'],
      ['badge', 'x'.repeat(9)],
      ['badge', 'a\0b'],
      ['rate', Number.NaN],
      ['onCall', 1],
      ['onCall', null],
      ['grade', 'chief'],
      ['key', 'no uuid'],
      ['floor', 2 ** 53],
    ]
    for (const [member, value] of wrong)
      for (const change of [
        // First in a transaction, in which PostgreSQL answers nothing more after a failure.
        () => by({ user: root }).users.update(alice, { [member]: value }),
        () => users.update(alice, { [member]: value }),
        () => users.create({ username: 'eve', [member]: value }),
        () => by({ user: root }).users.create({ username: 'eve', [member]: value }),
      ]) {
        const error = await change().catch((thrown: unknown) => thrown)
        expect(error, `${member} ${String(value)}`).toBeInstanceOf(InvalidAccount)
        expect(Object.keys((error as InvalidAccount).detail as object)).toEqual([member])
      }
    expect(await users.byId(alice.id)).toEqual(alice)
    expect(await users.count()).toBe(2)
  })

  test('are changed by superusers alone in the hands of a user, and the audit trail has them', async () => {
    const { users, by, database } = await open()
    const root = await users.create({ username: 'root', isSuperuser: true })
    const staff = await users.create({ username: 'staff', isStaff: true })
    const alice = await users.create({ username: 'alice' })
    const nowhere = by({ user: root }).users.create({ username: 'eve', clinic: 4711 })
    await expect(nowhere).rejects.toThrow(InvalidAccount)
    for (const refused of [
      () => by({ user: staff }).users.update(alice, { clinic: 1 }),
      () => by({ user: staff }).users.update(staff, { clinic: 1, floor: 0 }),
      () => by({ user: staff }).users.create({ username: 'eve', clinic: 1 }),
    ])
      await expect(refused()).rejects.toThrow(PermissionDenied)
    await by({ user: staff }).users.update(alice, { clinic: null, floor: 0 })
    await by({ user: root }).users.update(alice, { clinic: 1 })
    // The name of this one is that of a secret.
    await by({ user: root }).users.update(alice, { key: KEY })
    await by({ user: root }).users.create({ username: 'eve', key: KEY })
    const sql = 'select details from colophon_audit order by id'
    const rows = await database.read<{ details: string }>({ sql, parameters: [] })
    expect(rows.map(({ details }) => JSON.parse(details) as object)).toEqual([
      { fields: ['clinic', 'floor'], clinic: null, floor: 0 },
      { fields: ['clinic'], clinic: 1 },
      { fields: ['key'], key: '***' },
      { staff: false, superuser: false, key: '***' },
    ])
  })

  test('that are not there refuse to start, with the way to add them', async () => {
    const { parts } = await open()
    const start = async (more: object) => {
      const accounts = createAccounts({ ...parts, columns: { ...columns, ...more } })
      const api = defineApi({ urls: {}, accounts, authentication: [] })
      await api.serve([], { configuration: configurationOf() }).open()
    }
    await start({})
    await expect(start({ wing: column.text({ nullable: true }) })).rejects.toThrow(
      'colophon_user has no column "wing". Add it in a migration, addColumn("colophon_user", "wing", …)',
    )
  })
})

test('The audit trail masks columns by the words of their names, unless they are declared as secret or as none', async () => {
  const hidden =
    'apiKeys api_key apikey SSHKey licensekey recoveryCode recovery_codes pinCode pin otp_seed totpSeed iban pass userpassword recoveryToken clientsecret'
  const shown = 'monkey passengerName tokenCount tokenCreatedAt spin bypass webhook_url keyboard'
  const declared = { mypin: true, userpass: true, webhook: true, publicKey: false, pin_hint: false }
  const text = (secret?: boolean) =>
    column.text({ nullable: true, ...(secret !== undefined && { secret }) })
  expect(text(true)['~definition']).toEqual(text()['~definition'])
  const own = {
    ...Object.fromEntries(`${hidden} ${shown}`.split(' ').map((name) => [name, text()])),
    ...Object.fromEntries(Object.entries(declared).map(([name, secret]) => [name, text(secret)])),
  }
  const names = Object.keys(own)
  const database = await migratedSqlite()
  for (const name of names)
    await database.write({
      sql: `alter table colophon_user add column "${name}" text`,
      parameters: [],
    })
  const accounts = createAccounts({ database, secretKey: () => 'a secret', columns: own })
  const { users } = accounts.by({ user: null })
  await users.create({ username: 'ada', ...Object.fromEntries(names.map((name) => [name, 'x'])) })
  const sql = 'select details from colophon_audit'
  const [row] = database.read<{ details: string }>({ sql, parameters: [] })
  const details = Object.entries(JSON.parse(row!.details) as object)
  const masked = details.filter(([, value]) => value === '***').map(([name]) => name)
  expect(masked.toSorted()).toEqual(`${hidden} mypin userpass webhook`.split(' ').toSorted())
})

test.each([
  ['is_staff', column.text()],
  ['isStaff', column.text()],
  ['roles', column.text()],
  ['a b', column.text()],
  ['fields', column.text()],
  ['superuser', column.text()],
  ['words', column.text()],
  ['constructor', column.text()],
  ['notes', column.json()],
  ['joined', column.dateTime()],
])('%s is no column of users', async (name, each) => {
  const database = await migratedSqlite()
  const define = () => createAccounts({ database, secretKey: () => 'a', columns: { [name]: each } })
  expect(define).toThrow(ConfigurationError)
  expect(define).toThrow(`"${name}"`)
})

test.each([
  ['added', () => addColumn('colophon_user', 'roles', column.text({ nullable: true }))],
  ['dropped', () => dropColumn('colophon_user', 'password')],
  ['renamed', () => renameColumn('colophon_user', 'is_staff', 'was_staff')],
  ['taken for another', () => renameColumn('colophon_user', 'clinic', 'is_superuser')],
  ['indexed', () => createIndex('colophon_user', ['username'], { unique: true })],
  ['of tokens', () => addColumn('colophon_token', 'clinic', column.text({ nullable: true }))],
])('no column of ours is %s by a migration', (_, make) => {
  expect(make).toThrow(ConfigurationError)
})
