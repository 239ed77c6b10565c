import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { defineAccounts } from 'colophon/accounts'
import { openSqlite } from 'colophon/sqlite'
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
  const named = ['token', 'create', 'alice', '--name', 'x']
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
    [1, 'nobody', ['token', 'create', 'nobody'], '"nobody"'],
    [1, 'a scope with a space', [...named, '--scope', 'a b'], '"a b"'],
    [2, 'no user and not --all', ['token', 'create'], '--all'],
    [2, 'a user and --all', ['token', 'create', 'alice', '--all'], '--all'],
    [2, 'a scope without a name', ['token', 'create', 'alice', '--scope', 'read'], '--name'],
    [2, 'a time that is over', [...named, '--expires', '2020-01-01'], '2020-01-01'],
    [2, 'no time at all', [...named, '--expires', 'soon'], '"soon"'],
    [2, 'a day that is not there', [...named, '--expires', '2999-02-31T00:00'], '--expires'],
  ])('exit %i, one line, nothing made: %s', async (exit, _, args, said) => {
    const { status, output, complaint } = await run(args)
    expect({ status, output }).toEqual({ status: exit, output: '' })
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
    expect(shown).toContain('\r[###############...............] 50 % (126/252)\u001B[K')
    expect(shown.at(-2)).toBe('\r[##############################] 100 % (252/252)\u001B[K')
    expect(shown.at(-1)).toBe('\r\u001B[K')
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
    expect(rows[0]).toBe('USER\tNAME\tSCOPES\tCREATED\tEXPIRES\tLAST USED')
    expect(rows.slice(1).map((row) => row.split('\t').slice(0, 3))).toEqual([
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

describe('colophon token show', () => {
  test('shows one token without its key', async () => {
    const made = await tokens.issue(await alice(), { name: 'ci', scopes: ['read'] })
    const { status, output } = await run(['token', 'show', 'alice', '--name', 'ci', '--json'])
    expect([status, JSON.parse(output)]).toMatchObject([
      0,
      { user: 'alice', name: 'ci', scopes: ['read'], expires: null },
    ])
    const shown = await run(['token', 'show', 'alice', '--name', 'ci'])
    expect(shown.output).toContain('scopes\tread')
    expect(output + shown.output).not.toContain(made!.key)
    const none = await run(['token', 'show', 'alice'])
    expect(none).toMatchObject({ status: 1, output: '' })
    expect(none.complaint).toContain('no token')
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
    const { output } = await run(['token', 'revoke', 'alice', '--all', '--yes', '--json'])
    expect(JSON.parse(output)).toEqual({ user: 'alice', revoked: 2 })
    expect((await run(['token', 'revoke', 'alice', '--all', '--yes'])).output).toContain(
      'Revoked 0 tokens',
    )
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

describe('colophon token revoke: many', () => {
  test('of many users and names: all or none', async () => {
    const bob = (await users.byUsername('bob'))!
    for (const name of ['ci', 'phone']) await tokens.issue(await alice(), { name })
    const { key } = (await tokens.issue(bob, { name: 'ci' }))!
    const lost = await run(['token', 'revoke', 'alice', 'bob', '--name', 'ci', 'phone'])
    expect(lost).toMatchObject({ status: 1, output: '' })
    expect(lost.complaint).toBe('colophon: User bob has no token "phone".\n')
    expect(await run(['token', 'revoke', 'bob', 'nobody', '--all', '--yes'])).toMatchObject({
      status: 1,
    })
    expect(await tokens.verify(key)).not.toBeNull()
    const ended = await run(['token', 'revoke', 'alice', 'bob', '--name', 'ci', '--json'])
    expect(ended.output).toBe('{"user":"alice","revoked":1}\n{"user":"bob","revoked":1}\n')
    expect((await tokens.of(await alice())).map(({ name }) => name)).toEqual(['phone'])
    expect(await run(['token', 'revoke', 'bob', '--all', '--name', 'x'])).toMatchObject({
      status: 2,
    })
  })
})

describe('colophon token rotate --overlap', () => {
  test('both keys work until then, with the same scopes', async () => {
    const old = await tokens.issue(await alice(), { name: 'ci', scopes: ['read'] })
    const { output } = await run(['token', 'rotate', 'alice', '--name', 'ci', '--overlap', '24h'])
    const [key] = KEY.exec(output)!
    expect(await tokens.verify(key)).toMatchObject({ name: 'ci', scopes: ['read'], expires: null })
    const left = await tokens.verify(old!.key)
    expect(left).toMatchObject({ scopes: ['read'] })
    expect(left!.name).toMatch(/^ci replaced 20\d\d-/)
    const hours = (left!.expires!.getTime() - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(23.9)
    expect(hours).toBeLessThan(24.1)
  })

  test('not longer than the old one would have worked, and the usual token too', async () => {
    const soon = new Date(Date.now() + 60_000)
    const old = await tokens.issue(await alice(), { name: 'x'.repeat(100), expires: soon })
    await tokens.rotate(await alice(), old!.name, { overlap: 3_600_000 })
    expect((await tokens.verify(old!.key))!.expires).toEqual(soon)
    const usual = await tokens.obtain(await alice())
    await run(['token', 'rotate', 'alice', '--overlap', '1h'])
    expect((await tokens.verify(usual.key))!.name).toMatch(/^replaced 20/)
    expect((await tokens.obtain(await alice())).key).not.toBe(usual.key)
  })

  test('needs many tokens, and a time', async () => {
    await tokens.obtain(await alice())
    const one = await colophon(['token', 'rotate', 'alice', '--overlap', '1h'], { env })
    expect(one).toMatchObject({ status: 1, output: '' })
    expect(one.complaint).toContain('manyTokens: true')
    const bad = await run(['token', 'rotate', 'alice', '--overlap', 'soon'])
    expect(bad).toMatchObject({ status: 2, output: '' })
    expect((await tokens.of(await alice())).map(({ name }) => name)).toEqual([''])
  })
})

describe('colophon user', () => {
  test('lists everybody', async () => {
    const { output } = await run(['user', 'list'])
    const rows = output
      .trim()
      .split('\n')
      .map((row) => row.split('\t'))
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
