import { Agent, get } from 'node:http'
import type { Scenario } from '../scenario.ts'
import { tally, told } from '../stage.ts'
import { pause } from '../tools/pause.ts'

const [ROUNDS, CONNECTIONS] = [3, 12]

/** An accepted request gets an answer, which closes the connection. */
export const sigterm: Scenario = {
  name: 'sigterm',
  sends: `${ROUNDS} × SIGTERM, while ${CONNECTIONS} keep-alive connections are busy`,
  async run(stage) {
    const endings: string[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const service = await stage.onSqlite()
      const clients = Array.from({ length: CONNECTIONS }, () => askOnAndOn(service.url))
      await pause(500)
      const begun = performance.now()
      const code = await service.stop('SIGTERM')
      const took = performance.now() - begun
      endings.push(...(await Promise.all(clients)))
      stage.expect(`It ends by itself (${code}).`, code === 0)
      stage.expect(`It ends at once (${took.toFixed(0)} ms).`, took < 2000)
    }
    stage.note(`how the connections ended: ${told(tally(endings))}`)
    stage.expect('No request is reset.', !endings.includes('reset'))
  },
}

/** Asks on one connection until it is closed: with an answer (`closed`), or during a request (`reset`). */
async function askOnAndOn(url: string): Promise<'closed' | 'reset'> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    for (;;) {
      const ending = await once(`${url}/cities/?limit=20`, agent)
      if (ending !== null) return ending
    }
  } finally {
    agent.destroy()
  }
}

function once(url: string, agent: Agent): Promise<'closed' | 'reset' | null> {
  return new Promise((resolve) => {
    const request = get(url, { agent }, (response) => {
      const closes = response.headers.connection === 'close'
      response.resume().once('end', () => resolve(closes ? 'closed' : null))
      response.once('error', () => resolve('reset'))
    })
    request.once('error', () => resolve('reset'))
  })
}
