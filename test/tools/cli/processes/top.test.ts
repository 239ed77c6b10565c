import { describe, expect, onTestFinished, test } from 'vitest'
import {
  type Incoming,
  IsAdminUser,
  configurationOf,
  defineApi,
  defineUrls,
} from '../../../../src/index.ts'
import { serve } from '../../../../src/node.ts'
import { defineMetrics } from '../../../../src/operations.ts'
import { activityBetween, samplesIn } from '../../../../src/tools/cli/processes/top.ts'
import { inProcess } from '../in-process.ts'

async function service(): Promise<string> {
  const metrics = defineMetrics()
  const urls = defineUrls({ metrics: '/metrics', closed: '/closed/', hello: '/hello/' })
  const api = defineApi({ urls, observe: metrics.observe, authentication: [] })
  const keys = {
    authenticate: ({ header }: Incoming) =>
      header('x-key') === 'of-staff' ? { user: { id: 1, isStaff: true }, auth: null } : null,
  }
  const app = api.serve(
    [
      api.endpoint('metrics', { observe: null }).get(metrics.page()),
      api
        .endpoint('closed', { permissions: [new IsAdminUser()], authentication: [keys] })
        .get(metrics.page()),
      api.endpoint('hello').get(() => 'world'),
    ],
    { configuration: configurationOf() },
  )
  const server = await serve(app, { port: 0 })
  onTestFinished(() => server.close())
  await fetch(`${server.url}/hello/`)
  const asking = setInterval(() => void fetch(`${server.url}/hello/`).catch(() => null), 50)
  onTestFinished(() => clearInterval(asking))
  return server.url
}

describe('colophon top', () => {
  test('shows requests by route and the process, as lines with tabs in a pipe', async () => {
    const url = await service()
    const args = ['top', `${url}/metrics`, '--once', '--interval', '1']
    const { status, output, complaint } = await inProcess(args, {})
    expect({ status, complaint }).toEqual({ status: 0, complaint: '' })
    const [first, heading, ...rows] = output.trim().split('\n')
    expect(first).toMatch(
      /^1 process, [\d.]+ requests\/s, \d+ under way, event loop \d+ % \(delay /,
    )
    expect(heading).toBe('ROUTE\tREQUESTS/S\t4XX/S\t5XX/S\tMEDIAN\t95 %')
    expect(rows).toEqual([expect.stringMatching(/^hello\t[\d.]+\t-\t-\t[\d.]+ ms\t[\d.]+ ms$/)])
  })

  test('prints an object for programs', async () => {
    const url = await service()
    const args = ['top', `${url}/metrics`, '--once', '--interval', '1', '--json']
    const { output } = await inProcess(args, {})
    expect(JSON.parse(output)).toMatchObject({
      routes: [{ route: 'hello', failedPerSecond: 0 }],
      workers: 1,
      memory: expect.any(Number),
    })
  })

  test('asks with headers, of which a file or standard input has the secret ones', async () => {
    const url = await service()
    const { output } = await inProcess(
      ['top', `${url}/closed/`, '--once', '--interval', '1', '--header', '@-'],
      { input: 'X-Key: of-staff\n' },
    )
    expect(output).toContain('\nhello\t')
  })

  test('says why there is nothing to show', async () => {
    const url = await service()
    const why = async (...args: readonly string[]) => {
      const { status, complaint } = await inProcess(['top', ...args], {})
      return `${status} ${complaint.trim()}`
    }
    expect(await why(`${url}/closed/`)).toMatch(
      /^1 colophon: .+ answers with 403: send what it asks for with --header, or name /,
    )
    const OTHER = 'name the page of metrics that defineMetrics makes, such as http'
    expect(await why(`${url}/nosuch/`)).toContain(`answers with 404: ${OTHER}`)
    expect(await why(`${url}/hello/`)).toContain(`/hello/ shows no metrics of Colophon: ${OTHER}`)
    expect(await why('http://127.0.0.1:1/')).toMatch(/^1 .+ does not answer: .+ or name the page/)
    expect(await why()).toMatch(
      /^2 .+\nUsage: colophon top .+\n {2}address: the page of its metrics/,
    )
    for (const address of ['metrics', 'http://ada:S3CRET@127.0.0.1/', 'ftp://ada:S3CRET@a/'])
      expect(await why(address)).toMatch(/^2 colophon: An address begins with [^S]+$/)
    expect(await why(url, '--header', 'Token')).toMatch(/^2 /)
  })
})

const text = (factor: number, worker: string, name = 'colophon_request_duration_seconds') => `
# TYPE ${name} histogram
${name}_bucket{worker="${worker}",route="a",status="2xx",le="0.1"} ${factor * 50}
${name}_bucket{worker="${worker}",route="a",status="2xx",le="0.2"} ${factor * 100}
${name}_bucket{worker="${worker}",route="a",status="2xx",le="+Inf"} ${factor * 100}
${name}_count{worker="${worker}",route="a",status="2xx"} ${factor * 100}
${name}_count{worker="${worker}",route="a",status="5xx"} ${factor * 2}
nodejs_eventloop_active_seconds_total{worker="${worker}"} ${factor}
colophon_database_connections{worker="${worker}",database="database",state="busy"} 3
colophon_database_connections{worker="${worker}",database="database",state="waiting"} 1
colophon_database_connections_limit{worker="${worker}",database="database"} 10
`

describe('between two looks', () => {
  const at = (seconds: number, lines: string) => ({ at: seconds * 1000, samples: samplesIn(lines) })

  test('workers are added up, and quantiles are found within buckets', () => {
    const before = at(10, text(1, '1') + text(1, '2'))
    const activity = activityBetween(before, at(20, text(2, '1') + text(5, '2')))
    const [route] = activity.routes
    expect(route).toMatchObject({ route: 'a', perSecond: 51, failedPerSecond: 1 })
    expect([route!.p50, route!.p95]).toEqual([0.1, expect.closeTo(0.19)])
    expect(activity).toMatchObject({
      pools: [{ database: 'database', busy: 6, waiting: 2, limit: 20 }],
      workers: 2,
      eventLoop: 0.4,
    })
  })

  test('a worker that began anew counts from its beginning', () => {
    const activity = activityBetween(at(0, text(9, '1')), at(10, text(1, '1')))
    expect(activity.routes).toMatchObject([{ perSecond: 10.2 }])
  })

  test('a route without requests has no durations', () => {
    const [route] = activityBetween(at(0, text(1, '1')), at(1, text(1, '1'))).routes
    expect(route).toMatchObject({ perSecond: 0, p50: null, p95: null })
  })

  test('labels are read with what is escaped in them', () => {
    expect(samplesIn('a{b="x\\"}{\\\\,",c="y\\n"} 7')).toEqual([
      { name: 'a', labels: { b: 'x"}{\\,', c: 'y\n' }, value: 7 },
    ])
  })
})
