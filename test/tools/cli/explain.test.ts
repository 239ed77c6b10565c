import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defineAccounts } from 'colophon/accounts'
import { openSqlite } from 'colophon/sqlite'
import { colophon, programOf } from './colophon.ts'
import { inProcess } from './in-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'colophon-explain-'))
const path = join(folder, 'service.sqlite')
const env = { DATABASE_URL: `sqlite:${path}`, SECRET_KEY: 'for tests: tN4vQ0xJ8wYcR2mZ6kLpD1s' }
const database = openSqlite({ path })
const { users, tokens } = defineAccounts({ database, secretKey: env.SECRET_KEY })
const run = (args: readonly string[], input = '') =>
  inProcess(['--app', 'explained.ts', ...args], { env, input })
const explain = async (...args: readonly string[]) => {
  const { output, complaint } = await run(['explain', ...args, '--json'])
  expect(complaint).toBe('')
  return JSON.parse(output) as Record<string, unknown>
}

beforeAll(async () => {
  await database.migrate()
  await users.create({ username: 'alice' })
  await users.create({ username: 'root', isStaff: true })
  await users.create({ username: 'gone', isActive: false })
})
afterAll(() => {
  database.close()
  rmSync(folder, { recursive: true })
})

describe('colophon explain of a request', () => {
  test('says everything that is decided before the handler, which is not run', async () => {
    expect(await explain('GET', '/v2/books/?page=2', '--as', 'alice')).toEqual({
      request: 'GET /v2/books/?page=2',
      endpoint: 'books',
      path: '/:version<v1|v2>/books/',
      params: { version: 'v2' },
      version: 'v2',
      renderer: 'JSONRenderer',
      mediaType: 'application/json',
      user: 'alice',
      by: '--as',
      permissions: [{ permission: 'IsAuthenticated', allows: 'yes' }],
      throttles: [{ throttle: 'UserRateThrottle', limits: ['5 in 60 s'] }],
      pagination: null,
      refusal: null,
      layers: expect.objectContaining({ permissions: 'endpoint books', versioning: 'api' }),
    })
  })

  test.each([
    ['GET', '/v2/books/', [], 'permissions', 401],
    ['POST', '/v2/books/', ['--as', 'alice'], 'permissions', 403],
    ['GET', '/v1/books/', ['--as', 'alice'], 'sunset', 410],
    ['GET', '/v3/books/', [], 'address', 404],
    ['PUT', '/v2/books/', ['--as', 'alice'], 'method', 405],
    ['GET', '/v2/books/', ['-H', 'Accept: text/csv'], 'negotiation', 406],
    ['GET', '/v2/books/', ['-H', 'Authorization: Token wrong'], 'authentication', 401],
    ['GET', '/v2/books/', ['-H', 'Host: evil.example'], 'address', 400],
  ])('%s %s %j is refused by %s with %i', async (method, target, options, by, status) => {
    const found = await explain(method, target, ...options)
    expect(found['refusal']).toMatchObject({
      by,
      status,
      body: expect.stringContaining('"detail"'),
    })
  })

  test('a verb has permissions of its own, and each says what it thinks', async () => {
    const asked = ['POST', '/v2/books/', '--as'] as const
    const of = async (user: string) => (await explain(...asked, user))['permissions']
    expect(await of('alice')).toEqual([
      { permission: 'IsAuthenticated', allows: 'yes' },
      { permission: 'IsAdminUser', allows: 'no' },
    ])
    expect(await of('root')).toMatchObject([{}, { allows: 'yes' }])
  })

  test('nothing is counted', async () => {
    for (let count = 0; count < 7; count++) {
      const { refusal } = await explain('GET', '/v2/books/', '--as', 'alice')
      expect(refusal).toBeNull()
    }
  })

  test('a header with a secret comes from standard input or a file, and shows nowhere', async () => {
    const { key } = await tokens.obtain((await users.byUsername('alice'))!)
    const line = `Authorization: Token ${key}\n`
    const asked = ['explain', 'GET', '/v2/books/', '-H']
    const piped = await run([...asked, '@-'], line)
    writeFileSync(join(folder, 'headers'), line)
    const read = await run([...asked, `@${join(folder, 'headers')}`])
    for (const { status, output, complaint } of [piped, read]) {
      expect({ status, complaint }).toEqual({ status: 0, complaint: '' })
      expect(output).toMatch(/^user +alice, by TokenAuthentication {2}\(from api\)$/m)
      expect(output).toMatch(/^permission +IsAuthenticated: yes {2}\(from endpoint books\)$/m)
      expect(output).toMatch(/^throttle +UserRateThrottle: 5 in 60 s /m)
      expect(output).not.toContain(key)
    }
    const wrong = await run([...asked, `Authorization Token ${key}`])
    expect(wrong).toMatchObject({ status: 2, output: '' })
    expect(wrong.complaint).not.toContain(key)
  })

  test.each([
    [1, ['GET', '/v2/books/', '--as', 'nobody'], 'no user named "nobody"'],
    [1, ['GET', '/v2/books/', '--as', 'gone'], 'not active'],
    [1, ['GET', '/v2/books/', '-H', '@nowhere'], 'Cannot read '],
    [2, ['get', '/v2/books/'], 'A request is a method and a path'],
    [2, ['GET', 'v2/books/'], 'A request is a method and a path'],
    [2, ['GET'], 'A request is a method and a path: colophon explain GET /notes/?page=2'],
    [2, ['/v2/books/'], 'A request is a method and a path: colophon explain GET /v2/books/'],
    [
      2,
      [],
      '\nUsage: colophon explain [options] <what> [target]\n  what: a method, or the name of',
    ],
    [2, ['books', '--as', 'alice'], '--as and --header belong to a request'],
  ])('exit %i: %j', async (exit, args, said) => {
    const { status, output, complaint } = await run(['explain', ...args])
    expect({ status, output }).toEqual({ status: exit, output: '' })
    expect(complaint).toContain(said)
  })
})

