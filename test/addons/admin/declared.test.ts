// Roles and columns of the application in the administration: shown, filtered, and changed by superusers.
import { describe, expect, test } from 'vitest'
import { addColumn, column, createTable, defineMigrations, migration } from 'colophon/sql'
import { SessionAuthentication, configurationOf, defineApi, defineUrls } from 'colophon'
import { adminEndpoints, adminUrls } from 'colophon/admin'
import { defineAccounts } from 'colophon/accounts'
import { client } from 'colophon/testing'
import { CHEAP } from '../../accounts/fixtures.ts'
import { NAMES, emptyPlace } from '../../storage/sql/migrations/place.ts'
import { at } from './service.ts'

const columns = {
  clinic: column.references('clinic', { nullable: true }),
  onCall: column.boolean({ default: false }),
  grade: column.choice(['junior', 'senior'], { default: 'junior' }),
  badge: column.text({ maxLength: 8, nullable: true }),
  device: column.uuid({ nullable: true }),
  otpSeed: column.text({ maxLength: 40, nullable: true }),
  webhook: column.text({ maxLength: 40, nullable: true, secret: true }),
}
const migrations = defineMigrations([
  migration('0001_clinics', [createTable('clinic', { id: column.id(), name: column.text() })]),
  migration('0002_users', [
    addColumn('colophon_user', 'clinic', columns.clinic),
    addColumn('colophon_user', 'onCall', columns.onCall),
    addColumn('colophon_user', 'grade', columns.grade),
    addColumn('colophon_user', 'badge', columns.badge),
    addColumn('colophon_user', 'device', columns.device),
    addColumn('colophon_user', 'otpSeed', columns.otpSeed),
    addColumn('colophon_user', 'webhook', columns.webhook),
  ]),
])

interface Page {
  readonly results: readonly { readonly username: string }[]
}

