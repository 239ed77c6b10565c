import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathOf } from '../../scripts/servers/programs.ts'

interface Asking {
  readonly url: string
  readonly key: string
  readonly seconds: number
  /** The folder for a script. */
  readonly folder: string
  /** The body of a POST, in place of a GET. */
  readonly body: string | undefined
}

/** The requests a second of eight connections without pauses. */
export async function wrk({ url, key, seconds, folder, body }: Asking): Promise<number> {
  const script = join(folder, 'post.lua')
  writeFileSync(script, `wrk.method = "POST"\nwrk.body = '${body ?? ''}'\n`)
  const program = await pathOf({ name: 'wrk', packages: ['wrk'] })
  const headers = ['-H', `Authorization: Token ${key}`, '-H', 'Content-Type: application/json']
  const posting = body === undefined ? [] : ['-s', script]
  const child = spawn(program, [
    '-t1',
    '-c8',
    '--timeout',
    '10s',
    `-d${seconds}s`,
    ...headers,
    ...posting,
    url,
  ])
  let output = ''
  child.stdout.on('data', (text) => (output += String(text)))
  await once(child, 'close')
  const [, rps] = /Requests\/sec:\s+([\d.]+)/.exec(output) ?? []
  if (rps === undefined || /Non-2xx/.test(output)) throw new Error(`wrk printed:\n${output}`)
  return Number(rps)
}
