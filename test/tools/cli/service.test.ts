import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packagesIn, runIn } from '../../house/loaded.ts'
import { APPLICATIONS, MAIN, SERVICE, colophon, lineOf, start } from './colophon.ts'
import { inProcess } from './in-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'colophon-serve-'))
const env = {
  DATABASE_URL: `sqlite:${join(folder, 'service.sqlite')}`,
  SECRET_KEY: 'for tests: tN4vQ0xJ8wYcR2mZ6kLpD1s',
}

beforeAll(() => colophon(['migrate'], { env }))
afterAll(() => rmSync(folder, { recursive: true }))

describe('colophon serve', () => {
  test('identifies by a token, refuses the old one after -r on the next request, stops on SIGTERM with its work done, whatever is left open', async () => {
    await colophon(['user', 'create', 'alice', '--no-password'], { env })
    const keyOf = async (...options: string[]): Promise<string> =>
      /[0-9a-f]{40}/.exec(
        (await colophon(['drf_create_token', 'alice', ...options], { env })).output,
      )![0]
    const key = await keyOf()
    const server = start(['serve', '--port', '0'], { env })
    const [, url] = await lineOf(server, /Listening on (\S+)\n/)
    const ask = (token: string) =>
      fetch(`${url}/me/`, { headers: { authorization: `Token ${token}` } })
    expect(await (await ask(key)).json()).toEqual({ username: 'alice' })
    const other = await keyOf('-r')
    expect((await ask(key)).status).toBe(401)
    expect((await ask(other)).status).toBe(200)
    const slow = fetch(`${url}/slow/`)
    await lineOf(server, /Asked for \/slow\/\n/)
    server.kill('SIGTERM')
    expect(await (await slow).json()).toEqual({ slow: true })
    const [status] = (await once(server, 'close')) as [number]
    expect(status).toBe(0)
  })

  test('a port in use is one clear line, exit 1', async () => {
    const blocker = createServer().listen(0, '127.0.0.1')
    await once(blocker, 'listening')
    const { port } = blocker.address() as AddressInfo
    const { status, complaint } = await colophon(['serve'], { env: { ...env, PORT: String(port) } })
    blocker.close()
    expect(status).toBe(1)
    expect(complaint.trim().split('\n')).toHaveLength(1)
    expect(complaint).toContain(`127.0.0.1:${port}`)
  })

  test.each([
    ['an unknown key', { COLOPHON_PAGE_SIZ: '3' }, ['COLOPHON_PAGE_SIZ', 'PAGE_SIZE']],
    ['a wrong type', { COLOPHON_PAGE_SIZE: 'many' }, ['PAGE_SIZE', 'environment', 'whole number']],
    [
      'an unregistered class',
      { COLOPHON_DEFAULT_PAGINATION_CLASS: 'PageNumberPaginatio' },
      ['PageNumberPagination'],
    ],
    ['a database of another kind', { DATABASE_URL: 'oracle://x' }, ['DATABASE_URL', 'sqlite:']],
    ['no secret in production', { SECRET_KEY: '', NODE_ENV: 'production' }, ['SECRET_KEY']],
    [
      'no secret for a database on a server',
      { SECRET_KEY: '', DATABASE_URL: 'postgres://localhost/x' },
      ['SECRET_KEY', 'on a server'],
    ],
  ])('%s: refuses with one line, exit 1', async (_, wrong, said) => {
    const { status, output, complaint } = await colophon(['serve', '--port', '0'], {
      env: { ...env, ...wrong },
    })
    expect({ status, output }).toEqual({ status: 1, output: '' })
    expect(complaint.trim().split('\n')).toHaveLength(1)
    for (const word of said) expect(complaint).toContain(word)
  })
})

test('serving loads no questions, no tables for terminals and nothing that watches', async () => {
  const serving = `process.argv = ['node', 'colophon', 'serve', '--port', '0']
    const stop = setInterval(() => process.listenerCount('SIGTERM') > 0 && process.kill(process.pid, 'SIGTERM'), 50)
    await import(${JSON.stringify(resolve('src/tools/cli/main.ts'))})
    clearInterval(stop)`
  const { printed, loaded } = await runIn(APPLICATIONS, serving, env)
  expect(printed).toMatch(/^Listening on \S+\nStopping/)
  expect(packagesIn(loaded)).toEqual(['commander', 'cookie', 'kysely'])
  expect(loaded.filter((url) => /processes\/supervisors/.test(url))).toEqual([])
})

