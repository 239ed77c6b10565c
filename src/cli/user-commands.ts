import type { Command } from 'commander'
import type { User } from '../contract/credentials.ts'
import { changeAccounts, showAccounts, userNamed } from './accounts.ts'
import type { Context } from './application.ts'
import { PASSWORD_STDIN, type PasswordOptions, readPassword, usernameOf } from './prompts.ts'
import {
  CommandFailed,
  JSON_FLAG,
  type ListForm,
  OBJECT_LINES,
  ONE_OBJECT,
  type Printing,
  printList,
  report,
} from './terminal.ts'

/** `colophon user …` */
export function addUserCommands(program: Command, context: Context): void {
  const user = program
    .command('user')
    .helpCommand(false)
    .summary('manage users')
    .description('Manages users: who may log in, and with which password.')
  addCreate(user, context)
  user
    .command('list')
    .summary('list all users')
    .description('Lists all users, in the order in which they were created.')
    .option(JSON_FLAG, OBJECT_LINES)
    .action(async (options: Printing) => {
      const { users } = await showAccounts(context)
      await printList(context.terminal, users.all(), USERS, options)
    })
  addPassword(user, context)
  user
    .command('deactivate [username]')
    .summary('keep a user out by every scheme, at once')
    .description('Keeps a user out by every scheme, at once. Nothing is deleted.')
    .option(JSON_FLAG, ONE_OBJECT)
    .action((username: string | undefined, options: Printing) =>
      setActive(context, username, false, options),
    )
  user
    .command('activate [username]')
    .summary('let a user in again')
    .description('Lets a user in again.')
    .option(JSON_FLAG, ONE_OBJECT)
    .action((username: string | undefined, options: Printing) =>
      setActive(context, username, true, options),
    )
}

interface NewUser extends PasswordOptions, Printing {
  readonly email?: string
  readonly staff?: boolean
  readonly superuser?: boolean
}

function addCreate(user: Command, context: Context): void {
  user
    .command('create [username]')
    .summary('create a user, and ask for the password')
    .description(
      'Creates a user. The password is asked for at a terminal, and else read from standard input.',
    )
    .option('--email <address>', 'e-mail address')
    .option('--staff', 'may do what only staff may (IsAdminUser)')
    .option('--superuser', 'may do everything')
    .option(...PASSWORD_STDIN)
    .option('--no-password', 'the user cannot log in with a password; nothing is asked')
    .option(JSON_FLAG, ONE_OBJECT)
    .action(async (given: string | undefined, options: NewUser) => {
      const username = await usernameOf(given, context.terminal)
      await changeAccounts(context, async ({ users }) => {
        const { email = '', staff: isStaff = false, superuser: isSuperuser = false } = options
        if ((await users.byUsername(username)) !== null)
          throw new CommandFailed(`There is a user named "${username}" already.`)
        const password = await readPassword(context.terminal, options)
        const made = await users.create({ username, email, password, isStaff, isSuperuser })
        const sentence = `Created user ${made.username} (id ${made.id}).`
        report(context.terminal, options, factsOf(made), sentence)
      })
    })
}

async function setActive(
  context: Context,
  given: string | undefined,
  isActive: boolean,
  options: Printing,
): Promise<void> {
  const username = await usernameOf(given, context.terminal)
  return changeAccounts(context, async (accounts) => {
    const user = await userNamed(username, accounts)
    await accounts.users.update(user, { isActive })
    const sentence = `User ${user.username} is ${isActive ? 'active' : 'not active'} now.`
    report(context.terminal, options, factsOf({ ...user, isActive }), sentence)
  })
}

function addPassword(user: Command, context: Context): void {
  user
    .command('password [username]')
    .summary('set a password, and ask for it')
    .description(
      'Sets a password, which is asked for at a terminal, and else read from standard input.',
    )
    .option(...PASSWORD_STDIN)
    .option('--no-password', 'the user cannot log in with a password any more')
    .option(JSON_FLAG, ONE_OBJECT)
    .action(async (given: string | undefined, options: PasswordOptions & Printing) => {
      const username = await usernameOf(given, context.terminal)
      await changeAccounts(context, async (accounts) => {
        const account = await userNamed(username, accounts)
        const password = await readPassword(context.terminal, options)
        await accounts.users.setPassword(account, password)
        const state =
          password === null ? 'cannot log in with a password any more' : 'has a new password'
        const sentence = `User ${account.username} ${state}.`
        report(context.terminal, options, factsOf(account), sentence)
      })
    })
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
  json: factsOf,
}

/** Every user with an account is authenticated, which means nothing here. */
function factsOf(user: User): object {
  return { ...user, isAuthenticated: undefined }
}

function flagsOf({ isActive, isStaff, isSuperuser }: User): string {
  const flags = [!isActive && 'inactive', isStaff && 'staff', isSuperuser && 'superuser']
  return flags.filter(Boolean).join(' ')
}
