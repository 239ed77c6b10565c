import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { createInterface } from 'node:readline'
import type { World } from './world.ts'

/** The milliseconds of CPU time from the start of a process to its first answer. */
export async function untilFirstAnswer(
  program: string,
  { environment, key }: World,
): Promise<number> {
  const server = spawn(process.execPath, [program], {
    env: { ...environment, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface(server.stdout)[Symbol.asyncIterator]()
  const next = async (): Promise<number> => Number((await lines.next()).value)
  await ask(await next(), key)
  server.kill('SIGTERM')
  return (await next()) / 1000
}

/** @throws Error the answer is not a 200 */
async function ask(port: number, key: string): Promise<void> {
  const headers = { authorization: `Token ${key}` }
  const request = get({ host: '127.0.0.1', port, agent: false, headers })
  const [response] = await once(request, 'response')
  const body = await text(response)
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${body}`)
}
