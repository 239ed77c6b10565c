import type { Scenario } from '../scenario.ts'
import { tally, told } from '../stage.ts'
import { Wire, requestText } from '../tools/wire.ts'

const FOREIGN = [
  'evil.example',
  'localhost.evil.example',
  'evil.example:80',
  'localhost@evil.example',
  'a@localhost',
  'localhost:80@evil.example',
  'localhost:99999',
  'localhost:-1',
  'localhost:0x50',
  'localhost:80:80',
  'localhost:8e1',
  ':80',
  'localhost evil.example',
  '[::1',
  '::1',
  '[::1]evil',
  '[::ffff:127.0.0.1]',
  '[::1%25eth0]',
  '[]',
  '127.1',
  '2130706433',
  'localhost,evil.example',
  'localhost/evil',
  'localhost?x',
  'localhost#x',
  'localhost\\evil',
  'localhost..',
  '.localhost',
  'lócalhost',
  '\u00a0localhost',
  'localhost"',
  '<localhost>',
  'localhost%00',
  "localhost'",
  'x'.repeat(8000),
]

const PATHS = [
  '/cities/?limit=1',
  '/notes/',
  '/session/',
  '/nothing/',
  'http://evil.example/cities/',
]

/** Links contain the host of the request, so a foreign host is a 400 in every spelling. */
export const hosts: Scenario = {
  name: 'hosts',
  sends: `${FOREIGN.length} odd Host headers at ${PATHS.length} addresses, and two Hosts at once`,
  async run(stage) {
    const service = await stage.onSqlite()
    const answers: (readonly [host: string, status: string])[] = []
    const send = async (path: string, host: string): Promise<void> =>
      void answers.push([host, await statusOf(service.url, path, host)])
    await stage.measure(service, async () => {
      for (const path of PATHS) for (const host of FOREIGN) await send(path, host)
      await send('/hello/', 'localhost\r\nHost: evil.example')
    })
    stage.note(`answers: ${told(tally(answers.map(([, status]) => status)))}`)
    const wrong = answers.filter(([, status]) => !REFUSED.has(status)).map(([host]) => host)
    stage.expect(`Each is refused, also ${[...new Set(wrong)].join(' and ')}.`, wrong.length === 0)
  },
}

const REFUSED: ReadonlySet<string> = new Set(['400', '431'])

async function statusOf(url: string, path: string, host: string): Promise<string> {
  const wire = (await Wire.open(url, '127.0.0.2')).count()
  wire.write(requestText(`GET ${path}`, { Host: host, Connection: 'close' }))
  const closed = await wire.closedWithin(2000)
  wire.socket.destroy()
  return Object.keys(wire.answers)[0] ?? (closed ? 'closed' : 'hang')
}
