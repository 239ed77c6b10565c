import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Diagnosis } from '../../../../src/tools/cli/doctor/finding.ts'
import { beside, colophon } from '../colophon.ts'

const GAZETTEER = beside('examples/gazetteer')
const PLANTED = beside('test/tools/cli/doctor/planted')
const folder = mkdtempSync(join(tmpdir(), 'colophon-doctor-'))
const env = {
  NODE_ENV: 'production',
  SECRET_KEY: 'tN4vQ0xJ8wYcR2mZ6kLpD1sB7hGfE3uA',
  DATABASE_URL: `sqlite:${join(folder, 'service.sqlite')}`,
}
const inProduction = { cwd: GAZETTEER, env: { ...env, COLOPHON_CONFIG: 'production.json' } }
const planted = {
  cwd: PLANTED,
  env: {
    ...env,
    DATABASE_URL: `sqlite:${join(folder, 'none.sqlite')}`,
    COLOPHON_STRICT_QUERY: 'true',
    COLOPHON_WORKERS: '1',
    COLOPHON_RATE_LIMIT_HEADERS: 'true',
  },
}

beforeAll(() => colophon(['migrate'], inProduction))
afterAll(() => rmSync(folder, { recursive: true }))

function findingsIn(output: string): readonly Diagnosis[] {
  return output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Diagnosis)
}

describe('the gazetteer', () => {
  test.each([
    ['text', [], '0 findings. 9 endpoints examined.\n'],
    ['JSON', ['--json'], ''],
  ])('in production nothing is found: %s', async (_, options, output) => {
    expect(await colophon(['doctor', ...options], inProduction)).toEqual({
      status: 0,
      output,
      complaint: '',
    })
  })

  test('on a laptop, what production lacks is found: as the page of the command line shows', async () => {
    const page = readFileSync('docs/command-line.md', 'utf8')
    const [, shown] = /^\$ colophon doctor\n([^]*?)^```/m.exec(page)!
    const { status, output } = await colophon(['doctor'], {
      cwd: GAZETTEER,
      env: { DATABASE_URL: env.DATABASE_URL },
    })
    expect({ status, output }).toEqual({ status: 1, output: shown })
    // Neither a database nor a secret was made.
    expect(readdirSync(folder).filter((name) => name.endsWith('.key'))).toEqual([])
  })
})

const ALL = ['token', 'book-list', 'author-list', 'note-list', 'shelf-list', 'guestbook']
/** Each mistake with the endpoints that have it. */
const TWELVE: readonly (readonly [kind: string, endpoints: readonly string[]])[] = [
  ['pending-migrations', []],
  ['passwords-without-https', ALL],
  ['any-host', []],
  ['any-proxy', []],
  ['insecure-cookies', []],
  ['unlimited-guesses', ALL],
  ['idle-throttle', ['shelf-list']],
  ['open-writes', ['guestbook']],
  ['missing-page-size', ['book-list']],
  ['whole-list', ['author-list']],
  ['unlimited-offset', ['note-list']],
  ['uncapped-search', ['note-list']],
]

describe('a service with twelve planted mistakes', () => {
  test('--json: exactly these, each where it is', async () => {
    const { status, output } = await colophon(['doctor', '--json'], planted)
    const found = findingsIn(output)
    expect(status).toBe(1)
    expect(found.map(({ kind, endpoints }) => [kind, endpoints])).toEqual(TWELVE)
    expect(existsSync(join(folder, 'none.sqlite'))).toBe(false)
    expect(found[2]).toEqual({
      kind: 'any-host',
      endpoints: [],
      settings: [{ key: 'ALLOWED_HOSTS', layer: 'colophon.json' }],
      message: expect.stringContaining('DNS rebinding') as string,
      fix: 'Set ALLOWED_HOSTS to the names of the service.',
    })
  })

  test('as text: exactly these, on one screen', async () => {
    const { status, output } = await colophon(['doctor'], planted)
    const lines = output.trimEnd().split('\n')
    expect(status).toBe(1)
    expect(lines).toHaveLength(3 * TWELVE.length + 2)
    expect(lines.filter((line) => /^[a-z]/.test(line)).map((line) => line.split(':')[0])).toEqual(
      TWELVE.map(([kind]) => kind),
    )
    expect(lines).toContain(
      'idle-throttle: shelf-list (DEFAULT_THROTTLE_CLASSES from endpoint shelf-list, DEFAULT_THROTTLE_RATES from defaults)',
    )
    expect(lines.at(-1)).toBe('12 findings. 6 endpoints examined.')
  })
})

test('of many endpoints and layers, a line names three and counts the rest', async () => {
  const module = join(beside('test/tools/cli/doctor'), 'many.ts')
  const set = { NODE_ENV: 'production', COLOPHON_CREDENTIAL_FAILURES: '10/10m' }
  const keys = { ...set, COLOPHON_THROTTLE_STORE: 'memory' }
  const { output } = await colophon(['--app', module, 'doctor'], { cwd: folder, env: keys })
  expect(output.split('\n')[0]).toBe(
    'passwords-without-https: a, b, c and 2 more (PUBLIC_URL from defaults, DEFAULT_AUTHENTICATION_CLASSES from endpoint a, endpoint b, endpoint c and 2 more)',
  )
})

describe('--accept', () => {
  const kinds = TWELVE.map(([kind]) => kind)

  test('leaves out what is named', async () => {
    const accepted = ['--accept', ...kinds.slice(1)]
    const { status, output } = await colophon(['doctor', '--json', ...accepted], planted)
    expect([status, findingsIn(output).map(({ kind }) => kind)]).toEqual([1, kinds.slice(0, 1)])
  })

  test('a kind that there is not: 2, and the nearest is named', async () => {
    const { status, complaint } = await colophon(['doctor', '--accept', 'any-hots'], inProduction)
    expect(status).toBe(2)
    expect(complaint).toBe('colophon: There is no finding "any-hots". Did you mean "any-host"?\n')
  })
})

describe('what cannot be examined: 2', () => {
  test.each([
    ['an application that refuses its settings', { COLOPHON_PAGE_SIZE: 'many' }, 'PAGE_SIZE'],
    ['a secret that production does not start with', { SECRET_KEY: 'short' }, 'SECRET_KEY'],
  ])('%s', async (_, wrong, named) => {
    const { status, output, complaint } = await colophon(['doctor'], {
      cwd: GAZETTEER,
      env: { ...inProduction.env, ...wrong },
    })
    expect({ status, output }).toEqual({ status: 2, output: '' })
    expect(complaint).toContain(named)
    expect(complaint.trim().split('\n')).toHaveLength(1)
  })

  test('no application', async () => {
    const { status, complaint } = await colophon(['doctor'], { ...inProduction, cwd: folder, env })
    expect([status, complaint]).toEqual([2, expect.stringContaining('--app')])
  })

  test('a module that fails: with its stack', async () => {
    const module = join(folder, 'broken.ts')
    writeFileSync(module, 'throw new TypeError("no such thing")\n')
    const { status, complaint } = await colophon(['--app', module, 'doctor'], inProduction)
    expect(status).toBe(2)
    expect(complaint).toMatch(/cannot be examined\. TypeError: no such thing\n +at .*broken\.ts/)
  })

  test('a wrong option', async () => {
    expect((await colophon(['doctor', '--jsn'], inProduction)).status).toBe(2)
  })
})
