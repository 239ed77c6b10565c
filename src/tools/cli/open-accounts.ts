import { userInfo } from 'node:os'
import type { Accounts } from '../../accounts/create-accounts.ts'
import { requireTables } from '../../core/app/lifecycle.ts'
import type { User } from '../../core/ports/credentials.ts'
import type { CommandContext, CommandInput } from './command.ts'
import { usernameOf } from './prompts.ts'
import { CommandFailed } from './terminal.ts'

/** Accounts as a command sees them that only shows. */
export interface ShownAccounts {
  readonly users: Pick<Accounts['users'], 'all' | 'byUsername'>
  readonly roles: Accounts['roles']
  readonly tokens: Pick<Accounts['tokens'], 'all' | 'of' | 'pattern'>
  readonly families: Pick<Accounts['families'], 'of' | 'require'>
  readonly factors: Pick<Accounts['factors'], 'of'>
  readonly identities: Pick<Accounts['identities'], 'of'>
}

/** For commands that only show: what changes accounts goes through `changeAccounts`. */
export async function showAccounts(context: CommandContext): Promise<ShownAccounts> {
  return open(context)
}

/**
 * The accounts of every command that changes users or tokens: listeners of the events of accounts and the audit
 * trail learn the command and the operator, which no request of a client has.
 *
 * @throws CommandFailed the application has no accounts
 */
export async function changeAccounts(context: CommandContext): Promise<ReturnType<Accounts['by']>> {
  const accounts = await open(context)
  const operator = { systemUser: systemUser(), command: context.command }
  accounts.events.operatedBy(operator)
  return accounts.by({ user: null, operator })
}

type OfUser = CommandInput<readonly [string | undefined]>

/** The user whose name is given or asked for, and the accounts that only show. @throws CommandFailed there is no such user */
export async function showUser(given: OfUser): Promise<readonly [User, ShownAccounts]> {
  const accounts = await showAccounts(given)
  return [await userNamed(await usernameOf(given.args[0], given.terminal), accounts), accounts]
}

/** Runs the work with accounts that change. @throws CommandFailed the user does not exist */
export async function changeUser(
  given: OfUser,
  missing?: string,
): Promise<readonly [User, ReturnType<Accounts['by']>]> {
  const username = await usernameOf(given.args[0], given.terminal, missing)
  const accounts = await changeAccounts(given)
  return [await userNamed(username, accounts), accounts]
}

/** One user, active or not. @throws CommandFailed there is no such user */
export async function userNamed(
  username: string,
  { users }: Pick<ShownAccounts, 'users'>,
): Promise<User> {
  const user = await users.byUsername(username)
  if (user !== null) return user
  throw new CommandFailed(`There is no user named "${username}".`)
}

/** Opens the accounts; of their events, only errors are printed. */
async function open({ app, terminal }: CommandContext): Promise<Accounts> {
  const { accounts } = await app()
  if (accounts === null)
    throw new CommandFailed(
      'This application has no accounts. Give them to defineApi({ accounts }).',
    )
  await requireTables([accounts.database])
  accounts.events.logTo({
    error: ({ event, error }) => terminal.complain(`colophon: ${String(event)}: ${String(error)}`),
  })
  return accounts
}

/** In a container the number of the user may have no name. */
function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
