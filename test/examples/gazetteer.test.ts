import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bareEnvironment } from '../tools/cli/colophon.ts'

// The example as a newcomer starts it, in a copy of its folder, on a free port.
const EXAMPLE = resolve('examples/gazetteer')
let folder: string
let service: ChildProcessWithoutNullStreams
let curls: string[]

interface Page {
  readonly count: number
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly Record<string, unknown>[]
}

beforeAll(async () => {
  // Beside the original, so that the package finds itself.
  folder = mkdtempSync(join(dirname(EXAMPLE), '.gazetteer-test-'))
  for (const file of globSync('*.{ts,json}', { cwd: EXAMPLE }))
    cpSync(join(EXAMPLE, file), join(folder, file))
  service = spawn(process.execPath, ['main.ts'], {
    cwd: folder,
    env: { ...bareEnvironment(), PORT: '0' },
  })
  curls = await printedCurls()
})

afterAll(async () => {
  service.kill()
  if (service.exitCode === null) await once(service, 'close')
  rmSync(folder, { recursive: true })
})

async function printedCurls(): Promise<string[]> {
  let printed = ''
  for await (const chunk of service.stdout.iterator({ destroyOnReturn: false })) {
    printed += String(chunk)
    const found = printed.match(/^ +curl .*\n/gm)
    if (found?.length === 3) return found.map((line) => line.trim())
  }
  throw new Error(`The example ended early: ${printed}`)
}

/** Runs a line as printed, in a shell. */
function curl(line: string): { status: number; headers: string; body: string } {
  const output = execFileSync('sh', ['-c', line.replace(/^curl/, 'curl -si')], { encoding: 'utf8' })
  const cut = output.indexOf('\r\n\r\n')
  return {
    status: Number(output.slice(9, 12)),
    headers: output.slice(0, cut),
    body: output.slice(cut + 4),
  }
}

const page = (line: string): Page => JSON.parse(curl(line).body) as Page
const base = (): string => /http:\/\/[^/]+/.exec(curls[0]!)![0]
const asked = (path: string): string => curls[1]!.replace(/http:\S+/, `'${base()}${path}'`)

describe('the three lines work as printed', () => {
  test('countries are open', () => {
    const { count, results } = page(curls[0]!)
    expect([count, results[0]]).toEqual([246, { code: 'AD', name: 'Andorra' }])
  })

  test('cities with the token: page 1', () => {
    const { count, next, previous, results } = page(curls[1]!)
    expect([count, next, previous, results.length]).toEqual([
      135_233,
      `${base()}/v1/cities/?page=2`,
      null,
      100,
    ])
  })

  test('the last page of the second edition', () => {
    const { next, previous, results } = page(curls[2]!)
    expect([next, previous, results.length]).toEqual([null, `${base()}/v2/cities/?page=1352`, 33])
  })
})

describe('who, which page, which edition', () => {
  test('without a token: 401 and the challenge', () => {
    const { status, headers } = curl(`curl '${base()}/v1/cities/'`)
    expect(status).toBe(401)
    expect(headers).toContain('WWW-Authenticate: Token')
  })

  test('page 1353 is the last one and has the same rows', () => {
    expect(page(asked('/v1/cities/?page=1353'))).toEqual(page(asked('/v1/cities/?page=last')))
  })

  test('links of the second edition stay in it, and lead somewhere', () => {
    const { results } = page(asked('/v2/cities/?page=7'))
    for (const member of ['url', 'country'] as const) {
      const link = String(results[0]![member])
      expect(link).toContain(`${base()}/v2/`)
      expect(curl(asked(link.slice(base().length))).status).toBe(200)
    }
  })

  test('the first edition says that it is deprecated, and what follows it; the second does not', () => {
    const first = curl(`curl '${base()}/v1/countries/'`).headers
    expect(first).toMatch(/^Deprecation: @\d+\r$/m)
    expect(first).toMatch(/^Sunset: .* GMT\r$/m)
    expect(first).toContain(`Link: <${base()}/v2/countries/>; rel="successor-version"`)
    expect(curl(`curl '${base()}/v2/countries/'`).headers).not.toMatch(/^(Deprecation|Sunset):/m)
  })

  test.each([
    ['page 0', '/v1/cities/?page=0', 404],
    ['a page beyond the end', '/v1/cities/?page=1354', 404],
    ['an edition that does not exist', '/v3/cities/', 404],
    ['a city that does not exist', '/v1/cities/1/', 404],
  ])('%s', (_, path, status) => {
    expect(curl(asked(path)).status).toBe(status)
  })

  test.each([
    ['406 for a type that nobody renders', `curl -H 'Accept: image/png'`, '/v1/countries/', 406],
    ['415 for a body that nobody parses', `curl -H 'Content-Type: text/csv' -d x`, '/token/', 415],
    ['405 with Allow', 'curl -X DELETE', '/v1/countries/', 405],
  ])('%s', (_, command, path, status) => {
    const answer = curl(`${command} '${base()}${path}'`)
    expect(answer.status).toBe(status)
    expect(answer.headers).toMatch(/^Allow: /m)
  })
})

test('the application is under 150 lines, loader included', () => {
  const lines = globSync('*.ts', { cwd: EXAMPLE })
    .filter((file) => !file.endsWith('.d.ts'))
    .flatMap((file) => readFileSync(join(EXAMPLE, file), 'utf8').split('\n'))
  expect(lines.filter((line) => line.trim() !== '').length).toBeLessThan(150)
})
