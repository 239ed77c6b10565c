// Keeps a server while it is needed: `node keeper.ts FOLDER STOP_SIGNAL USER COMMAND ARGUMENTS…`. The process at the other end
// of standard input needs it, so that nothing stays behind even if that process is killed. Then the keeper stops the server,
// and deletes its folder.
import { execFileSync, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'

const [folder = '', stopSignal = 'SIGTERM', user = '', command = '', ...args] =
  process.argv.slice(2)

const server = spawn(command, args, {
  cwd: folder,
  stdio: ['ignore', 'inherit', 'inherit'],
  ...(user === '' ? {} : { uid: idOf(user, '-u'), gid: idOf(user, '-g') }),
})
server.on('error', (error) => end(error.message, 1))
server.on('exit', (code, signal) => end(`It ended with ${code ?? signal}.`, code ?? 1))

process.stdin.resume().on('end', () => server.kill(stopSignal as NodeJS.Signals))
// Ctrl-C reaches every process, but the process that needs the server decides.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

function end(message: string, code: number): void {
  rmSync(folder, { recursive: true, force: true })
  process.stderr.write(`${message}\n`, () => process.exit(code))
}

function idOf(name: string, which: '-u' | '-g'): number {
  return Number(execFileSync('id', [which, name], { encoding: 'utf8' }))
}
