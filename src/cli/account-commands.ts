import type { Command } from 'commander'
import { createAllTokens } from './commands/create-all-tokens.ts'
import { createToken } from './commands/create-token.ts'
import { createUser } from './commands/create-user.ts'
import { createNamedToken, listTokens, revokeToken, rotateToken } from './commands/tokens.ts'
import { changePassword, listUsers, setActive } from './commands/users.ts'
import type { loadApp } from './load-app.ts'
import { CommandFailed, type Terminal } from './terminal.ts'

type Load = () => ReturnType<typeof loadApp>

const JSON_LINES = 'one JSON object a line, for programs'

/** Commands about users and their tokens. */
export function addAccountCommands(program: Command, app: Load, terminal: Terminal): void {
  addUserCommands(program.command('user').description('looks after users'), app, terminal)
  addTokenCommands(program.command('token').description('looks after tokens'), app, terminal)
  program
    .command('drf_create_token <username>')
    .description("prints the user's token, and makes one where there is none")
    .option('-r, --reset', 'makes a new token; the old one is dead at once')
    .action(async (username: string, options) =>
      createToken(await app(), username, options, terminal),
    )
}

function addUserCommands(user: Command, app: Load, terminal: Terminal): void {
  user
    .command('create <username>')
    .description('creates a user; the password is read from standard input')
    .option('--email <address>', 'e-mail address')
    .option('--staff', 'may do what only staff may')
    .option('--superuser', 'may do everything')
    .option('--no-password', 'the user cannot log in with a password')
    .action(async (username: string, options) =>
      createUser(await app(), username, options, terminal),
    )
  user
    .command('list')
    .description('lists all users')
    .option('--json', JSON_LINES)
    .action(async (options) => listUsers(await app(), options, terminal))
  for (const [verb, isActive] of [
    ['activate', true],
    ['deactivate', false],
  ] as const) {
    user
      .command(`${verb} <username>`)
      .description(isActive ? 'lets the user in again' : 'keeps the user out; nothing is deleted')
      .action(async (username: string) => setActive(await app(), username, isActive, terminal))
  }
  user
    .command('password <username>')
    .description('sets a password, which is read from standard input')
    .option('--no-password', 'the user cannot log in with a password any more')
    .action(async (username: string, options) =>
      changePassword(await app(), username, options, terminal),
    )
}

function addTokenCommands(token: Command, app: Load, terminal: Terminal): void {
  token
    .command('list [username]')
    .description('lists tokens, without their keys')
    .option('--json', JSON_LINES)
    .action(async (username: string | undefined, options) =>
      listTokens(await app(), username, options, terminal),
    )
  token
    .command('create [username]')
    .description('makes a token and prints its key')
    .option('--all', 'makes one for every user who has none, and prints how many')
    .option('--name <name>', 'beside the usual token, where an application has many')
    .option('--scope <scope...>', 'what it may be used for (default: everything)')
    .option('--expires <time>', 'such as 90d, 12h, 2027-01-31 or 2027-01-31T18:00Z')
    .option('--json', JSON_LINES)
    .action(async (username: string | undefined, { all = false, ...options }) => {
      if (all === (username !== undefined)) {
        throw new CommandFailed('Name a user, or say --all.')
      }
      if (username === undefined) return createAllTokens(await app(), options, terminal)
      return createNamedToken(await app(), username, options, terminal)
    })
  token
    .command('revoke <username>')
    .description('ends a token; its key is dead at once')
    .option('--name <name>', 'the one of that name (default: the usual one)')
    .option('--all', 'every token of the user')
    .option('--json', JSON_LINES)
    .action(async (username: string, options) =>
      revokeToken(await app(), username, options, terminal),
    )
  token
    .command('rotate <username>')
    .description('makes a new key for a token and prints it; the old key is dead at once')
    .option('--name <name>', 'the one of that name (default: the usual one)')
    .option('--json', JSON_LINES)
    .action(async (username: string, options) =>
      rotateToken(await app(), username, options, terminal),
    )
}
