// The dashboard and the alerts of deploy/, against a real Prometheus that reads a service with two workers. Grafana itself is in no
// registry that the tests use.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Prometheus, promtool, startPrometheus } from '../../scripts/servers/prometheus.ts'
import { temporaryDirectory } from '../contract/temporary.ts'
import { migratedDatabaseUrl } from '../setup/databases.ts'
import { PACKAGE, colophon, lineOf, start } from '../tools/cli/colophon.ts'

const read = (file: string): string => readFileSync(join('deploy', file), 'utf8')
const rules = read('prometheus/alerts.yml')
const dashboard = JSON.parse(read('grafana/colophon.json')) as {
  readonly panels: readonly {
    readonly title: string
    readonly targets?: readonly { readonly expr: string }[]
  }[]
}

/** Something of everything that is counted: pools, passwords, statements that fail, refusals, 5xx. */
const APP = `
import { BasicAuthentication, Throttled, defineApi, defineUrls } from 'colophon'
import { defineAccounts } from 'colophon/accounts'
import { defineMetrics } from 'colophon/operations'
import { openPostgres } from 'colophon/postgres'
const database = openPostgres({ url: process.env.DATABASE, connections: 2 })
const accounts = defineAccounts({ database, secretKey: 'x8Vq2Lr5Tz9Wc3Kn7Pj4Hd6Fm1Bs0Gy' })
const metrics = defineMetrics()
const api = defineApi({
  urls: defineUrls({ metrics: '/metrics', me: '/me/', many: '/many/', fails: '/fails/' }),
  observe: metrics.observe,
  authentication: [],
  accounts,
})
export default api.serve([
  api.endpoint('metrics', { observe: null }).get(metrics.page()),
  api.endpoint('me', { authentication: [new BasicAuthentication({ users: accounts.users })] }).get(() => 1),
  api.endpoint('many').get(() => { throw new Throttled(1) }),
  api.endpoint('fails').get(() => database.read({ sql: 'select none', parameters: [] })),
])
`

let prometheus: Prometheus
let asking: NodeJS.Timeout
let stop = (): void => {}
beforeAll(async () => {
  const folder = temporaryDirectory(afterAll)
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(PACKAGE, join(folder, 'node_modules/colophon'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'app.ts'), APP)
  const env = { DATABASE: await migratedDatabaseUrl('postgres', afterAll) }
  expect(await colophon(['migrate'], { cwd: folder, env })).toMatchObject({ status: 0 })
  const server = start(['serve', '--workers', '2', '--port', '0'], { cwd: folder, env })
  stop = () => void server.kill('SIGKILL')
  const [, url = ''] = await lineOf(server, /Listening on (\S+)\n/)
  const authorization = `Basic ${btoa('nobody:wrong')}`
  asking = setInterval(() => {
    for (const path of ['/me/', '/many/', '/fails/', '/nowhere/'])
      // The last ones are broken off.
      void fetch(url + path, { headers: { authorization } }).then(
        (answer) => answer.text(),
        () => null,
      )
  }, 100)
  prometheus = await startPrometheus({
    'alerts.yml': rules,
    'prometheus.yml': read('prometheus/prometheus.yml')
      .replaceAll(/(_interval:) 15s/g, '$1 250ms')
      .replace('127.0.0.1:8000', new URL(url).host),
  })
})
afterAll(async () => {
  clearInterval(asking)
  stop()
  await prometheus?.stop()
})

async function asked<T>(path: string, parameters: Readonly<Record<string, string>> = {}) {
  const answer = await fetch(`${prometheus.url}/api/v1/${path}?${new URLSearchParams(parameters)}`)
  return (await answer.json()) as { readonly status: string; readonly data: T; error?: string }
}

interface Series {
  readonly result: readonly { readonly value: readonly [number, string] }[]
}

/** What Grafana puts into a query. */
function filled(expr: string): string {
  return expr
    .replaceAll('$__rate_interval', '1m')
    .replaceAll('$job', 'colophon')
    .replaceAll('$instance', '.*')
}

/** The same comparison as 0 or 1, so that a condition that does not hold has an answer, too. */
function compared(expr: string): string {
  return expr.replace(/ (==|<|>) (?=[\d.]+$|on )/, ' $1 bool ')
}

interface Rule {
  readonly name: string
  readonly query: string
  readonly health: string
  readonly state: string
  readonly lastError?: string
}
const alerts = [
  ...rules.matchAll(/- alert: (\w+)\n\s+expr: (?:\|\n((?: {10,}.*\n)+)|(.*)\n)/g),
].map(([, name = '', long, short]) => [name, (long ?? short ?? '').trim()] as const)
const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, filled(expr)] as const),
)

test('every query of the dashboard and of the alerts has series', async () => {
  expect(queries.length).toBeGreaterThan(20)
  expect(alerts).toHaveLength(rules.split('- alert:').length - 1)
  await expect.poll(() => without([...queries, ...alerts])).toEqual([])
})

/** The queries that have no series, or fail. */
async function without(all: readonly (readonly [name: string, query: string])[]) {
  const answers = await Promise.all(
    all.map(async ([name, query]) => {
      const { status, data, error } = await asked<Series>('query', { query: compared(query) })
      const isEmpty = status !== 'success' || data.result.every(({ value }) => value[1] === 'NaN')
      return isEmpty ? `${name}: ${query} ${error ?? ''}` : []
    }),
  )
  return answers.flat()
}

test('every metric that is named exists', async () => {
  const { data: known } = await asked<readonly string[]>('label/__name__/values')
  const texts = [...queries, ...alerts].map(([, query]) => query)
  const named = new Set(texts.flatMap((text) => text.match(/\b(?:colophon|nodejs|process)_\w+/g)!))
  expect([...named].filter((each) => each && !known.includes(each))).toEqual([])
  // And those of the page stand in no other way.
  const page = readFileSync('docs/operations/metrics.md', 'utf8')
  const shown = known.filter((each) => each.startsWith('colophon_'))
  const documented = (name: string) => page.includes(name.replace(/_(?:bucket|sum|count)$/, ''))
  expect(shown.filter((each) => !documented(each))).toEqual([])
})

test('Prometheus takes the rules, and one of them is about to fire', async () => {
  expect(await promtool('check', 'rules', 'deploy/prometheus/alerts.yml')).toContain(
    `SUCCESS: ${alerts.length} rules found`,
  )
  const all = async (): Promise<readonly Rule[]> => {
    const { data } = await asked<{ groups: { rules: Rule[] }[] }>('rules')
    return data.groups.flatMap((group) => group.rules)
  }
  await expect
    .poll(async () => (await all()).find(({ name }) => name === 'ColophonErrors')?.state)
    .toBe('pending')
  const found = await all()
  expect(found.map(({ name }) => name)).toEqual(alerts.map(([name]) => name))
  expect(found.filter(({ health }) => health !== 'ok')).toEqual([])
})

test('the example of a configuration is one', async () => {
  expect(await promtool('check', 'config', 'deploy/prometheus/prometheus.yml')).toContain('SUCCESS')
})
