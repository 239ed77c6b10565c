import type { Scenario } from '../scenario.ts'
import { tally, told } from '../stage.ts'
import { pause } from '../tools/pause.ts'
import { Wire } from '../tools/wire.ts'

const [CONNECTIONS, SECONDS] = [200, 17]

/** A request that never ends is cut off after ten seconds (slowloris). */
export const slowClients: Scenario = {
  name: 'slow-clients',
  sends: `${CONNECTIONS} connections that send one byte of a header every second`,
  async run(stage) {
    const service = await stage.onSqlite()
    await stage.measure(service, async () => {
      const wires = await Promise.all(
        Array.from({ length: CONNECTIONS }, async () =>
          (await Wire.open(service.url, '127.0.0.2')).count(),
        ),
      )
      for (const wire of wires) wire.write('GET /hello/ HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
      for (let i = 0; i < SECONDS && wires.some(({ socket }) => !socket.destroyed); i++) {
        for (const wire of wires) if (wire.socket.writable) wire.write('x')
        await pause(1000)
      }
      const left = wires.filter(({ socket }) => !socket.destroyed)
      const answers = wires.flatMap((wire) => Object.keys(wire.answers))
      stage.note(`answers: ${told(tally(answers))}; ${left.length} connections were left`)
      stage.expect('All of them are cut off.', left.length === 0)
      for (const { socket } of wires) socket.destroy()
    })
  },
}
