import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import type { Command } from 'commander'
import type { User } from '../contract/credentials.ts'
import { type Context, openAccount, openAccounts } from './application.ts'
import { CommandFailed, type ListForm, type Terminal, printList } from './terminal.ts'

/** `colophon user …` */
export function addUserCommands(program: Command, context: Context): void {
  const user = program.command('user').description('manages users')
  addCreate(user, context)
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
  addPassword(user, context)
}

interface NewUser {
  readonly email?: string
  readonly staff?: boolean
  readonly superuser?: boolean
  /** `false`: `--no-password` */
  readonly password: boolean
}

function addCreate(user: Command, context: Context): void {
  user
    .command('create <username>')
    .description('creates a user; the password is read from standard input')
    .option('--email <address>', 'e-mail address')
    .option('--staff', 'may do what only staff may')
    .option('--superuser', 'may do everything')
    .option('--no-password', 'the user cannot log in with a password')
    .action(async (username: string, options: NewUser) => {
      const { email = '', staff: isStaff = false, superuser: isSuperuser = false } = options
      const { users } = await openAccounts(context)
      if ((await users.byUsername(username)) !== null) {
        throw new CommandFailed(`There is a user named "${username}" already.`)
      }
      const password = options.password ? await askPassword(context.terminal) : null
      const made = await users.create({ username, email, password, isStaff, isSuperuser })
      context.terminal.print(`Created user ${made.username} (id ${made.id}).`)
    })
}

async function setActive(context: Context, username: string, isActive: boolean): Promise<void> {
  const { users, user } = await openAccount(context, username)
  await users.update(user, { isActive })
  context.terminal.print(`User ${user.username} is ${isActive ? 'active' : 'not active'} now.`)
}

function addPassword(user: Command, context: Context): void {
  user
    .command('password <username>')
    .description('sets a password, which is read from standard input')
    .option('--no-password', 'the user cannot log in with a password any more')
    .action(async (username: string, options: NewUser) => {
      const account = await openAccount(context, username)
      const password = options.password ? await askPassword(context.terminal) : null
      await account.users.setPassword(account.user, password)
      const state =
        password === null ? 'cannot log in with a password any more' : 'has a new password'
      context.terminal.print(`User ${account.user.username} ${state}.`)
    })
}

/** One line of standard input; what is typed at a terminal is not shown. */
async function askPassword({ input, complain }: Terminal): Promise<string> {
  const terminal = input.isTTY ?? false
  if (terminal) complain('Password (it is not shown while you type):')
  const lines = createInterface({ input, output: new PassThrough(), terminal })
  const { value: password } = await lines[Symbol.asyncIterator]().next()
  lines.close()
  if (password) return password
  throw new CommandFailed('No password was given. Type or pipe one in, or say --no-password.')
}

const USERS: ListForm<User> = {
  heading: ['ID', 'USER', 'E-MAIL', 'FLAGS', 'JOINED', 'LAST LOGIN'],
  row: (user) => [
    String(user.id),
    user.username,
    user.email || '-',
    flagsOf(user) || '-',
    user.dateJoined.toISOString(),
    user.lastLogin?.toISOString() ?? 'never',
  ],
  // Every listed user is authenticated, which means nothing here.
  json: (user) => ({ ...user, isAuthenticated: undefined }),
}

function flagsOf({ isActive, isStaff, isSuperuser }: User): string {
  const flags = [!isActive && 'inactive', isStaff && 'staff', isSuperuser && 'superuser']
  return flags.filter(Boolean).join(' ')
}
