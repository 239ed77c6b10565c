import { once } from 'node:events'
import { type AddressInfo, type Server, createServer } from 'node:net'

/** A server that takes every command of Redis, and answers each script with the same bytes of RESP. */
export class FakeRedis {
  readonly url: string
  answer: string
  /** The number of scripts that were sent. */
  asked = 0
  readonly #server: Server

  private constructor(server: Server, answer: string) {
    this.#server = server
    this.answer = answer
    this.url = `redis://127.0.0.1:${(server.address() as AddressInfo).port}/0`
  }

  static async start(answer: string): Promise<FakeRedis> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).setEncoding('latin1')
      // Reads the first word of each command; a client writes a command at once.
      socket.on('data', (text: string) => {
        for (const [, command = ''] of text.matchAll(/\*\d+\r\n\$\d+\r\n([A-Za-z]+)\r\n/g)) {
          const isScript = /^eval/i.test(command)
          if (isScript) fake.asked++
          socket.write(isScript ? fake.answer : '+OK\r\n')
        }
      })
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const fake = new FakeRedis(server, answer)
    return fake
  }

  close(): void {
    this.#server.close()
  }
}

/** Answers of a proxy, another server or a broken one, by their description. */
export const NONSENSE: Readonly<Record<string, string>> = {
  'nothing (nil)': '$-1\r\n',
  'a text': '$5\r\nhello\r\n',
  'an empty text': '$0\r\n\r\n',
  OK: '+OK\r\n',
  'one number': ':1\r\n',
  'no members': '*0\r\n',
  'members that are lists': `*5\r\n${'*1\r\n:1\r\n'.repeat(5)}`,
  'too many members': `*6\r\n${':1\r\n'.repeat(6)}`,
  'members that are nothing': `*5\r\n${'$-1\r\n'.repeat(5)}`,
  'texts that are no numbers': `*5\r\n${'$3\r\nNaN\r\n'.repeat(5)}`,
  'numbers that are not whole': `*5\r\n${'$3\r\n0.5\r\n'.repeat(5)}`,
  'numbers beyond all numbers': `*5\r\n${'$5\r\n1e999\r\n'.repeat(5)}`,
}