describe.each(NAMES)('what is declared, in the administration on %s', (name) => {
  async function open() {
    const database = (await emptyPlace(name)).open(migrations)
    await database.migrate()
    await database.write({ sql: "insert into clinic (name) values ('east')", parameters: [] })
    const accounts = defineAccounts({
      database,
      secretKey: 'a secret',
      passwordCost: CHEAP,
      roles: ['receptionist', 'doctor'],
      columns,
    })
    const { users } = accounts
    const root = await users.create({ username: 'root', isStaff: true, isSuperuser: true })
    const staff = await users.create({ username: 'staff', isStaff: true })
    const alice = await users.create({ username: 'alice', roles: ['doctor'], clinic: 1 })
    const api = defineApi({
      urls: defineUrls(adminUrls),
      accounts,
      authentication: [new SessionAuthentication(accounts)],
    })
    const app = api.serve(adminEndpoints(api, { accounts }), { configuration: configurationOf() })
    return { ...client(app).expectContract(), app, users, root, staff, alice }
  }
  const usual = { clinic: null, onCall: false, grade: 'junior', badge: null }

  test('is shown of users, and lists are filtered by it', async () => {
    const { get, users, staff, alice } = await open()
    await users.create({ username: 'bob', roles: ['receptionist', 'doctor'], onCall: true })
    const { data } = await get(at(`users/${alice.id}/`), { as: staff })
    expect(data).toMatchObject({ ...usual, roles: ['doctor'], clinic: 1 })
    const names = async (query: string) => {
      const found = (await get(at(`users/?${query}`), { as: staff })).data as Page
      return found.results.map(({ username }) => username)
    }
    expect(await names('role=doctor')).toEqual(['bob', 'alice'])
    expect(await names('role=receptionist')).toEqual(['bob'])
    expect(await names('role=recept')).toEqual([])
    expect(await names('clinic=1')).toEqual(['alice'])
    expect(await names('onCall=true')).toEqual(['bob'])
    expect(await names('grade=senior')).toEqual([])
  })

  test('is changed by a form without a password, unlike the forms that have one', async () => {
    const { app } = await open()
    const taking = app
      .describe()
      .flatMap((one) =>
        Object.entries(one.behaviours).flatMap(([verb, { takesPasswords }]) =>
          takesPasswords ? `${verb} ${one.name}` : [],
        ),
      )
    expect(taking).toEqual(['post admin-users', 'post admin-user-password'])
  })

  test('is given to new users and changed by superusers, and by no other staff', async () => {
    const { post, put, users, root, staff, alice } = await open()
    const one = at(`users/${alice.id}/`)
    const made = await post(at('users/'), {
      as: root,
      json: { username: 'bob', roles: ['receptionist'], clinic: 1, grade: 'senior' },
    })
    expect(made.data).toMatchObject({
      ...usual,
      roles: ['receptionist'],
      clinic: 1,
      grade: 'senior',
    })
    const changed = await put(one, { as: root, json: { roles: [], clinic: null, badge: 'b-1' } })
    expect(changed.data).toMatchObject({ ...usual, roles: [], badge: 'b-1' })
    // What is not given stays.
    const half = await put(one, { as: root, json: { roles: ['doctor'] } })
    expect(half.data).toMatchObject({ ...usual, roles: ['doctor'], badge: 'b-1' })
    const before = await users.byId(alice.id)
    for (const json of [{ roles: ['doctor', 'receptionist'] }, { roles: [] }, { clinic: 1 }])
      for (const path of [one, at(`users/${staff.id}/`)])
        if (path === one || JSON.stringify(json) !== '{"roles":[]}')
          expect((await put(path, { as: staff, json })).status).toBe(403)
    for (const more of [{ roles: ['doctor'] }, { clinic: 1 }, { onCall: true }]) {
      const json = { username: 'eve', ...more }
      expect((await post(at('users/'), { as: staff, json })).status).toBe(403)
    }
    expect(await users.byId(alice.id)).toEqual(before)
    expect((await users.byId(staff.id))?.roles).toEqual([])
    expect(await users.byUsername('eve')).toBeNull()
    // A form sends all that it shows.
    const form = 'username=carol&clinic=&grade=junior&badge='
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await post(at('users/'), { as: staff, body: form, headers })).status).toBe(201)
  })

  test.each([
    ['roles', ['chief']],
    ['roles', 'doctor'],
    ['clinic', 4711],
    ['clinic', 'east'],
    ['onCall', null],
    ['grade', 'chief'],
    ['badge', 'x'.repeat(9)],
  ])('refuses %s: %j with 400', async (member, value) => {
    const { post, put, root, alice } = await open()
    const json = { username: 'eve', [member]: value }
    for (const { status, data } of [
      await put(at(`users/${alice.id}/`), { as: root, json }),
      await post(at('users/'), { as: root, json }),
    ])
      expect([status, Object.keys(data as object)]).toEqual([400, [member]])
  })

  test('is not shown, filtered or changed where it is secret', async () => {
    const { get, put, users, root, alice } = await open()
    await users.update(alice, { otpSeed: 'seed-of-alice', webhook: 'https://of-alice/' })
    const one = at(`users/${alice.id}/`)
    for (const accept of ['application/json', 'text/html'])
      for (const path of [one, at('users/')]) {
        const { status, text } = await get(path, { as: root, headers: { accept } })
        expect([status, /alice/.test(text)]).toEqual([200, true])
        expect(text).not.toMatch(/otpSeed"|name="webhook|of-alice/)
      }
    await expect(get(at('users/?webhook=x'), { as: root })).rejects.toThrow('no parameter webhook')
    await put(one, { as: root, json: { badge: 'b-2', webhook: null, otpSeed: '' } })
    const after = { badge: 'b-2', otpSeed: 'seed-of-alice', webhook: 'https://of-alice/' }
    expect(await users.byId(alice.id)).toMatchObject(after)
  })

  test('stands in the form for people, with what the user has', async () => {
    const { get, put, root, alice } = await open()
    const headers = { accept: 'text/html' }
    const { text } = await get(at(`users/${alice.id}/`), { as: root, headers })
    expect(text).toMatch(/name="roles"/)
    expect(text).toMatch(/name="roles" value="doctor" checked/)
    expect(text).toMatch(/name="clinic"[^>]*value="1"/)
    expect(text).toMatch(/<input [^>]*name="device"/)
    const list = await get(at('users/'), { as: root, headers })
    expect(list.text).toMatch(/doctor/)
    // Boxes without a mark are not sent.
    const changed = await put(at(`users/${alice.id}/`), {
      as: root,
      body: 'clinic=&grade=senior&badge=',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(changed.data).toMatchObject({ roles: [], clinic: null, onCall: false, grade: 'senior' })
  })
})
