import {
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { inProcess } from './in-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'colophon-openapi-'))
const env = {
  DATABASE_URL: `sqlite:${join(folder, 'service.sqlite')}`,
  SECRET_KEY: 'for tests: tN4vQ0xJ8wYcR2mZ6kLpD1s',
}
const run = (...args: readonly string[]) =>
  inProcess(['openapi', '--app', 'explained.ts', ...args], { env })
afterAll(() => rmSync(folder, { recursive: true }))

test('prints the document of the newest version, or of another', async () => {
  const newest = await run()
  expect(newest.complaint).toBe('')
  expect(JSON.parse(newest.output)).toMatchObject({ openapi: '3.1.0', info: { version: 'v2' } })
  const other = await run('--version', 'v1', '--origin', 'https://api.example.org')
  expect(JSON.parse(other.output)).toMatchObject({
    info: { version: 'v1' },
    servers: [{ url: 'https://api.example.org' }],
  })
})

test('writes it into a file', async () => {
  const file = join(folder, 'v1.json')
  const { output } = await run('--version', 'v1', '--out', file, '--json')
  const document = JSON.parse(readFileSync(file, 'utf8'))
  expect(document.info.version).toBe('v1')
  expect(JSON.parse(output)).toMatchObject({ file, version: 'v1' })
})

test('writes all of it or nothing, and what it replaces keeps its permissions', async () => {
  const file = join(folder, 'kept.json')
  writeFileSync(file, 'before', { mode: 0o600 })
  symlinkSync(file, join(folder, 'link.json'))
  expect((await run('--out', join(folder, 'link.json'))).status).toBe(0)
  expect(readFileSync(file, 'utf8')).toContain('"openapi"')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const before = readdirSync(folder)
  for (const place of ['/dev/full', folder, join(file, 'x.json')]) {
    const { status, output, complaint } = await run('--out', place)
    expect({ status, output }).toEqual({ status: 1, output: '' })
    expect(complaint).toMatch(/^colophon: Cannot write .*: E.*\n$/)
  }
  expect(statSync('/dev/full').isCharacterDevice()).toBe(true)
  expect(readdirSync(folder)).toEqual(before)
})

test.each(['nope', 'javascript:alert', 'https://ada:S3CRET@x/', 'https://x/y'])(
  'the origin %s: exit 2, and a secret is not shown',
  async (origin) => {
    const { status, output, complaint } = await run('--origin', origin)
    expect({ status, output }).toEqual({ status: 2, output: '' })
    expect(complaint).toMatch(/^colophon: --origin must be an address without a path, [^S]+$/)
  },
)

test('a version that there is not fails, and names those that there are', async () => {
  const { status, complaint } = await run('--version', 'v9')
  expect([status, complaint]).toEqual([1, expect.stringContaining('"v9". There are: v1, v2.')])
})
