import type { App } from '../../api/app.ts'
import type { User } from '../../contract/credentials.ts'
import { accountsAt, userNamed } from '../accounts-of.ts'
import { askPassword } from '../ask-password.ts'
import type { Terminal } from '../terminal.ts'
import { columns } from './routes.ts'

/** `colophon user list` */
export async function listUsers(
  app: App,
  { json = false }: { readonly json?: boolean },
  terminal: Terminal,
): Promise<void> {
  const { users } = await accountsAt(terminal, app)
  const rows = [['ID', 'USER', 'E-MAIL', 'FLAGS', 'JOINED', 'LAST LOGIN']]
  for await (const user of users.all()) {
    if (json) terminal.print(JSON.stringify(shown(user)))
    else rows.push(rowOf(user))
  }
  if (!json) for (const line of columns(rows)) terminal.print(line)
}

/** `colophon user activate <username>` and `deactivate` */
export async function setActive(
  app: App,
  username: string,
  isActive: boolean,
  terminal: Terminal,
): Promise<void> {
  const accounts = await accountsAt(terminal, app)
  const user = await userNamed(accounts, username)
  await accounts.users.update(user, { isActive })
  terminal.print(`User ${user.username} is ${isActive ? 'active' : 'not active'} now.`)
}

/** `colophon user password <username>`: read from standard input, or taken away. */
export async function changePassword(
  app: App,
  username: string,
  options: { readonly password: boolean },
  terminal: Terminal,
): Promise<void> {
  const accounts = await accountsAt(terminal, app)
  const user = await userNamed(accounts, username)
  const password = options.password
    ? await askPassword(terminal, 'Type or pipe one in, or say --no-password.')
    : null
  await accounts.users.setPassword(user, password)
  terminal.print(
    `User ${user.username} ${password === null ? 'cannot log in with a password any more' : 'has a new password'}.`,
  )
}

/** For programs; that a user is one need not be said. */
function shown(user: User): object {
  return { ...user, isAuthenticated: undefined }
}

function rowOf({ id, username, email, dateJoined, lastLogin, ...user }: User): string[] {
  const flags = [
    ...(user.isActive ? [] : ['inactive']),
    ...(user.isStaff ? ['staff'] : []),
    ...(user.isSuperuser ? ['superuser'] : []),
  ]
  return [
    String(id),
    username,
    email || '-',
    flags.join(' ') || '-',
    dateJoined.toISOString(),
    lastLogin?.toISOString() ?? 'never',
  ]
}
