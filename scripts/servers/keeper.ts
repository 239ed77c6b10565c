// Keeps a server as long as somebody wants it: `node keeper.ts FOLDER STOP_SIGNAL USER COMMAND ARGUMENTS…`.
// It wants it whoever holds the other end of standard input, so that nothing stays behind, even where
// that process was killed. Then the server is stopped, and its folder is gone.
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
// Ctrl-C reaches everybody at once: whoever wants the server decides.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

function end(message: string, code: number): void {
  rmSync(folder, { recursive: true, force: true })
  process.stderr.write(`${message}\n`, () => process.exit(code))
}

function idOf(name: string, which: '-u' | '-g'): number {
  return Number(execFileSync('id', [which, name], { encoding: 'utf8' }))
}
