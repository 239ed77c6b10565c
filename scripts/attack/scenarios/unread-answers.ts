import type { Scenario } from '../scenario.ts'
import { pause } from '../tools/pause.ts'
import { Wire, requestText } from '../tools/wire.ts'

/** The number of connections, and the least milliseconds between them: the attack is on the memory, not on the processor. */
const [CONNECTIONS, APART] = [60, 60]
/** The bytes by which the memory of the service may grow: `maxBufferedBytes`, and as much for the answers in the making. */
const GROWTH = 2 * 256 * 2 ** 20

/** An answer that its client does not read stays in memory. */
export const unreadAnswers: Scenario = {
  name: 'unread-answers',
  sends: `${CONNECTIONS} connections that ask for 25 MB each and read no more than the beginning`,
  async run(stage) {
    const service = await stage.onSqlite()
    const wires: Wire[] = []
    await stage.measure(service, async () => {
      for (let i = 0; i < CONNECTIONS; i++) {
        const wire = await Wire.open(service.url, '127.0.0.2')
        wire.socket.pause()
        wire.write(requestText('GET /export/'))
        wires.push(wire)
        await Promise.all([wire.answered(), pause(APART)])
      }
      await pause(4000)
      for (const { socket } of wires) socket.destroy()
      await pause(1000)
    })
    const { before, peak } = stage.figures!.memory
    stage.expect(
      `Memory grows by at most ${(GROWTH / 1e6).toFixed(0)} MB.`,
      peak - before <= GROWTH,
    )
  },
}
