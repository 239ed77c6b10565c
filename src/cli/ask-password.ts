import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { CommandFailed, type Terminal } from './terminal.ts'

/** One line of standard input; what is typed at a terminal is not shown. */
export async function askPassword({ input, complain }: Terminal, hint: string): Promise<string> {
  if (input.isTTY) complain('Password (it is not shown while you type):')
  const lines = createInterface({
    input,
    output: new PassThrough(),
    terminal: input.isTTY ?? false,
  })
  const password = await firstLine(lines)
  if (password === null || password === '') {
    throw new CommandFailed(`No password was given. ${hint}`)
  }
  return password
}

function firstLine(lines: ReturnType<typeof createInterface>): Promise<string | null> {
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      resolve(line)
      lines.close()
    })
    lines.once('close', () => resolve(null))
  })
}
