import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import type { App } from '../../api/app.ts'
import { readyAccountsOf } from '../accounts-of.ts'
import { CommandFailed, type Terminal } from '../terminal.ts'

interface Options {
  readonly email?: string
  readonly staff?: boolean
  readonly superuser?: boolean
  /** `false`: `--no-password` */
  readonly password: boolean
}

/** `colophon user create <username>` */
export async function createUser(
  app: App,
  username: string,
  options: Options,
  terminal: Terminal,
): Promise<void> {
  const { users } = await readyAccountsOf(app)
  if ((await users.byUsername(username)) !== null) {
    throw new CommandFailed(`There is a user named "${username}" already.`)
  }
  const password = options.password ? { password: await askPassword(terminal) } : {}
  const user = await users.create({
    username,
    ...password,
    ...(options.email === undefined ? {} : { email: options.email }),
    isStaff: options.staff ?? false,
    isSuperuser: options.superuser ?? false,
  })
  terminal.print(`Created user ${user.username} (id ${user.id}).`)
}

/** One line of standard input; what is typed at a terminal is not shown. */
async function askPassword({ input, complain }: Terminal): Promise<string> {
  if (input.isTTY) complain('Password (it is not shown while you type):')
  const lines = createInterface({
    input,
    output: new PassThrough(),
    terminal: input.isTTY ?? false,
  })
  const password = await firstLine(lines)
  if (password === null || password === '') {
    throw new CommandFailed('No password was given. Type or pipe one in, or say --no-password.')
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
