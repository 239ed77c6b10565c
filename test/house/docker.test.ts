// The Dockerfiles of docs/recipes/docker.md and of new projects, without a daemon: their words, their user, and a health check
// that distinguishes a service that answers from one that does not.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type ProjectChoice, projectFiles } from '../../src/tools/cli/init.ts'
import { configurationOf, defineApi, defineUrls } from '../../src/index.ts'
import { serve } from '../../src/node.ts'
import { stepsOf } from './docs.ts'

const page = readFileSync('docs/recipes/docker.md', 'utf8')
const SERVE = ['node_modules/.bin/colophon', 'serve']
const projects: readonly [string, ProjectChoice, readonly string[], string][] = [
  ['minimal', { template: 'minimal' }, SERVE, ''],
  ['resource', { template: 'resource' }, SERVE, ''],
  ['resource on PostgreSQL', { template: 'resource', database: 'postgres' }, SERVE, ''],
  ['beside-express', { template: 'beside-express' }, ['node', 'main.ts'], '/api'],
]

describe.each([
  {
    of: 'the recipe',
    file: stepsOf(page).find(({ path }) => path === 'Dockerfile')!.text,
    command: SERVE,
    prefix: '',
  },
  ...projects.map(([of, beginning, command, prefix]) => ({
    of,
    file: projectFiles('/nowhere/notes', beginning)['Dockerfile']!,
    command,
    prefix,
  })),
])('the Dockerfile of $of', ({ file, command, prefix }) => {
  const lines = file
    .trim()
    .split('\n')
    .map((line) => /^([A-Z]+) (.+)$/.exec(line)!)
  const of = (name: string): readonly string[] =>
    lines.filter(([, word]) => word === name).map(([, , rest]) => rest!)

  test('each line is an instruction', () => {
    const known = 'FROM ENV WORKDIR COPY RUN USER VOLUME EXPOSE HEALTHCHECK CMD'.split(' ')
    expect(lines.map((line) => line?.[1]).filter((word) => !known.includes(word ?? ''))).toEqual([])
    expect(lines[0]![1]).toBe('FROM')
  })

  test('what runs is no root, on a Node that is new enough, and gets its signals itself', () => {
    const at = (name: string): number => lines.findIndex(([, word]) => word === name)
    expect(of('USER')).toEqual(['node'])
    expect(at('USER')).toBeLessThan(at('CMD'))
    expect(at('USER')).toBeLessThan(at('HEALTHCHECK'))
    expect(of('FROM')).toEqual(['node:24-slim'])
    expect(JSON.parse(of('CMD')[0]!)).toEqual(command)
  })

  test('the health check finds a service that answers, one that fails, and one that is gone', async () => {
    const [, words = '[]'] = / CMD (\[.*\])$/.exec(of('HEALTHCHECK')[0]!) ?? []
    expect((JSON.parse(words) as readonly string[])[0]).toBe('node')
    const key = `${prefix} ${words}`
    if (!endings.has(key)) endings.set(key, endingsOf(words, prefix))
    expect(await endings.get(key)).toEqual([0, 1, 1])
  })
})

/** Most files have the same words for the same address, so these are tried once. */
const endings = new Map<string, Promise<readonly number[]>>()

/** The exit codes of a health check for a service that answers, that fails, and that has ended. */
async function endingsOf(words: string, prefix: string): Promise<readonly number[]> {
  let failing = false
  const urls = defineUrls({ health: `${prefix}/health/` as '/health/' })
  const api = defineApi({ urls, logger: { error: () => {} } })
  const check = api.endpoint('health').get(() => {
    if (failing) throw new Error('the database is away')
    return { ok: true }
  })
  const configuration = configurationOf()
  const server = await serve(api.serve([check], { configuration }), { port: 0 })
  const { port } = new URL(server.url)
  const answering = await health(words, port)
  failing = true
  const broken = await health(words, port)
  await server.close()
  return [answering, broken, await health(words, port)]
}

/** The exit code with a service on this port. */
async function health(words: string, port: string): Promise<number> {
  const [, ...args] = JSON.parse(words) as [string, ...string[]]
  const child = spawn(process.execPath, args, { env: { PORT: port } })
  const [status] = (await once(child, 'exit')) as [number]
  return status
}