test('routes: the one version of a namespace, and permissions as they describe themselves', async () => {
  const { output } = await inProcess(['--app', 'in-namespaces.ts', 'routes'], { env })
  expect(output.split('\n').slice(1)).toEqual([
    '/v1/doctors/\tv1:doctors\tGET HEAD OPTIONS\tv1\tHasRole(admin)',
    '/v2/doctors/\tv2:doctors\tGET HEAD OPTIONS\tv2\tHasRole(admin)',
    '/status/\tstatus\tGET HEAD OPTIONS\tv2\tIsAuthenticated',
    '',
  ])
})

describe('colophon explain of an endpoint, and routes', () => {
  test('for programs, every setting with its layer', async () => {
    const { settings, ...rest } = await explain('books')
    expect(rest).toEqual({
      endpoint: 'books',
      path: '/:version<v1|v2>/books/',
      methods: ['GET', 'POST', 'HEAD', 'OPTIONS'],
    })
    expect(settings).toContainEqual({
      setting: 'permissions',
      key: 'DEFAULT_PERMISSION_CLASSES',
      value: '[IsAuthenticated]',
      layer: 'endpoint books',
    })
  })

  test('the size of a style is what counts, not that of the operator', async () => {
    const given = { env: { ...env, COLOPHON_PAGE_SIZE: '2' } }
    const { output } = await inProcess(['--app', 'explained.ts', 'explain', 'book'], given)
    expect(output).toContain('pageSize\tPAGE_SIZE\t4\tfrom PageNumberPagination (endpoint book)\n')
  })

  test('routes by name, with versions and permissions', async () => {
    expect((await run(['routes', 'books'])).output.split('\n')).toEqual([
      'PATH\tNAME\tMETHODS\tVERSIONS\tPERMISSIONS',
      '/:version<v1|v2>/books/\tbooks\tGET POST HEAD OPTIONS\tv1 v2\tIsAuthenticated IsAdminUser(POST)',
      '',
    ])
    const objects = (await run(['routes', 'book', '--json'])).output.trim().split('\n')
    expect(objects.map((line) => JSON.parse(line) as object)).toMatchObject([
      { name: 'books', versions: ['v1', 'v2'] },
      { name: 'book', methods: ['GET', 'HEAD', 'OPTIONS'], permissions: [] },
    ])
    const lost = await run(['routes', 'boks'])
    expect(lost).toMatchObject({ status: 1, output: '' })
    expect(lost.complaint).toContain('Did you mean "books"?')
  })
})

describe('who changes accounts', () => {
  test('listeners learn the operator and the command', async () => {
    const args = ['--app', 'explained.ts', 'user', 'deactivate', 'root']
    const { output, complaint } = await colophon(args, { env })
    const [first] = output.split('\n')
    expect({ first, complaint }).toEqual({
      first: `root by ${userInfo().username} with user deactivate`,
      complaint: '',
    })
  })

  test('drf_create_token is a command of its own', async () => {
    const main = programOf('tools/cli/drf-create-token')
    const made = await colophon(['alice'], { env, main })
    expect(made).toMatchObject({ status: 0, complaint: '' })
    const { key } = await tokens.obtain((await users.byUsername('alice'))!)
    expect(made.output).toBe(`Token ${key} of user alice\n`)
    const reset = await colophon(['-r', 'alice'], { env, main })
    expect(reset.output).not.toContain(key)
    expect(await colophon(['nobody'], { env, main })).toMatchObject({ status: 1, output: '' })
    expect(await colophon([], { env, main })).toMatchObject({ status: 2, output: '' })
  })
})
