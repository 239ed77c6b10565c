import type { App } from '../../api/app.ts'
import { accountsAt } from '../accounts-of.ts'
import { askPassword } from '../ask-password.ts'
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
  const { users } = await accountsAt(terminal, app)
  if ((await users.byUsername(username)) !== null) {
    throw new CommandFailed(`There is a user named "${username}" already.`)
  }
  const password = options.password
    ? { password: await askPassword(terminal, 'Type or pipe one in, or say --no-password.') }
    : {}
  const user = await users.create({
    username,
    ...password,
    ...(options.email === undefined ? {} : { email: options.email }),
    isStaff: options.staff ?? false,
    isSuperuser: options.superuser ?? false,
  })
  terminal.print(`Created user ${user.username} (id ${user.id}).`)
}
