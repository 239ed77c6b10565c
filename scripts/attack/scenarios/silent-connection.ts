import type { Scenario } from '../scenario.ts'
import type { Service } from '../service.ts'
import { type Stage, tally, told } from '../stage.ts'
import { type Answer, ask } from '../tools/ask.ts'
import { pause } from '../tools/pause.ts'
import { startTcpProxy } from '../../servers/tcp-proxy.ts'

const LIST = '/cities/?limit=2'
/** The number of lists that are asked for meanwhile, and the milliseconds between them. */
const [LISTS, APART] = [100, 100]

/** One of the connections to PostgreSQL stays open but silent: the requests that wait for it must give it up. */
export const silentConnection: Scenario = {
  name: 'silent-connection',
  sends: `${LISTS} lists within 10 s, while one of ten database connections is silent`,
  async run(stage) {
    const url = await stage.world.postgresUrl()
    const proxy = await startTcpProxy(Number(new URL(url).port))
    try {
      const service = await stage.start(stage.world.keys(proxy.via(url)))
      await openConnections(service)
      stage.note(`${proxy.open} connections were open`)
      await stage.measure(service, async () => {
        proxy.silenceNext()
        await lists(stage, service)
      })
    } finally {
      proxy.close()
    }
  },
}

/** Counts different lists at the same moment, because these cannot share a connection. */
async function openConnections({ url }: Service): Promise<void> {
  const all = Array.from({ length: 40 }, (_, i) => ask(`${url}/cities/?population__gte=${i}`))
  await Promise.all(all)
}

async function lists(stage: Stage, { url }: Service): Promise<void> {
  const asked: Promise<Answer>[] = []
  for (let i = 0; i < LISTS; i++) {
    asked.push(ask(url + LIST))
    await pause(APART)
  }
  const answers = await Promise.all(asked)
  const outcomes = tally(
    answers.map(({ outcome, status }) => (outcome === 'answered' ? status : outcome)),
  )
  const slowest = Math.max(...answers.map(({ milliseconds }) => milliseconds))
  stage.note(`lists: ${told(outcomes)}; the slowest took ${(slowest / 1000).toFixed(1)} s`)
  stage.expect('No list hangs.', !('hang' in outcomes))
  stage.expect('No list is an error of ours.', !('500' in outcomes))
  const { status, milliseconds } = await ask(url + LIST)
  stage.expect('Lists work again at the end.', status === 200 && milliseconds < 1000)
}
