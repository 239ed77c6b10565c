import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Program, pathOf } from './programs.ts'
import { type Running, onFreePort, runServer, temporaryFolder } from './run-server.ts'

export const PROMETHEUS: Program = { name: 'prometheus', packages: ['prometheus'] }
/** A program of the same package. */
const PROMTOOL: Program = { ...PROMETHEUS, name: 'promtool' }

/** A Prometheus of our own; its data is deleted when it stops. */
export interface Prometheus extends Running {
  readonly url: string
}

/** Starts Prometheus with a configuration, and with the files that this names. */
export function startPrometheus(files: {
  readonly 'prometheus.yml': string
  readonly [name: string]: string
}): Promise<Prometheus> {
  return onFreePort(async (port) => {
    const command = await pathOf(PROMETHEUS)
    const folder = temporaryFolder('prometheus')
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const running = await runServer({
      folder,
      command,
      args: [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      user: null,
      ready: /Server is ready to receive web requests/,
    })
    return { ...running, url: `http://127.0.0.1:${port}` }
  })
}

/** The output of a check by `promtool`. @throws the check failed */
export async function promtool(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(await pathOf(PROMTOOL), [...args])
  return stdout
}
