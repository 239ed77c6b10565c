import type { Scenario } from '../scenario.ts'
import { told } from '../stage.ts'
import { Wire, requestText } from '../tools/wire.ts'

const [CONNECTIONS, REQUESTS] = [2, 100]

/** Requests of one connection are answered one by one, with those of other connections in between. */
export const pipelinedLists: Scenario = {
  name: 'pipelined-lists',
  sends: `${REQUESTS} filtered lists at once on each of ${CONNECTIONS} connections, some 10 ms of work each`,
  async run(stage) {
    const service = await stage.onSqlite()
    const list = requestText('GET /cities/?population__gte=3&limit=100')
    await stage.measure(service, async () => {
      const wires: Wire[] = []
      for (let i = 0; i < CONNECTIONS; i++)
        wires.push((await Wire.open(service.url, '127.0.0.2')).count())
      for (const wire of wires)
        wire.write(list.repeat(REQUESTS - 1) + list.replace('Host', 'Connection: close\r\nHost'))
      const closed = await Promise.all(wires.map((wire) => wire.closedWithin(15_000)))
      for (const { answers } of wires) stage.note(`answers: ${told(answers)}`)
      stage.expect('Each connection gets all of its answers.', !closed.includes(false))
      for (const { socket } of wires) socket.destroy()
    })
  },
}
