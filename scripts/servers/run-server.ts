import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Milliseconds in which a server must become ready. */
const PATIENCE = 60_000

/** A server that runs until it is stopped, or until this process ends in any way. */
export interface Running {
  stop(): Promise<void>
}

/** The command of a server, and the sign that it is ready. */
export interface ServerCommand {
  /** Its own folder, made by `temporaryFolder`, which is deleted when the server has stopped. */
  readonly folder: string
  readonly command: string
  readonly args: readonly string[]
  /** The user of the process, if root starts it. */
  readonly user: string | null
  /** A line of its log that says it is ready, or a question that is repeated until the answer is yes. */
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

/** Lets the program end although a server and its log are open. */
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
  // Reading goes on when the server is ready, because a full pipe would stop it.
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

/** Makes a folder below the system's temporary one; if root makes it, it belongs to `owner`. */
export function temporaryFolder(name: string, owner: string | null = null): string {
  const folder = mkdtempSync(join(roomiest(), `colophon-${name}-`))
  if (owner !== null) execFileSync('chown', [`${owner}:`, folder])
  return folder
}

const ENOUGH = 4 * 1024 ** 3

/** The folder for data: in memory if Linux has enough, which makes databases many times as fast. */
export function roomiest(): string {
  const memory = '/dev/shm'
  // Tests run programs from this folder.
  const runsNothing = / \/dev\/shm \S+ \S*\bnoexec\b/
  if (!existsSync(memory) || runsNothing.test(readFileSync('/proc/mounts', 'utf8'))) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= ENOUGH ? memory : tmpdir()
}

/** Runs a program to its end. If it fails, reports its output and deletes the folder. */
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

/** The user for a server that refuses to run as root; `null`: this process is not root. */
export function userFor(name: string): string | null {
  return process.getuid?.() === 0 ? name : null
}

/** Ports below those that systems give to connections, which would soon take a free one. */
const [LOWEST, HIGHEST] = [10_000, 32_000]

/** A port without a listener. Another process may still take it: see `onFreePort`. */
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

/** Starts a server on a free port, and again if another process took the port first. */
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

/** Does a server of this machine accept connections? */
export function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
