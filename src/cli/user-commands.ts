import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import type { Command } from 'commander'
import type { User } from '../contract/credentials.ts'
import { type Context, openAccount, openAccounts } from './application.ts'
import { CommandFailed, type ListForm, type Terminal, printList } from './terminal.ts'

/** `colophon user …` */
export function addUserCommands(program: Command, context: Context): void {
  const user = program.command('user').description('manages users')
  user
    .command('create <username>')
    .description('creates a user; the password is read from standard input')
    .option('--email <address>', 'e-mail address')
    .option('--staff', 'may do what only staff may')
    .option('--superuser', 'may do everything')
    .option('--no-password', 'the user cannot log in with a password')
    .action((username: string, options: NewUser) => createUser(context, username, options))
  user
    .command('list')
    .description('lists all users')
    .option('--json', 'one JSON object a line, for programs')
    .action(async ({ json = false }) => {
      const { users } = await openAccounts(context)
      await printList(context.terminal, users.all(), USERS, json)
    })
  user
    .command('activate <username>')
    .description('lets the user in again')
    .action((username: string) => setActive(context, username, true))
  user
    .command('deactivate <username>')
    .description('keeps the user out; nothing is deleted')
    .action((username: string) => setActive(context, username, false))
  user
    .command('password <username>')
    .description('sets a password, which is read from standard input')
    .option('--no-password', 'the user cannot log in with a password any more')
    .action((username: string, options: Password) => changePassword(context, username, options))
}

interface Password {
  /** `false`: `--no-password` */
  readonly password: boolean
}

interface NewUser extends Password {
  readonly email?: string
  readonly staff?: boolean
  readonly superuser?: boolean
}

async function createUser(context: Context, username: string, options: NewUser): Promise<void> {
  const { users } = await openAccounts(context)
  if ((await users.byUsername(username)) !== null) {
    throw new CommandFailed(`There is a user named "${username}" already.`)
  }
  const password = options.password ? { password: await askPassword(context.terminal) } : {}
  const user = await users.create({
    username,
    ...password,
    ...(options.email === undefined ? {} : { email: options.email }),
    isStaff: options.staff ?? false,
    isSuperuser: options.superuser ?? false,
  })
  context.terminal.print(`Created user ${user.username} (id ${user.id}).`)
}

async function setActive(context: Context, username: string, isActive: boolean): Promise<void> {
  const [{ users }, user] = await openAccount(context, username)
  await users.update(user, { isActive })
  context.terminal.print(`User ${user.username} is ${isActive ? 'active' : 'not active'} now.`)
}

async function changePassword(
  context: Context,
  username: string,
  options: Password,
): Promise<void> {
  const [{ users }, user] = await openAccount(context, username)
  const password = options.password ? await askPassword(context.terminal) : null
  await users.setPassword(user, password)
  context.terminal.print(
    `User ${user.username} ${password === null ? 'cannot log in with a password any more' : 'has a new password'}.`,
  )
}

/** One line of standard input; what is typed at a terminal is not shown. */
async function askPassword({ input, complain }: Terminal): Promise<string> {
  const terminal = input.isTTY ?? false
  if (terminal) complain('Password (it is not shown while you type):')
  const lines = createInterface({ input, output: new PassThrough(), terminal })
  const password = await new Promise<string | null>((resolve) => {
    lines.once('line', (line) => {
      resolve(line)
      lines.close()
    })
    lines.once('close', () => resolve(null))
  })
  if (password) return password
  throw new CommandFailed('No password was given. Type or pipe one in, or say --no-password.')
}

const USERS: ListForm<User> = {
  heading: ['ID', 'USER', 'E-MAIL', 'FLAGS', 'JOINED', 'LAST LOGIN'],
  row: ({ id, username, email, dateJoined, lastLogin, ...user }) => [
    String(id),
    username,
    email || '-',
    flagsOf(user) || '-',
    dateJoined.toISOString(),
    lastLogin?.toISOString() ?? 'never',
  ],
  // Every listed user is authenticated, which means nothing here.
  json: (user) => ({ ...user, isAuthenticated: undefined }),
}

function flagsOf(user: Pick<User, 'isActive' | 'isStaff' | 'isSuperuser'>): string {
  const flags = [
    !user.isActive && 'inactive',
    user.isStaff && 'staff',
    user.isSuperuser && 'superuser',
  ]
  return flags.filter(Boolean).join(' ')
}
