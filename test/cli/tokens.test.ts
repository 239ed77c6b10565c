import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { defineAccounts, openSqlite } from 'colophon/sqlite'
import { colophon } from './colophon.ts'
import { inProcess } from './in-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'colophon-tokens-'))
const path = join(folder, 'service.sqlite')
const env = { DATABASE_URL: `sqlite:${path}`, SECRET_KEY: 'for tests: tN4vQ0xJ8wYcR2mZ6kLpD1s' }
const run = (args: readonly string[], input = ''): ReturnType<typeof inProcess> =>
  inProcess(['--app', 'many-tokens.ts', ...args], { env, input })
const KEY = /[0-9a-f]{40}/

const database = openSqlite({ path })
const accounts = defineAccounts({ database, secretKey: env.SECRET_KEY, manyTokens: true })
const { users, tokens } = accounts

beforeAll(() => database.migrate())
beforeEach(async () => {
  await database.write({ sql: 'delete from colophon_user', parameters: [] })
  await users.create({ username: 'alice' })
  await users.create({ username: 'bob', isActive: false })
})
afterAll(() => {
  database.close()
  rmSync(folder, { recursive: true })
})

const alice = async () => (await users.byUsername('alice'))!

describe('colophon token create', () => {
  test('makes the usual token and prints its key, once', async () => {
    const made = await colophon(['token', 'create', 'alice'], { env })
    expect(made).toMatchObject({ status: 0, complaint: '' })
    const [key] = KEY.exec(made.output)!
    expect(made.output).toBe(`Token ${key} of user alice\n`)
    expect((await tokens.verify(key))?.user.username).toBe('alice')
    const again = await run(['token', 'create', 'alice'])
    expect(again).toMatchObject({ status: 1, output: '' })
    expect(again.complaint).toContain('has a token already')
    expect(again.complaint).not.toContain(key)
  })

  test('makes a token with name, scopes and expiry', async () => {
    const args = ['token', 'create', 'alice', '--name', 'ci', '--scope', 'read', 'write']
    const { status, output } = await run([...args, '--expires', '90d', '--json'])
    expect(status).toBe(0)
    const shown = JSON.parse(output) as Record<string, string>
    expect(shown).toMatchObject({ user: 'alice', name: 'ci', scopes: ['read', 'write'] })
    const token = await tokens.verify(shown['key']!)
    expect(token).toMatchObject({ name: 'ci', scopes: ['read', 'write'] })
    const days = (token!.expires!.getTime() - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(89.9)
    expect(days).toBeLessThan(90.1)
    expect(shown['expires']).toBe(token!.expires!.toISOString())
  })

  test.each([
    ['nobody', ['token', 'create', 'nobody'], '"nobody"'],
    ['no user and not --all', ['token', 'create'], '--all'],
    ['a user and --all', ['token', 'create', 'alice', '--all'], '--all'],
    ['a scope without a name', ['token', 'create', 'alice', '--scope', 'read'], '--name'],
    [
      'a time that is over',
      ['token', 'create', 'alice', '--name', 'x', '--expires', '2020-01-01'],
      '2020-01-01',
    ],
    ['no time at all', ['token', 'create', 'alice', '--name', 'x', '--expires', 'soon'], '"soon"'],
    [
      'a day that is not there',
      ['token', 'create', 'alice', '--name', 'x', '--expires', '2999-02-31T00:00'],
      '--expires',
    ],
    [
      'a scope with a space',
      ['token', 'create', 'alice', '--name', 'x', '--scope', 'a b'],
      '"a b"',
    ],
  ])('%s: exit 1, one line, nothing made', async (_, args, said) => {
    const { status, output, complaint } = await run(args)
    expect({ status, output }).toEqual({ status: 1, output: '' })
    expect(complaint.trim().split('\n')).toHaveLength(1)
    expect(complaint).toContain(said)
    expect(await tokens.of(await alice())).toEqual([])
  })

  test('an application with one token each says how to have more', async () => {
    const { status, complaint } = await colophon(['token', 'create', 'alice', '--name', 'ci'], {
      env,
    })
    expect(status).toBe(1)
    expect(complaint).toContain('manyTokens: true')
  })
})

describe('K41 colophon token create --all', () => {
  test('makes a token for everybody who has none, and says how many', async () => {
    const { key } = await tokens.obtain(await alice())
    for (let number = 0; number < 600; number++) await users.create({ username: `user ${number}` })
    const first = await run(['token', 'create', '--all'])
    expect(first).toMatchObject({
      status: 0,
      output: 'Made 601 of 602 tokens; 1 were there.\n',
      complaint: '',
    })
    expect((await tokens.obtain(await alice())).key).toBe(key)
    for await (const user of users.all()) expect(await tokens.of(user)).toHaveLength(1)
    const again = await run(['token', 'create', '--all', '--json'])
    expect(JSON.parse(again.output)).toEqual({ made: 0, had: 602 })
  })

  test('shows how far it is where somebody is watching', async () => {
    for (let number = 0; number < 250; number++) await users.create({ username: `user ${number}` })
    const { status, output, shown } = await run(['token', 'create', '--all'])
    expect({ status, output }).toEqual({
      status: 0,
      output: 'Made 252 of 252 tokens; 0 were there.\n',
    })
    expect(shown.length).toBeLessThanOrEqual(102)
    expect(shown).toContain('[###############...............] 50 % (126/252)')
    expect(shown.at(-2)).toBe('[##############################] 100 % (252/252)')
    expect(shown.at(-1)).toBe('')
  })
})

describe('colophon token list', () => {
  test('shows tokens of one user or of all, never a key', async () => {
    const keys = [
      await tokens.obtain((await users.byUsername('bob'))!),
      await tokens.obtain(await alice()),
      (await tokens.issue(await alice(), { name: 'ci', scopes: ['read'] }))!,
      (await tokens.issue(await alice(), { name: 'off', scopes: [] }))!,
    ].map(({ key }) => key)
    const all = await run(['token', 'list'])
    expect(all).toMatchObject({ status: 0, complaint: '' })
    const rows = all.output.trim().split('\n')
    expect(rows[0]).toMatch(/^USER +NAME +SCOPES +CREATED +EXPIRES +LAST USED$/)
    expect(rows.slice(1).map((row) => row.split(/ +/).slice(0, 3))).toEqual([
      ['bob', '-', 'all'],
      ['alice', '-', 'all'],
      ['alice', 'ci', 'read'],
      ['alice', 'off', 'none'],
    ])
    const own = await run(['token', 'list', 'alice', '--json'])
    const objects = own.output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    expect(objects).toMatchObject([{ name: '' }, { name: 'ci', scopes: ['read'] }, { name: 'off' }])
    for (const key of keys) {
      expect(all.output).not.toContain(key)
      expect(own.output).not.toContain(key)
    }
  })

  test('nothing to list is a heading, and no line for programs', async () => {
    expect((await run(['token', 'list'])).output.trim().split('\n')).toHaveLength(1)
    expect((await run(['token', 'list', '--json'])).output).toBe('')
    expect(await run(['token', 'list', 'nobody'])).toMatchObject({ status: 1, output: '' })
  })
})

describe('colophon token revoke and rotate', () => {
  test('a revoked token is dead at once; the others live', async () => {
    const { key } = await tokens.obtain(await alice())
    const ci = await tokens.issue(await alice(), { name: 'ci' })
    const revoked = await run(['token', 'revoke', 'alice', '--name', 'ci'])
    expect(revoked.output).toBe('Revoked 1 token of user alice.\n')
    expect(tokens.verify(ci!.key)).toBeNull()
    expect(await tokens.verify(key)).not.toBeNull()
    const gone = await run(['token', 'revoke', 'alice', '--name', 'ci'])
    expect(gone).toMatchObject({ status: 1, output: '' })
    expect(gone.complaint).toContain('no token "ci"')
  })

  test('all of a user at once, for programs too', async () => {
    await tokens.obtain(await alice())
    await tokens.issue(await alice(), { name: 'ci' })
    const { output } = await run(['token', 'revoke', 'alice', '--all', '--json'])
    expect(JSON.parse(output)).toEqual({ user: 'alice', revoked: 2 })
    expect((await run(['token', 'revoke', 'alice', '--all'])).output).toContain('Revoked 0 tokens')
  })

  test('rotating gives a new key and keeps the rest', async () => {
    const old = await tokens.issue(await alice(), { name: 'ci', scopes: ['read'] })
    const { output } = await run(['token', 'rotate', 'alice', '--name', 'ci'])
    const [key] = KEY.exec(output)!
    expect(output).toBe(`Token ${key} "ci" of user alice\n`)
    expect(tokens.verify(old!.key)).toBeNull()
    expect(await tokens.verify(key)).toMatchObject({ name: 'ci', scopes: ['read'] })
    const missing = await run(['token', 'rotate', 'alice'])
    expect(missing).toMatchObject({ status: 1, output: '' })
    expect(missing.complaint).toContain('has no token')
  })
})

describe('colophon user', () => {
  test('lists everybody', async () => {
    const { output } = await run(['user', 'list'])
    const rows = output
      .trim()
      .split('\n')
      .map((row) => row.split(/ +/))
    expect(rows.map((row) => row.slice(1, 4))).toEqual([
      ['USER', 'E-MAIL', 'FLAGS'],
      ['alice', '-', '-'],
      ['bob', '-', 'inactive'],
    ])
    const lines = (await run(['user', 'list', '--json'])).output.trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { username: string }).username)).toEqual([
      'alice',
      'bob',
    ])
  })

  test('keeps users out and lets them in again', async () => {
    expect(await run(['user', 'deactivate', 'alice'])).toMatchObject({ status: 0, complaint: '' })
    expect((await alice()).isActive).toBe(false)
    await run(['user', 'activate', 'alice'])
    expect((await alice()).isActive).toBe(true)
    expect(await run(['user', 'activate', 'nobody'])).toMatchObject({ status: 1 })
  })

  test('sets a password from standard input, and takes it away', async () => {
    expect(await run(['user', 'password', 'alice'], 'wonderland\n')).toMatchObject({ status: 0 })
    expect(await users.authenticate('alice', 'wonderland')).not.toBeNull()
    expect(await run(['user', 'password', 'alice'], '')).toMatchObject({ status: 1, output: '' })
    await run(['user', 'password', 'alice', '--no-password'])
    expect(await users.authenticate('alice', 'wonderland')).toBeNull()
  })
})
