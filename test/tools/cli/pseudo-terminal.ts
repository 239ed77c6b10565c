import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { MAIN, SERVICE, bareEnvironment } from './colophon.ts'

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export interface AtTerminal {
  readonly env?: Readonly<Record<string, string>>
  /** What is typed once a text is shown, in this order. */
  readonly answers?: readonly (readonly [shown: string, typed: string])[]
  readonly columns?: number
  /** Behind the command, for the shell: `> file`. */
  readonly redirection?: string
}

/** Runs the command line at a pseudo-terminal (`script` of util-linux), as a person does. */
export async function atTerminal(
  args: readonly string[],
  { env = {}, answers = [], columns = 80, redirection = '' }: AtTerminal = {},
): Promise<{ readonly status: number; readonly shown: string }> {
  const command = [process.execPath, MAIN, ...args].map(quoted).join(' ')
  const line = `stty cols ${columns} rows 40; ${command} ${redirection}`
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd: SERVICE,
    env: { ...bareEnvironment(), SHELL: '/bin/sh', TERM: 'xterm-256color', ...env },
  })
  const open = [...answers]
  let [shown, seen] = ['', 0]
  child.stdout.on('data', (chunk) => {
    shown += String(chunk)
    const [next] = open
    const at = next === undefined ? -1 : shown.indexOf(next[0], seen)
    if (next === undefined || at < 0) return
    seen = at + next[0].length
    open.shift()
    // What comes before the question has the terminal to itself would be echoed.
    setTimeout(() => child.stdin.write(next[1]), 100)
  })
  const [status] = (await once(child, 'close')) as [number]
  return { status, shown }
}
