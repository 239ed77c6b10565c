// The commands as an operator types them, one after the other.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LogEntry } from '../../../../src/addons/gate/contract.ts'
import { type Finished, colophon } from '../colophon.ts'
import { inProcess } from '../in-process.ts'

const STAGES = pathToFileURL(resolve('test/tools/cli/contract/stages.ts')).href

/** An application for each stage: a process loads each of its modules once. */
const applications = mkdtempSync(join(tmpdir(), 'colophon-stages-'))
afterAll(() => rmSync(applications, { recursive: true }))

let ground = ''
beforeEach(() => void (ground = mkdtempSync(join(tmpdir(), 'colophon-contract-'))))
afterEach(() => rmSync(ground, { recursive: true }))

const AREA = 'response-property-removed at GET /v1/cities/ answer 200 [].area'
const file = (name: string): string => readFileSync(join(ground, name), 'utf8')

async function contract(stage: string, ...args: readonly string[]): Promise<Finished> {
  return inProcess(typed(stage, args), { cwd: applications })
}

/** What is typed for the application of a stage. */
function typed(stage: string, args: readonly string[]): readonly string[] {
  const app = join(applications, `${stage}.ts`)
  writeFileSync(
    app,
    `import { applicationAt } from '${STAGES}'\nexport default applicationAt('${stage}')\n`,
  )
  return ['--app', app, 'contract', ...args, '--folder', ground]
}

describe('save', () => {
  test('writes a file for each version, the same each time, with sorted keys and one line end', async () => {
    const { status, output } = await contract('first', 'save')
    expect({ status, output }).toEqual({
      status: 0,
      output: `v1\n  compatible  version-added: The version is new.\n    at version v1\nWrote ${ground}/v1.json\n`,
    })
    expect(readdirSync(ground).toSorted()).toEqual(['log.jsonl', 'v1.json'])
    const text = file('v1.json')
    expect(text).toMatch(/[^\n]\n$/)
    const document = JSON.parse(text) as object
    expect(Object.keys(document)).toEqual(Object.keys(document).toSorted())
    expect((await contract('first', 'save')).output).toBe('The contracts are up to date.\n')
    expect(file('v1.json')).toBe(text)
    expect(file('log.jsonl').trim().split('\n')).toHaveLength(1)
  })

  test('refuses what breaks a living version, and writes nothing', async () => {
    await contract('both', 'save')
    const before = readdirSync(ground).map(file)
    const { status, complaint } = await contract('broken', 'save')
    expect(status).toBe(1)
    expect(complaint).toContain(`--accept '${AREA}'`)
    expect(complaint).toContain('2 changes break clients of a living version: nothing was written.')
    expect(readdirSync(ground).map(file)).toEqual(before)
  })

  test('writes it when it is accepted with a reason, which goes into the log', async () => {
    await contract('first', 'save')
    await contract('both', 'save')
    const bare = await contract('broken', 'save', '--accept', 'response-property-removed at *')
    expect(bare.status).toBe(2)
    expect(bare.complaint).toContain('needs a reason')
    const done = await contract(
      'broken',
      'save',
      '--accept',
      'response-property-removed at *',
      '--reason',
      'Never right',
      '--json',
    )
    expect(done.status).toBe(0)
    const { written, log } = JSON.parse(done.output) as { written: string[]; log: LogEntry[] }
    expect(written).toEqual(['v1.json', 'v2.json'])
    expect(log.map(({ version, code, reason }) => [version, code, reason])).toEqual([
      ['v1', 'response-property-removed', 'Never right'],
      ['v2', 'response-property-removed', 'Never right'],
    ])
    expect((await contract('broken', 'check')).status).toBe(0)
  })

  test('what is accepted has to be a breaking change of now', async () => {
    await contract('first', 'save')
    const { status, complaint } = await contract('first', 'save', '--accept', AREA, '--reason', 'x')
    expect({ status, complaint }).toEqual({
      status: 1,
      complaint: `colophon: "${AREA}" is no breaking change. Those there are: none.\n`,
    })
  })

  test('a version that has not ended may not go, one that has may', async () => {
    await contract('both', 'save')
    const refused = await contract('gone', 'save')
    expect(refused.status).toBe(1)
    expect(refused.complaint).toContain('version-removed')
    const saved = JSON.parse(file('v1.json')) as Record<string, unknown>
    const lives = [{ version: 'v1', sunsetAt: '2026-01-01T00:00:00.000Z' }]
    writeFileSync(join(ground, 'v1.json'), JSON.stringify({ ...saved, 'x-versions': lives }))
    const { status, output } = await contract('gone', 'save')
    expect(status).toBe(0)
    expect(output).toContain(`Removed ${ground}/v1.json`)
    expect(readdirSync(ground).toSorted()).toEqual(['log.jsonl', 'v2.json'])
  })
})