describe('colophon routes and explain', () => {
  test('routes: one line an address', async () => {
    const { output } = await colophon(['routes'], { env })
    expect(output.split('\n')).toEqual([
      expect.stringMatching(/^PATH\tNAME\tMETHODS\tVERSIONS\tPERMISSIONS$/),
      expect.stringMatching(/^\/me\/\tme\tGET HEAD OPTIONS\t-\tIsAuthenticated$/),
      expect.stringMatching(/^\/token\/\ttoken\tPOST OPTIONS\t-\t-$/),
      expect.stringMatching(/^\/slow\/\tslow\tGET HEAD OPTIONS\t-\t-$/),
      '',
    ])
  })

  test('explain: value and layer of every setting; the endpoint is the innermost', async () => {
    const said = { ...env, COLOPHON_PAGE_SIZE: '7' }
    const { output } = await colophon(['explain', 'me'], { env: said })
    expect(output).toMatch(/^pageSize\s+PAGE_SIZE\s+7\s+from environment$/m)
    expect(output).toMatch(/^authentication\s+.*\[TokenAuthentication\]\s+from api$/m)
    expect(output).toMatch(/^permissions\s+.*\[IsAuthenticated\]\s+from endpoint me$/m)
    expect(output).toMatch(/^versioning\s+.*null\s+from defaults$/m)
  })

  test('an endpoint that is not there: the nearest is named, exit 1', async () => {
    const { status, complaint } = await colophon(['explain', 'tokn'], { env })
    expect(status).toBe(1)
    expect(complaint).toContain('"token"')
    const far = await colophon(['explain', 'something'], { env })
    expect(far.complaint).toContain('no endpoint "something". All are in: colophon routes.')
  })

  test.each([
    ['migrat', /Did you mean "migrate"\? Commands: init, inspect, serve, .+, completion$/m],
    ['--help migrat', /unknown command 'migrat'\. Did you mean "migrate"\? Commands: init, /],
    ['help migrat', /unknown command 'help'/],
    ['migrat --help', /Did you mean "migrate"\? Commands: init, /],
    ['user --app app.ts nosuch -h', /unknown command 'nosuch'\. Commands: create, /],
  ])('%s, which is not there: exit 2 and a word on what is', async (line, words) => {
    const { status, output, complaint } = await inProcess(line.split(' '), { env })
    expect([status, output]).toEqual([2, ''])
    expect(complaint).toMatch(words)
    expect(complaint).not.toContain('complete,')
  })

  test('help that is asked for before the name of a command is that of the command', async () => {
    const { status, output } = await inProcess(['--help', 'migrate'], { env })
    expect([status, output]).toEqual([0, expect.stringMatching(/^Usage: colophon migrate/)])
  })

  test('a problem begins with the name of the program, also where it is in the arguments', async () => {
    const { complaint } = await colophon(['migrat'], { env })
    expect(complaint).toMatch(/^colophon: unknown command 'migrat'/)
    const { complaint: option } = await colophon(['routes', '--jsn'], { env })
    expect(option).toMatch(/^colophon: unknown option '--jsn'/)
  })

  test('a reader that goes away, such as head, is no problem', async () => {
    const child = start(['explain', 'me'], { env })
    child.stdout.destroy()
    const [complaint, [status]] = await Promise.all([
      child.stderr.toArray(),
      once(child, 'close') as Promise<[number]>,
    ])
    expect({ complaint, status }).toEqual({ complaint: [], status: 0 })
  })

  test('what an application holds open does not keep a command from ending', async () => {
    const holding = `data:text/javascript,${encodeURIComponent('setInterval(() => {}, 60_000)')}`
    const open = { ...env, NODE_OPTIONS: `--import ${holding}` }
    const { status, output } = await colophon(['routes'], { env: open })
    expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining('/slow/') })
  })

  test('a full disk takes no output: one line, exit 1', () => {
    const full = openSync('/dev/full', 'w')
    const stdio = ['ignore', full, 'pipe'] as const
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'secret'], { stdio: [...stdio] })
    closeSync(full)
    expect([status, String(stderr)]).toEqual([
      1,
      'colophon: Cannot print all: ENOSPC: no space left on device, write\n',
    ])
  })

  test.each([
    'token create --all --name q',
    'token create --all --scope read',
    'token create --all --expires 1d',
    'token revoke alice --all --name q',
    'token families alice --all --end 1',
    'user create eve --no-password --password-stdin',
    'user password alice --no-password --password-stdin',
    'migrate --status --check-online',
  ])('%s: one option makes the other one void, exit 2', async (line) => {
    const { status, output, complaint } = await inProcess(line.split(' '), { env })
    expect([status, output]).toEqual([2, ''])
    expect(complaint).toMatch(/^colophon: option '.+' cannot be used with option '.+'\nUsage: /)
  })

  test('no application: says where it looked', async () => {
    const { status, complaint } = await colophon(['routes'], { env, cwd: folder })
    expect(status).toBe(1)
    expect(complaint).toContain('--app')
  })

  test('the application is named by --app, or by colophon.json', async () => {
    const named = await colophon(['--app', join(SERVICE, 'app.ts'), 'routes'], { env, cwd: folder })
    expect(named.status).toBe(0)
    writeFileSync(join(folder, 'colophon.json'), JSON.stringify({ app: join(SERVICE, 'app.ts') }))
    expect((await colophon(['routes'], { env, cwd: folder })).output).toBe(named.output)
  })
})
