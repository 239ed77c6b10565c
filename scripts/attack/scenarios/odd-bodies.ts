import { gzipSync } from 'node:zlib'
import type { Scenario } from '../scenario.ts'
import { AUTHORIZED, tally, told } from '../stage.ts'
import { ask } from '../tools/ask.ts'
import { Wire } from '../tools/wire.ts'

const BOMB = gzipSync(Buffer.alloc(20_000_000, 0x20))

/** A compressed body is not read as plain text, and not decompressed beyond the limits. */
export const packedBodies: Scenario = {
  name: 'packed-bodies',
  sends: 'bodies with a Content-Encoding, also such as are none, and 20 MB in 20 kB',
  async run(stage) {
    const service = await stage.onSqlite()
    const statuses: number[] = []
    await stage.measure(service, async () => {
      for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'identity, gzip']) {
        const headers = { ...AUTHORIZED, 'Content-Encoding': encoding }
        const { status } = await ask(`${service.url}/echo/`, {
          method: 'POST',
          headers,
          text: '{}',
        })
        statuses.push(status)
      }
      statuses.push(await statusOfBomb(service.url))
    })
    stage.note(`answers: ${told(tally(statuses))}`)
    stage.expect(
      'Each is 415.',
      statuses.every((status) => status === 415),
    )
  },
}

async function statusOfBomb(url: string): Promise<number> {
  const wire = await Wire.open(url, '127.0.0.2')
  const head = [
    'POST /echo/ HTTP/1.1',
    'Host: localhost',
    'Connection: close',
    'Content-Type: application/json',
    'Content-Encoding: gzip',
    `Content-Length: ${BOMB.length}`,
  ]
  wire.socket.write(`${head.join('\r\n')}\r\n\r\n`)
  wire.socket.write(BOMB)
  let text = ''
  for await (const piece of wire.socket) text += String(piece)
  return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0)
}

/** A value that a renderer cannot write is an error, and never an answer that looks like data. */
export const lostAnswers: Scenario = {
  name: 'lost-answers',
  sends: 'GET of handlers that reply with bytes, a stream and a promise, without a type',
  async run(stage) {
    const service = await stage.onSqlite()
    const answers: string[] = []
    await stage.measure(service, async () => {
      for (const what of ['bytes', 'stream', 'promise'])
        for (const method of ['GET', 'HEAD'])
          answers.push(String((await ask(`${service.url}/lost/${what}/`, { method })).status))
    })
    stage.note(`answers: ${told(tally(answers))}`)
    stage.expect(
      'Each is 500, which the log explains.',
      answers.every((status) => status === '500'),
    )
  },
}