describe('check', () => {
  test('passes while clients go on, and says what is not saved', async () => {
    await contract('both', 'save')
    expect(await contract('both', 'check')).toMatchObject({
      status: 0,
      output: 'The application keeps its contracts.\n',
    })
    expect((await contract('both', 'check', '--recorded')).status).toBe(0)
    const grown = await contract('grown', 'check')
    expect(grown.status).toBe(0)
    expect(grown.output).toContain('compatible  response-property-added: The property is new.')
    expect(grown.output).toContain('To save what changed: colophon contract save')
    expect((await contract('grown', 'check', '--recorded')).status).toBe(1)
  })

  test('fails where clients of a living version break, with what to do', async () => {
    await contract('both', 'save')
    const { status, output } = await contract('broken', 'check')
    expect(status).toBe(1)
    expect(output).toContain('breaking  response-property-removed: The property has gone.')
    expect(output).toContain(`colophon contract save --accept '${AREA}' --reason "…"`)
    const { output: lines } = await contract('broken', 'check', '--json')
    const found = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { at: string; fails: boolean })
    expect(found.filter(({ fails }) => fails).map(({ at }) => at)).toEqual([
      'GET /v1/cities/ answer 200 [].area',
      'GET /v2/cities/ answer 200 [].area',
    ])
  })

  test('without a contract there is nothing to pass: in a process of its own too', async () => {
    const inside = await contract('first', 'check')
    const outside = await colophon(typed('first', ['check']), {
      cwd: applications,
      main: resolve('src/tools/cli/main.ts'),
    })
    const { status, output, complaint } = inside
    expect({ status, output, complaint }).toEqual(outside)
    expect(status).toBe(1)
    expect(complaint).toContain('Write one: colophon contract save')
  })

  test('a file with a byte order mark is read; one that is no JSON is named', async () => {
    const path = join(ground, 'v1.json')
    writeFileSync(path, '\uFEFF{}')
    expect((await contract('first', 'check')).complaint).not.toContain('is not a JSON object')
    writeFileSync(path, '{')
    const { status, complaint } = await contract('first', 'check')
    expect({ status, complaint }).toEqual({
      status: 1,
      complaint: 'colophon: v1.json is not a JSON object.\n',
    })
  })
})

test('log prints what was saved, as Markdown and for programs', async () => {
  await contract('both', 'save')
  await contract(
    'broken',
    'save',
    '--accept',
    'response-property-removed at *',
    '--reason',
    'Never right',
  )
  const { output } = await contract('broken', 'log')
  const day = new Date().toISOString().slice(0, 10)
  expect(output.split('\n').slice(0, 7)).toEqual([
    '# Changelog of the API',
    '',
    `## ${day}`,
    '',
    '### v1',
    '',
    '- `version v1`: The version is new.',
  ])
  expect(output).toContain(
    '- **Breaking:** `GET /v1/cities/ answer 200 [].area`: The property has gone.',
  )
  expect(output).toContain('Accepted: Never right')
  const lines = (await contract('broken', 'log', '--json')).output.trim().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as LogEntry).code)).toEqual([
    'version-added',
    'version-added',
    'response-property-removed',
    'response-property-removed',
  ])
})
