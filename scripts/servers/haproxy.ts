import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Program, pathOf } from './programs.ts'
import { type Running, answers, onFreePort, runServer, temporaryFolder } from './run-server.ts'

export const HAPROXY: Program = { name: 'haproxy', packages: ['haproxy'] }

/** Starts HAProxy on a free port, as one foreground process. `config`: its whole configuration. */
export function startHaproxy(
  config: (port: number) => string,
): Promise<Running & { readonly url: string; readonly port: number }> {
  return onFreePort(async (port) => {
    const folder = temporaryFolder('haproxy')
    const file = join(folder, 'haproxy.cfg')
    writeFileSync(file, config(port))
    const command = await pathOf(HAPROXY)
    const ready = () => answers(port)
    const running = await runServer({
      folder,
      command,
      args: ['-db', '-f', file],
      user: null,
      ready,
    })
    return { ...running, port, url: `http://127.0.0.1:${port}` }
  })
}
