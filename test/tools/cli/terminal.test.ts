// What only a terminal shows: questions, tables, colours, progress.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defineAccounts } from 'colophon/accounts'
import { openSqlite } from 'colophon/sqlite'
import { colophon } from './colophon.ts'
import { inProcess } from './in-process.ts'
import { atTerminal } from './pseudo-terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'colophon-terminal-'))
const path = join(folder, 'service.sqlite')
const env = { DATABASE_URL: `sqlite:${path}`, SECRET_KEY: 'for tests: tN4vQ0xJ8wYcR2mZ6kLpD1s' }
const database = openSqlite({ path })
const { users, tokens } = defineAccounts({ database, secretKey: env.SECRET_KEY })

beforeAll(() => database.migrate())
afterAll(() => {
  database.close()
  rmSync(folder, { recursive: true })
})

describe('questions', () => {
  const twice = (first: string, second: string) =>
    [
      ['Password', first],
      ['again', second],
    ] as const

  test('a password is asked for twice, and not shown', async () => {
    const answers = twice('wonderland\r', 'wonderland\r')
    const { status, shown } = await atTerminal(['user', 'create', 'alice'], { env, answers })
    expect(status).toBe(0)
    expect(shown).toContain('Created user alice')
    expect(shown).not.toContain('wonderland')
    expect(await users.authenticate('alice', 'wonderland')).not.toBeNull()
  })

  test('two that differ, and Ctrl-C: exit 1, nothing is changed', async () => {
    const answers = twice('one\r', 'other\r')
    const differing = await atTerminal(['user', 'create', 'bob'], { env, answers })
    expect(differing.status).toBe(1)
    expect(differing.shown).toContain('The two passwords differ. Nothing was changed.')
    const stopped = await atTerminal(['user', 'create', 'bob'], {
      env,
      answers: [['Password', '\u0003']],
    })
    expect(stopped.status).toBe(1)
    expect(stopped.shown).toContain('colophon: Stopped. Nothing was changed.')
    expect(await users.byUsername('bob')).toBeNull()
  })

  test('--password-stdin and --no-password ask nothing, at a terminal either', async () => {
    const secret = join(folder, 'secret')
    writeFileSync(secret, 'looking glass\n')
    const piped = await atTerminal(['user', 'password', 'alice', '--password-stdin'], {
      env,
      redirection: `< ${secret}`,
    })
    expect(piped).toMatchObject({ status: 0, shown: 'User alice has a new password.\r\n' })
    expect(await users.authenticate('alice', 'looking glass')).not.toBeNull()
    const line = ['user', 'create', 'carol', '--password-stdin', '--json']
    const made = await colophon(line, { env, input: 'rabbit hole\n' })
    expect(made).toMatchObject({ status: 0, complaint: '' })
    expect(JSON.parse(made.output)).toMatchObject({ username: 'carol', isActive: true })
    expect(await users.authenticate('carol', 'rabbit hole')).not.toBeNull()
    const without = await atTerminal(['user', 'create', 'dora', '--no-password'], { env })
    expect(without.shown).not.toContain('Password')
    expect(without.status).toBe(0)
  })

  test('a user who was left out is asked for', async () => {
    const answers = [['User name', 'frida\r'], ...twice('a secret\r', 'a secret\r')] as const
    const { status, shown } = await atTerminal(['user', 'create'], { env, answers })
    expect([status, shown.includes('Created user frida')]).toEqual([0, true])
    expect(await users.authenticate('frida', 'a secret')).not.toBeNull()
    const made = await atTerminal(['token', 'create'], { env, answers: [['User name', 'frida\r']] })
    expect(made.status).toBe(0)
    const [key = ''] = /[0-9a-f]{40}/.exec(made.shown) ?? []
    expect((await tokens.verify(key))?.user.username).toBe('frida')
    expect(made.shown.split(key)).toHaveLength(2)
    await tokens.revokeAll((await users.byUsername('frida'))!)
    const stopped = await atTerminal(['user', 'deactivate'], {
      env,
      answers: [['User name', '\u0003']],
    })
    expect([stopped.status, (await users.byUsername('frida'))?.isActive]).toEqual([1, true])
  })

  test('a terminal that does not know its size is as wide as most', async () => {
    const help = await atTerminal(['secret', '--help'], { env, columns: 0 })
    expect(help.shown).toContain(
      'Prints a new secret for the key SECRET_KEY. It needs no application.',
    )
    const answers = [['User name', '\u0003']] as const
    const { status, shown } = await atTerminal(['user', 'activate'], { env, columns: 0, answers })
    expect([status, shown.includes('User name')]).toEqual([1, true])
  })

  test('a script that leaves a user out is told so, and never waits', async () => {
    const commands = [
      ['user', 'create'],
      ['user', 'password'],
      ['user', 'deactivate'],
      ['user', 'activate'],
      ['token', 'create'],
      ['token', 'show'],
      ['token', 'rotate'],
      ['token', 'revoke'],
    ]
    for (const line of commands) {
      // A process of its own has no terminal here either: one is enough.
      const run = line === commands[0] ? colophon : inProcess
      const { status, output, complaint } = await run(line, { env, input: 'alice\n' })
      expect([line, status, output]).toEqual([line, 2, ''])
      expect(complaint).toContain('Name a user')
    }
  })

  test('every token of a user is revoked after a question, or with --yes', async () => {
    const gina = await users.create({ username: 'gina' })
    const left = async () => (await tokens.of(gina)).length
    const line = ['token', 'revoke', 'gina', '--all']
    const ask = (answer: string) => atTerminal(line, { env, answers: [['Revoke every', answer]] })
    await tokens.obtain(gina)
    expect([(await ask('n')).status, await left()]).toEqual([1, 1])
    expect([(await ask('\r')).status, await left()]).toEqual([1, 1])
    const script = await colophon(line, { env })
    expect([script.status, await left()]).toEqual([2, 1])
    expect(script.complaint).toContain('--yes')
    expect([(await ask('y')).status, await left()]).toEqual([0, 0])
    await tokens.obtain(gina)
    expect([(await colophon([...line, '--yes'], { env })).status, await left()]).toEqual([0, 0])
    const entries = database.read<{ system_user: string; command: string }>({
      sql: "select system_user, command from colophon_audit where username = 'gina'",
      parameters: [],
    })
    expect(entries.map(({ command }) => command)).toEqual(['token revoke', 'token revoke'])
    expect(entries[0]!.system_user).not.toBe('')
  })

  test('without a terminal to ask on, the fix is named', async () => {
    const { status, shown } = await atTerminal(['user', 'create', 'eve'], {
      env,
      redirection: '2> /dev/null; echo exit $?',
    })
    expect(shown).toContain('exit 1')
    expect(status).toBe(0)
    expect(await users.byUsername('eve')).toBeNull()
  })
})

