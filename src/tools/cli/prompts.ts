import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { readText } from './files.ts'
import { CommandFailed, type Terminal, UsageError } from './terminal.ts'

export const PASSWORD_STDIN = [
  '--password-stdin',
  'read the password from standard input, also from a terminal; nothing is asked',
  { conflicts: ['password'] },
] as const

/** The source of a command's password: `--password-stdin`, or with `--no-password` none. */
export interface PasswordOptions {
  readonly passwordStdin: boolean | undefined
  /** `false`: `--no-password` */
  readonly password: boolean | undefined
}

/**
 * A password never comes as an argument, where other users of the machine can read it. At a terminal it is asked for
 * twice and not shown; otherwise it is the first line of standard input.
 */
export async function readPassword(
  terminal: Terminal,
  { password, passwordStdin = false }: PasswordOptions,
): Promise<string | null> {
  if (password === false) return null
  const asks = (terminal.input.isTTY ?? false) && !passwordStdin
  const given = await (asks ? askTwice(terminal) : firstLine(terminal))
  if (given !== '') return given
  throw new CommandFailed(
    'No password was given. Type one at a terminal, pipe one in, or say --no-password.',
  )
}

async function firstLine({ input }: Terminal): Promise<string> {
  const lines = createInterface({ input, terminal: false })
  for await (const line of lines) return line
  return ''
}

async function askTwice(terminal: Terminal): Promise<string> {
  const password = await askHidden(terminal, 'Password')
  if ((await askHidden(terminal, 'The same again')) === password) return password
  throw new CommandFailed('The two passwords differ. Nothing was changed.')
}

async function askHidden(terminal: Terminal, message: string): Promise<string> {
  if (terminal.screen === null)
    throw new CommandFailed(
      'There is no terminal to ask for the password on. Pipe it in with --password-stdin.',
    )
  const { password } = await import('@clack/prompts')
  return answered<string>(terminal, (place) =>
    password({ ...place, message, clearOnError: true, validate: somethingIn }),
  )
}

const somethingIn = (text: string | undefined): string | undefined =>
  text ? undefined : 'Type one, or press Ctrl-C.'

/** Is there a person to ask? Both input and output must be a terminal: no script ever waits. */
function canAsk({ input, screen }: Terminal): boolean {
  return (input.isTTY ?? false) && screen !== null
}

/**
 * The name of a user, which is asked for at a terminal where it was left out.
 *
 * @throws UsageError there is no terminal to ask on
 */
export async function usernameOf(
  given: string | undefined,
  terminal: Terminal,
  missing = 'Name a user.',
): Promise<string> {
  if (given !== undefined) return given
  if (!canAsk(terminal)) throw new UsageError(missing)
  const { text } = await import('@clack/prompts')
  const ask = (place: Place) => text({ ...place, message: 'User name', validate: somethingIn })
  return (await answered<string>(terminal, ask)).trim()
}

/**
 * Asks before something that cannot be undone. Without a terminal the flag has to say it.
 *
 * @throws UsageError there is no terminal to ask on
 * @throws CommandFailed the answer is no
 */
export async function confirmFirst(
  terminal: Terminal,
  message: string,
  { yes = false }: { readonly yes: boolean | undefined },
): Promise<void> {
  if (yes) return
  if (!canAsk(terminal)) throw new UsageError(`${message} Say --yes.`)
  const { confirm } = await import('@clack/prompts')
  if (await answered(terminal, (place) => confirm({ ...place, message, initialValue: false })))
    return
  throw new CommandFailed('Stopped. Nothing was changed.')
}

interface Place {
  readonly input: Terminal['input']
  readonly output: NonNullable<Terminal['screen']>
  readonly signal: AbortSignal
}

async function answered<Answer extends string | boolean>(
  { input, screen }: Terminal,
  ask: (place: Place) => Promise<Answer | symbol>,
): Promise<Answer> {
  // A terminal that goes away answers nothing: the question would never end.
  const gone = new AbortController()
  const leave = (): void => gone.abort()
  input.once('end', leave)
  const answer = await ask({ input, output: screen!, signal: gone.signal })
  input.off('end', leave)
  if (typeof answer !== 'symbol') return answer
  throw new CommandFailed('Stopped. Nothing was changed.')
}

/** Headers with secrets come from a file or standard input: arguments can be read by others on the machine. */
export async function readHeaders(
  given: readonly string[],
  { cwd, input }: Terminal,
): Promise<ReadonlyMap<string, string>> {
  const lines: string[] = []
  for (const each of given) {
    if (each === '@-') lines.push(...(await input.toArray()).join('').split('\n'))
    else if (each.startsWith('@')) lines.push(...readText(resolve(cwd, each.slice(1))).split('\n'))
    else lines.push(each)
  }
  return new Map(lines.filter((line) => line.trim() !== '').map(headerIn))
}

/** The line is not repeated in the error: it may hold a secret. */
function headerIn(line: string, index: number): readonly [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*?)\s*$/.exec(line) ?? []
  if (name !== undefined && value !== undefined) return [name.toLowerCase(), value]
  throw new UsageError(`Header ${index + 1} is not valid. Write it as "Accept: text/html".`)
}

const WIDTH = 30

/**
 * A bar that is drawn again for each whole percent, not for each piece of work; `null` clears it. It is shown at a terminal
 * only.
 */
export function progressBar(total: number, { screen }: Terminal): (done: number | null) => void {
  let drawn = -1
  // Back to the margin, and clear the rest of the longer text before.
  const draw = (text: string): void => void screen?.write(`\r${text}\u001B[K`)
  return (done) => {
    if (screen === null) return
    if (done === null) return draw('')
    // More pieces may have come than were counted.
    const percent = Math.min(100, Math.floor((done / Math.max(total, 1)) * 100))
    if (percent === drawn) return
    drawn = percent
    const filled = Math.round((percent / 100) * WIDTH)
    draw(`[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${percent} % (${done}/${total})`)
  }
}
