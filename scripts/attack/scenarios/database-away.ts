import type { Scenario } from '../scenario.ts'
import type { Service } from '../service.ts'
import { AUTHORIZED, type Stage, tally, told } from '../stage.ts'
import { type Answer, ask } from '../tools/ask.ts'
import { pause, until } from '../tools/pause.ts'
import { startTcpProxy } from '../../servers/tcp-proxy.ts'

/** The number of requests while the database is away, and the milliseconds between them. */
const [REQUESTS, APART] = [150, 20]

/** While the database is away, clients get a 503 that says when to return, and the log stays short. */
export const databaseAway: Scenario = {
  name: 'database-away',
  sends: `${REQUESTS} requests, while PostgreSQL is stopped and another one is started in its place`,
  async run(stage) {
    const first = await stage.world.startPostgres()
    const proxy = await startTcpProxy(portOf(first.url))
    try {
      const service = await stage.start(stage.world.keys(proxy.via(first.url)))
      await ask(`${service.url}/cities/?limit=1`)
      await stage.measure(service, async () => {
        await Promise.all([first.stop(), proxy.refuse()])
        await whileAway(stage, service)
        const second = await stage.world.startPostgres()
        try {
          proxy.upstream = portOf(second.url)
          await proxy.resume()
          await afterwards(stage, service)
        } finally {
          proxy.close()
          await second.stop()
        }
      })
    } finally {
      proxy.close()
      await first.stop()
    }
  },
}

async function whileAway(stage: Stage, { url, log }: Service): Promise<void> {
  const before = log.length
  const begun = performance.now()
  const asked: Promise<Answer>[] = []
  for (let i = 0; i < REQUESTS; i++) {
    asked.push(ask(`${url}/cities/1/`, { headers: i % 2 === 0 ? AUTHORIZED : {} }))
    await pause(APART)
  }
  const answers = await Promise.all(asked)
  const seconds = (performance.now() - begun) / 1000
  const lines = log.length - before
  stage.note(`while it was away: ${told(tally(answers.map(({ status }) => status)))}`)
  stage.note(`lines in the log: ${lines} in ${seconds.toFixed(1)} s`)
  const away = answers.filter(({ status }) => status === 503)
  stage.expect('Each is 503.', away.length === answers.length)
  stage.expect(
    'Each says when to come back.',
    away.every(({ headers }) => 'retry-after' in headers),
  )
  stage.expect('The log gets about one line a second.', lines <= 2 * (seconds + 1))
}

async function afterwards(stage: Stage, { url }: Service): Promise<void> {
  const begun = performance.now()
  const back = await until(async () => (await ask(`${url}/cities/1/`)).status === 200, 10_000)
  stage.note(`first 200 after ${((performance.now() - begun) / 1000).toFixed(1)} s`)
  stage.expect('It works again within 10 s.', back)
}

const portOf = (url: string): number => Number(new URL(url).port)
