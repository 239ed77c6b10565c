import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Milliseconds that a server may take to say that it is ready. */
const PATIENCE = 60_000

/** A server that runs until it is stopped, or until this process is over, however that comes about. */
export interface Running {
  stop(): Promise<void>
}

/** What to run, and how to know that it is ready. */
export interface ServerCommand {
  /** A folder of its own, made by `temporaryFolder`; it is gone when the server has stopped. */
  readonly folder: string
  readonly command: string
  readonly args: readonly string[]
  /** Who runs it, where root started it. */
  readonly user: string | null
  /** What it logs when it is ready, or a question that is asked until it is. */
  readonly ready: RegExp | (() => Promise<boolean>)
  /** @default SIGTERM */
  readonly stopSignal?: NodeJS.Signals
}

/** Starts a server in the foreground and resolves when it is ready. */
export async function runServer(options: ServerCommand): Promise<Running> {
  const { folder, command, args, user, stopSignal = 'SIGTERM' } = options
  const keeper = spawn(
    process.execPath,
    [join(import.meta.dirname, 'keeper.ts'), folder, stopSignal, user ?? '', command, ...args],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, LC_ALL: 'C' },
      detached: true,
    },
  )
  try {
    await isReady(keeper, options.ready)
  } catch (error) {
    await stop(keeper)
    throw error
  }
  release(keeper)
  return { stop: () => stop(keeper) }
}

/** Server and log keep nobody's program from ending. */
function release(keeper: ChildProcess): void {
  keeper.unref()
  for (const stream of [keeper.stdin, keeper.stdout, keeper.stderr]) {
    const socket = stream as unknown as { unref?(): void }
    socket.unref?.()
  }
}

async function stop(keeper: ChildProcess): Promise<void> {
  if (keeper.exitCode !== null || keeper.signalCode !== null) return
  keeper.ref()
  const gone = once(keeper, 'exit')
  keeper.stdin?.end()
  await gone
}

async function isReady(keeper: ChildProcess, ready: ServerCommand['ready']): Promise<void> {
  let log = ''
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const hear = (text: string): void => {
    log = (log + text).slice(-20_000)
    if (ready instanceof RegExp && ready.test(log)) resolve()
  }
  // It is read on, too, when the server is ready: a full pipe would stop it.
  for (const stream of [keeper.stdout, keeper.stderr]) stream?.setEncoding('utf8').on('data', hear)
  keeper.once('exit', () => reject(new Error(`The server ended at once:\n${log}`)))
  const late = setTimeout(() => reject(new Error(`The server is not ready:\n${log}`)), PATIENCE)
  if (typeof ready === 'function') void askUntil(ready, promise).then(resolve)
  await promise.finally(() => clearTimeout(late))
}

async function askUntil(ready: () => Promise<boolean>, over: Promise<void>): Promise<void> {
  const asking = new AbortController()
  const end = (): void => asking.abort()
  over.then(end, end)
  while (!asking.signal.aborted && !(await ready())) await pause()
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20))
}

/** A new folder below the system's temporary one; `owner` gets it, where root made it. */
export function temporaryFolder(name: string, owner: string | null = null): string {
  const folder = mkdtempSync(join(roomiest(), `colophon-${name}-`))
  if (owner !== null) execFileSync('chown', [`${owner}:`, folder])
  return folder
}

const ENOUGH = 4 * 1024 ** 3

/** Memory, where Linux has enough to give: nothing has to survive, and databases are made many times as fast. */
export function roomiest(): string {
  const memory = '/dev/shm'
  // Tests run programs from where they put them.
  const runsNothing = / \/dev\/shm \S+ \S*\bnoexec\b/
  if (!existsSync(memory) || runsNothing.test(readFileSync('/proc/mounts', 'utf8'))) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= ENOUGH ? memory : tmpdir()
}

/** Runs a program to its end, and says what it printed where it fails; the folder is gone then. */
export async function prepare(
  folder: string,
  user: string | null,
  command: string,
  args: readonly string[],
): Promise<void> {
  const as = user === null ? [command, ...args] : ['setpriv', ...privileges(user), command, ...args]
  const child = spawn(as[0]!, as.slice(1), { stdio: ['ignore', 'pipe', 'pipe'], cwd: folder })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (log += text))
  const [code] = await once(child, 'close')
  if (code === 0) return
  rmSync(folder, { recursive: true, force: true })
  throw new Error(`${command} failed:\n${log}`)
}

function privileges(user: string): readonly string[] {
  return [`--reuid=${user}`, `--regid=${user}`, '--clear-groups']
}

/** The user for a server that refuses to run as root; `null`: this process is no root, so it runs as we do. */
export function userFor(name: string): string | null {
  return process.getuid?.() === 0 ? name : null
}

/** Below those that systems give to connections: what was free just now would soon be taken. */
const [LOWEST, HIGHEST] = [10_000, 32_000]

/** A port that nobody listens on. Another process may still take it: see `onFreePort`. */
export async function freePort(): Promise<number> {
  const port = randomInt(LOWEST, HIGHEST)
  return (await isFree(port)) ? port : freePort()
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.on('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/** Starts what listens on a free port; again, where another process has taken the port first. */
export async function onFreePort<Server>(
  start: (port: number) => Promise<Server>,
): Promise<Server> {
  try {
    return await start(await freePort())
  } catch (error) {
    if (/address (?:is )?already in use/i.test(String(error))) return onFreePort(start)
    throw error
  }
}

/** Does a server of this machine take connections? */
export function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