describe('tables and colours', () => {
  const bold = '\u001B[1m'
  const explain = ['explain', 'me']

  test.each([60, 100])(
    'a table is no wider than %i columns, and loses nothing',
    async (columns) => {
      const { shown } = await atTerminal(explain, { env, columns })
      const lines = stripVTControlCharacters(shown).split('\r\n')
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns)
      const { output } = await colophon(explain, { env })
      const letters = (text: string) => [...text.replaceAll(/\s/g, '')].toSorted().join('')
      expect(letters(lines.join(''))).toBe(letters(output))
    },
  )

  test('at a terminal there are columns and colours, in a pipe tabs', async () => {
    const { shown } = await atTerminal(['routes'], { env })
    expect(shown).toContain(bold)
    expect(stripVTControlCharacters(shown)).toMatch(/^PATH {5}NAME {3}METHODS/)
    const { output } = await colophon(['routes'], { env })
    expect(output).toMatch(/^PATH\tNAME\tMETHODS/)
  })

  test.each([{ NO_COLOR: '1' }, { TERM: 'dumb' }])('%o: no colours', async (wish) => {
    const { shown } = await atTerminal(explain, { env: { ...env, ...wish } })
    expect(shown).not.toContain('\u001B[')
    expect(shown).toContain('IsAuthenticated')
  })

  test('FORCE_COLOR: colours in a pipe', async () => {
    const { output } = await colophon(['--help'], { env: { ...env, FORCE_COLOR: '1' } })
    expect(output).toContain(`${bold}Examples:`)
    expect((await colophon(['--help'], { env })).output).not.toContain('\u001B[')
  })

  test('what is stored commands no terminal', async () => {
    // A name from before: new ones cannot have these characters.
    const name = 'zero\u200Bwidth\u202E'
    const renamed = database.kysely<{ colophon_user: { id: number; username: string } }>()
    const { id } = await users.create({ username: 'zerowidth', password: null })
    await renamed
      .updateTable('colophon_user')
      .set({ username: name })
      .where('id', '=', id)
      .execute()
    const { output } = await colophon(['user', 'list'], { env })
    expect(output).toContain('zero\\u200bwidth\\u202e')
  })
})

test('progress is drawn on a terminal, and the result goes to standard output alone', async () => {
  for (let number = 0; number < 50; number++) await users.create({ username: `user ${number}` })
  const file = join(folder, 'result.json')
  const { status, shown } = await atTerminal(['token', 'create', '--all', '--json'], {
    env,
    redirection: `> ${file}`,
  })
  expect(status).toBe(0)
  expect(shown).toContain('] 100 % (')
  expect(shown.endsWith('\r\u001B[K')).toBe(true)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ had: 0 })
})
