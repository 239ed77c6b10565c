import type { Scenario } from '../scenario.ts'
import { ask } from '../tools/ask.ts'
import { pause } from '../tools/pause.ts'
import { Wire, requestText } from '../tools/wire.ts'

const TIMES = 20

/** An error behind an answer ends this answer, and never the process. */
export const brokenStreams: Scenario = {
  name: 'broken-streams',
  sends: `${TIMES} × HEAD and GET of streams that break, clients that leave, promises that nobody awaits`,
  async run(stage) {
    const service = await stage.onSqlite()
    await stage.measure(service, async () => {
      for (let i = 0; i < TIMES && service.alive; i++) {
        for (const how of ['error', 'cancel']) {
          await ask(`${service.url}/stream/${how}/`, { method: 'HEAD' })
          await leaveEarly(service.url, `GET /stream/${how}/`)
        }
        await ask(`${service.url}/floating/`)
      }
    })
    const { status } = await ask(`${service.url}/hello/`)
    stage.expect('The service still answers.', status === 200)
  },
}

/** Sends a request, and closes the connection before the answer is complete. */
async function leaveEarly(url: string, line: string): Promise<void> {
  const wire = await Wire.open(url, '127.0.0.2')
  wire.write(requestText(line))
  await wire.flushed()
  await pause(5)
  wire.socket.destroy()
}
