import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** A server in its own process, which reports its CPU time. */
export interface ServerProcess {
  readonly port: number
  /** The id of its process. */
  readonly id: number
  /** The microseconds of user and system time so far. */
  cpu(): Promise<number>
  stop(): void
}

/** Starts a module that listens on a free port, reports it, and answers `cpu` with its CPU time. */
export async function startServer(module: URL, args: readonly string[]): Promise<ServerProcess> {
  const child = fork(module, args, { execArgv: [] })
  const port = await portOf(child)
  return { port, id: child.pid!, cpu: () => ask(child), stop: () => child.kill('SIGKILL') }
}

/** The port that a server reports; rejects if the process ends instead. */
function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('message', ({ port }: { port: number }) => resolve(port))
    child.once('exit', () => reject(new Error('The server ended before it listened.')))
  })
}

async function ask(child: ChildProcess): Promise<number> {
  child.send('cpu')
  const [{ cpu }] = (await once(child, 'message')) as [{ cpu: number }]
  return cpu
}

/** Reports to the bench: a server calls this when it listens. */
export function tellParent(port: number): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send!({ cpu: user + system })
  })
  process.send!({ port })
}
