import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defineAccounts } from 'colophon/accounts'
import { openSqlite } from 'colophon/sqlite'
import { type Finished, colophon } from './colophon.ts'
import { inProcess } from './in-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'colophon-cli-'))
const path = join(folder, 'service.sqlite')
const env = { DATABASE_URL: `sqlite:${path}`, SECRET_KEY: 'for tests: tN4vQ0xJ8wYcR2mZ6kLpD1s' }
const run = (args: readonly string[], input = ''): Promise<Finished> =>
  inProcess(['--app', 'people.ts', ...args], { env, input })
const keyIn = ({ output }: Finished): string => /[0-9a-f]{40}/.exec(output)![0]

function accounts() {
  const database = openSqlite({ path })
  return { ...defineAccounts({ database, secretKey: env.SECRET_KEY, refreshTokens: {} }), database }
}

beforeAll(async () => {
  const { status } = await colophon(['--app', 'people.ts', 'migrate'], { env })
  expect(status).toBe(0)
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('colophon migrate', () => {
  test('a second time there is nothing to do', async () => {
    expect(await run(['migrate'])).toMatchObject({
      status: 0,
      output: 'The tables are up to date.\n',
    })
  })

  test('a database without tables is refused with the command to run, and not created', async () => {
    const empty = join(folder, 'empty.sqlite')
    const other = { ...env, DATABASE_URL: `sqlite:${empty}` }
    const { status, complaint } = await colophon(['drf_create_token', 'alice'], { env: other })
    expect(status).toBe(1)
    expect(complaint).toContain('colophon migrate')
  })
})

describe('colophon user factors', () => {
  test('shows those of a user, and removes them all', async () => {
    await run(['user', 'create', 'careful', '--no-password'])
    const { users, factors, database } = accounts()
    await database.migrate()
    const user = (await users.byUsername('careful'))!
    const app = await factors.begin(user, 'phone', 'ORSXG5A')
    await factors.confirm(user, app, 1)
    const listed = await run(['user', 'factors', 'careful', '--json'])
    const [first, ...others] = listed.output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(first).toMatchObject({ kind: 'totp', name: 'phone' })
    expect(others).toHaveLength(10)
    expect(listed.output).not.toContain('ORSXG5A')
    expect(await run(['user', 'factors', 'careful', '--remove', '--yes'])).toMatchObject({
      status: 0,
      output: 'User careful has no second factors now (11 removed).\n',
    })
    expect(await factors.of(user)).toEqual([])
    const sql = "select action, system_user from colophon_audit where action = 'factor.removed'"
    const trail = database.read({ sql, parameters: [] })
    expect(trail).toEqual([{ action: 'factor.removed', system_user: userInfo().username }])
    database.close()
  })

  test('and providers: lists them, and ends one', async () => {
    await run(['user', 'create', 'linked', '--no-password'])
    const { users, identities, database } = accounts()
    await database.migrate()
    const user = (await users.byUsername('linked'))!
    await identities.link(user, { issuer: 'https://id.example', subject: 'a1' })
    const listed = await run(['user', 'identities', 'linked', '--json'])
    const { id, ...facts } = JSON.parse(listed.output)
    expect(facts).toMatchObject({ issuer: 'https://id.example', subject: 'a1', lastUsed: null })
    const unlink = ['user', 'identities', 'linked', '--yes', '--unlink']
    expect(await run([...unlink, '999'])).toMatchObject({ status: 1 })
    expect(await run([...unlink, String(id)])).toMatchObject({
      status: 0,
      output: 'User linked cannot log in with https://id.example any more.\n',
    })
    expect(await identities.of(user)).toEqual([])
    const sql = "select system_user from colophon_audit where action = 'identity.unlinked'"
    expect(database.read({ sql, parameters: [] })).toEqual([{ system_user: userInfo().username }])
    database.close()
  })

  test('and its user gets a link for a new password, which works once, from the operator', async () => {
    await run(['user', 'create', 'forgetful', '--no-password'])
    await run(['user', 'create', 'away', '--no-password'])
    await run(['user', 'deactivate', 'away'])
    const keys = { ...env, COLOPHON_PUBLIC_URL: 'https://books.example.com' }
    const args = ['--app', 'resets.ts', 'user', 'reset-link']
    const link = async (name: string) => inProcess([...args, name, '--json'], { env: keys })
    await inProcess(['--app', 'resets.ts', 'migrate'], { env: keys })
    const made = JSON.parse((await link('forgetful')).output) as { link: string; expires: string }
    expect(made.link).toMatch(/^https:\/\/books\.example\.com\/password\/reset\/\?token=v1\./)
    const hours = (Date.parse(made.expires) - Date.now()) / 3_600_000
    expect([hours > 0, hours <= 1]).toEqual([true, true])
    const { links, users, database } = accounts()
    const token = new URL(made.link).searchParams.get('token')!
    const { user } = (await links.open('password', token))!
    expect(user.username).toBe('forgetful')
    await users.setPassword(user, 'of today')
    expect(await links.open('password', token)).toBeNull()
    const sql =
      "select username, system_user, details from colophon_audit where action = 'link.made'"
    expect(database.read({ sql, parameters: [] })).toEqual([
      {
        username: 'forgetful',
        system_user: userInfo().username,
        details: '{"purpose":"password"}',
      },
    ])
    database.close()
    expect((await colophon([...args, 'forgetful'], { env })).complaint).toContain('Set PUBLIC_URL')
    expect((await link('away')).complaint).toContain('is not active')
    expect((await run(['user', 'reset-link', 'forgetful'])).complaint).toContain('passwordReset')
  })

  test('of no one is a failure', async () => {
    const { status, complaint } = await run(['user', 'factors', 'stranger'])
    expect([status, complaint]).toEqual([1, expect.stringContaining('no user named')])
  })
})

describe('colophon token families', () => {
  test('lists the devices of a user, and logs them out', async () => {
    await run(['user', 'create', 'mobile', '--no-password'])
    const { users, families, database } = accounts()
    await database.migrate()
    const user = (await users.byUsername('mobile'))!
    const phone = await families.begin(user, { label: 'phone', scopes: ['read'] })
    for (const label of ['desk', 'tablet']) await families.begin(user, { label })
    const listed = await run(['token', 'families', 'mobile', '--json'])
    expect(
      listed.output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { id: phone.family.id, label: 'phone', scopes: ['read'] },
      { label: 'desk' },
      { label: 'tablet' },
    ])
    expect(listed.output).not.toContain('colophon_')
    const { id } = phone.family
    const end = ['token', 'families', 'mobile', '--end', String(id)]
    expect(await run(end)).toMatchObject({
      status: 0,
      output: 'Logged out 1 device of user mobile.\n',
    })
    expect(await run(end)).toMatchObject({ status: 1 })
    expect(await families.use(phone.refresh)).toBeNull()
    expect(await run(['token', 'families', 'mobile', '--all', '--yes'])).toMatchObject({
      output: 'Logged out 2 devices of user mobile.\n',
    })
    expect((await run(['token', 'families', 'mobile'])).output).not.toContain('desk')
    const sql = "select details, system_user from colophon_audit where action = 'family.ended'"
    const system_user = userInfo().username
    expect(database.read({ sql, parameters: [] })).toEqual([
      { details: '{"label":"phone","reason":"revoked"}', system_user },
      { details: '{"count":2,"reason":"revoked"}', system_user },
    ])
    database.close()
  })

  test('takes one number, or all', async () => {
    const { status } = await run(['token', 'families', 'mobile', '--end', '1', '--all'])
    expect(status).toBe(2)
    expect((await run(['token', 'families', 'mobile', '--end', '0'])).status).toBe(2)
  })
})

test('colophon token pattern prints what scanners look for', async () => {
  const { output } = await run(['token', 'pattern', '--json'])
  expect(Object.keys(JSON.parse(output) as object)).toEqual(['pattern'])
  expect(await run(['token', 'pattern'])).toMatchObject({
    status: 0,
    output: '\\bcolophon_[ar]t_[\\w-]{68,}\n',
  })
})

describe('colophon user create', () => {
  test('takes the password from standard input; it then opens the door', async () => {
    const args = ['user', 'create', 'alice', '--email', 'alice@example.com', '--staff']
    const made = await colophon(args, { env, input: 'wonderland\n' })
    expect(made).toMatchObject({ status: 0, complaint: '' })
    const { users, database } = accounts()
    const user = await users.authenticate('alice', 'wonderland')
    expect(user).toMatchObject({
      username: 'alice',
      email: 'alice@example.com',
      isStaff: true,
      isSuperuser: false,
    })
    database.close()
  })

  test.each([
    ['a name that is taken', ['user', 'create', 'alice'], 'x\n', 'alice'],
    ['no password', ['user', 'create', 'bob'], '', '--no-password'],
    ['an empty password', ['user', 'create', 'bob'], '\n', '--no-password'],
    ['an empty name', ['user', 'create', '', '--no-password'], '', 'name'],
    ['a name with control characters', ['user', 'create', 'b\tob', '--no-password'], '', 'control'],
    [
      'a name with an invisible character',
      ['user', 'create', 'bob\u200b', '--no-password'],
      '',
      'A user name must not contain U+200B.',
    ],
  ])('%s: exit 1, one line, nothing created', async (_, args, input, said) => {
    const { status, output, complaint } = await run(args, input)
    expect({ status, output }).toEqual({ status: 1, output: '' })
    expect(complaint.trim().split('\n')).toHaveLength(1)
    expect(complaint).toContain(said)
    const { users, database } = accounts()
    expect(await users.byUsername('bob')).toBeNull()
    database.close()
  })
})

describe('K42 drf_create_token', () => {
  test('prints the key and the user; again the same key; with -r another one, and the old one is dead', async () => {
    await run(['user', 'create', 'carol', '--no-password'])
    const first = await run(['drf_create_token', 'carol'])
    expect(first.output).toContain('carol')
    expect(first.output.trim().split('\n')).toHaveLength(1)
    expect(keyIn(await run(['drf_create_token', 'carol']))).toBe(keyIn(first))
    const other = keyIn(await run(['drf_create_token', 'carol', '-r']))
    expect(other).not.toBe(keyIn(first))
    const { tokens, database } = accounts()
    expect(await tokens.verify(keyIn(first))).toBeNull()
    expect((await tokens.verify(other))?.user.username).toBe('carol')
    database.close()
  })

  test('works for users that are not active', async () => {
    const { users, database } = accounts()
    await users.create({ username: 'dora', isActive: false })
    database.close()
    expect(await run(['drf_create_token', 'dora'])).toMatchObject({ status: 0 })
  })

  test('an unknown user is named, exit 1, nothing created', async () => {
    const { status, output, complaint } = await run(['drf_create_token', 'nobody'])
    expect({ status, output }).toEqual({ status: 1, output: '' })
    expect(complaint).toContain('"nobody"')
    const { users, database } = accounts()
    expect(await users.byUsername('nobody')).toBeNull()
    database.close()
  })
})

test('what commands change is in the audit trail: by whom, with which command, and without secrets', async () => {
  const { database } = accounts()
  const trail = () =>
    database.read<Record<string, unknown>>({
      sql: 'select * from colophon_audit order by id',
      parameters: [],
    })
  const before = trail().length
  await run(['user', 'create', 'noted'], 'a secret of theirs\n')
  const made = await run(['token', 'create', 'noted'])
  await run(['user', 'list'])
  await run(['user', 'deactivate', 'noted'])
  const entries = trail().slice(before)
  expect(entries.map(({ command, action, username }) => [command, action, username])).toEqual([
    ['user create', 'user.created', 'noted'],
    ['token create', 'token.created', 'noted'],
    ['user deactivate', 'user.deactivated', 'noted'],
  ])
  for (const entry of entries) {
    expect(entry).toMatchObject({ actor: '', actor_id: null, system_user: userInfo().username })
    expect(JSON.stringify(entry)).not.toContain(keyIn(made))
    expect(JSON.stringify(entry)).not.toContain('a secret of theirs')
  }
  database.close()
})
