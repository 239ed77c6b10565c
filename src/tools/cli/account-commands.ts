import type { Command } from 'commander'
import type { Token, TokenFacts, User } from '../../core/ports/credentials.ts'
import { readMoment } from '../../core/std/moment.ts'
import { changeAccounts, showAccounts, userNamed } from './accounts.ts'
import type { CommandContext } from './application.ts'
import {
  PASSWORD_STDIN,
  type PasswordOptions,
  readPassword,
  usernameOf,
  confirmFirst,
  progressBar,
} from './prompts.ts'
import {
  CommandFailed,
  JSON_FLAG,
  type ListForm,
  OBJECT_LINES,
  ONE_OBJECT,
  type Printing,
  printList,
  report,
  type Terminal,
  UsageError,
  printTable,
} from './terminal.ts'

/** `colophon user …` */
export function addUserCommands(program: Command, context: CommandContext): void {
  const user = program
    .command('user')
    .helpCommand(false)
    .summary('manage users')
    .description('Manages users: who may log in, and with which password.')
  addCreateUser(user, context)
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

function addCreateUser(user: Command, context: CommandContext): void {
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
  context: CommandContext,
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

function addPassword(user: Command, context: CommandContext): void {
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

const NAMED = 'the one of that name (default: the usual one)'

/** What the commands may be given beside a user; none takes all of it. */
interface Options extends Printing {
  readonly all?: boolean
  readonly name?: string
  readonly scope?: readonly string[]
  readonly expires?: Date
  /** Milliseconds. */
  readonly overlap?: number
}

/** `colophon token …` and `colophon drf_create_token` */
export function addTokenCommands(program: Command, context: CommandContext): void {
  const token = program
    .command('token')
    .helpCommand(false)
    .summary('manage tokens')
    .description('Manages tokens. A key is shown when it is made, and never again.')
  addCreateToken(token, context)
  addList(token, context)
  addShow(token, context)
  addRotate(token, context)
  addRevoke(token, context)
  program
    .command('drf_create_token <username>')
    .summary("print a user's token, as in DRF")
    .description(
      "Prints the user's token, and makes one where there is none. Installed as drf_create_token too.",
    )
    .option('-r, --reset', 'make a new token; the old one is dead at once')
    .option(JSON_FLAG, ONE_OBJECT)
    .action((username: string, { reset = false, ...printing }: Printing & { reset?: boolean }) =>
      changeAccounts(context, async (accounts) => {
        const user = await userNamed(username, accounts)
        const { tokens } = accounts
        const shown = await (reset ? tokens.regenerate(user) : tokens.obtain(user))
        printKey(shown, printing, context.terminal)
      }),
    )
}

function addList(token: Command, context: CommandContext): void {
  token
    .command('list [username]')
    .summary('list tokens, without their keys')
    .description('Lists the tokens of a user, or of all. Keys are not shown.')
    .option(JSON_FLAG, OBJECT_LINES)
    .action(async (username: string | undefined, options: Options) => {
      await printList(context.terminal, await tokensOf(context, username), TOKENS, options)
    })
}

async function tokensOf(context: CommandContext, username?: string) {
  const accounts = await showAccounts(context)
  if (username === undefined) return accounts.tokens.all()
  const user = await userNamed(username, accounts)
  return (await accounts.tokens.of(user)).map((token) => ({ ...token, user }))
}

function addShow(token: Command, context: CommandContext): void {
  token
    .command('show [username]')
    .summary('show a token, without its key')
    .description('Shows what a token is for and when it was used. Its key is not shown.')
    .option('--name <name>', NAMED)
    .option(JSON_FLAG, ONE_OBJECT)
    .action(async (given: string | undefined, { name = '', json = false }: Options) => {
      const { terminal } = context
      const accounts = await showAccounts(context)
      const user = await userNamed(await usernameOf(given, terminal), accounts)
      const found = (await accounts.tokens.of(user)).find((each) => each.name === name)
      if (found === undefined) throw missing(user, [name || undefined])
      const shown = { ...found, user }
      if (json) return terminal.print(JSON.stringify(TOKENS.json(shown)))
      const cells = TOKENS.row(shown)
      await printTable(terminal, [
        ['FACT', 'VALUE'],
        ...TOKENS.heading.map((heading, at) => [heading.toLowerCase(), cells[at]!]),
      ])
    })
}

function addCreateToken(token: Command, context: CommandContext): void {
  token
    .command('create [username]')
    .summary('make a token, and print its key')
    .description('Makes a token and prints its key, or with --all one for every user who has none.')
    .option('--all', 'make one for every user who has none, and print how many')
    .option('--name <name>', 'beside the usual token, where an application has many')
    .option('--scope <scope...>', 'what it may be used for (default: everything)')
    .option('--expires <time>', 'such as 90d, 12h, 2027-01-31 or 2027-01-31T18:00Z', expiryOf)
    .option(JSON_FLAG, ONE_OBJECT)
    .action(async (given: string | undefined, options: Options) => {
      const { all = false } = options
      if (all && given !== undefined) throw new UsageError('Name a user, or say --all.')
      // The usual token is DRF's, which has neither.
      if (options.name === undefined && (options.scope ?? options.expires) !== undefined)
        throw new UsageError('Scopes and expiry belong to tokens with a name: say --name.')
      if (all) return createAllTokens(context, options)
      const username = await usernameOf(given, context.terminal, 'Name a user, or say --all.')
      await createToken(context, username, options)
    })
}

/** This command, `rotate` and `drf_create_token` are the only ones that show a key. */
function createToken(context: CommandContext, username: string, options: Options): Promise<void> {
  return changeAccounts(context, async (accounts) => {
    const { name, scope = null, expires = null } = options
    const user = await userNamed(username, accounts)
    const { tokens } = accounts
    const token = await (name === undefined
      ? tokens.create(user)
      : tokens.issue(user, { name, scopes: scope, expires }))
    if (token !== null) return printKey(token, options, context.terminal)
    throw new CommandFailed(
      `User ${user.username} has a ${called(name)} already. Make a new key with: colophon token rotate`,
    )
  })
}

/** A token for every user who has none, inactive ones included (K41). */
function createAllTokens(context: CommandContext, options: Options): Promise<void> {
  return changeAccounts(context, async ({ users, tokens }) => {
    const { terminal } = context
    const show = progressBar(await users.count(), terminal)
    let [made, had] = [0, 0]
    for await (const user of users.all()) {
      if (await tokens.ensure(user)) made++
      else had++
      show(made + had)
    }
    show(null)
    const sentence = `Made ${made} of ${made + had} tokens; ${had} were there.`
    report(terminal, options, { made, had }, sentence)
  })
}

const SPAN = /^(\d{1,5})([mhdw])$/
const MILLISECONDS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
}
/** Of `90d` or `12h`; `NaN`: it is no span of time. */
function millisecondsOf(text: string): number {
  const [, count, unit] = SPAN.exec(text) ?? []
  return count && unit ? Number(count) * MILLISECONDS[unit]! : NaN
}

/** `90d`, `12h`, `2027-01-31` (its first moment, UTC) or `2027-01-31T18:00Z` as a point in time to come. */
function expiryOf(text: string): Date {
  const now = Date.now()
  const time = readMoment(text) ?? now + millisecondsOf(text)
  if (time > now) return new Date(time)
  throw new UsageError(
    `--expires must be a future time, such as 90d, 12h, 2027-01-31 or 2027-01-31T18:00Z, but is "${text}".`,
  )
}

function overlapOf(text: string): number {
  const milliseconds = millisecondsOf(text)
  if (milliseconds > 0) return milliseconds
  throw new UsageError(`--overlap must be a time such as 24h or 7d, but is "${text}".`)
}

function addRotate(token: Command, context: CommandContext): void {
  token
    .command('rotate [username]')
    .summary('make a new key for a token, and print it')
    .description('Makes a new key for a token and prints it; the old key is dead at once.')
    .option('--name <name>', NAMED)
    .option('--overlap <time>', 'the old key works that much longer, such as 24h', overlapOf)
    .option(JSON_FLAG, ONE_OBJECT)
    .action(async (given: string | undefined, options: Options) => {
      const username = await usernameOf(given, context.terminal)
      await changeAccounts(context, async (accounts) => {
        const { name, overlap } = options
        const user = await userNamed(username, accounts)
        const rotated = await accounts.tokens.rotate(user, name, { overlap })
        if (rotated === null) throw missing(user, [name])
        printKey(rotated, options, context.terminal)
      })
    })
}

interface Revoking extends Printing {
  readonly all?: boolean
  readonly name?: readonly string[]
  readonly yes?: boolean
}

function addRevoke(token: Command, context: CommandContext): void {
  token
    .command('revoke [username...]')
    .summary('end tokens; their keys are dead at once')
    .description(
      'Ends tokens of users; their keys are dead at once. Either all are there, or none is ended.',
    )
    .option('--name <name...>', 'those of these names (default: the usual one)')
    .option('--all', 'every token of these users, after a question')
    .option('--yes', 'ask nothing')
    .option(JSON_FLAG, OBJECT_LINES)
    .action(async (given: readonly string[], options: Revoking) => {
      const { all = false, name: names = [undefined] } = options
      if (all && options.name !== undefined) throw new UsageError('Say --name or --all.')
      const usernames = given.length > 0 ? given : [await usernameOf(undefined, context.terminal)]
      if (all)
        await confirmFirst(
          context.terminal,
          `Revoke every token of ${usernames.join(', ')}?`,
          options,
        )
      await changeAccounts(context, async (accounts) => {
        const { tokens } = accounts
        const users = await Promise.all(usernames.map((each) => userNamed(each, accounts)))
        for (const user of all ? [] : users) {
          const has = new Set((await tokens.of(user)).map(({ name }) => name))
          const lost = names.filter((name = '') => !has.has(name))
          if (lost.length > 0) throw missing(user, lost)
        }
        for (const user of users) {
          let revoked = all ? await tokens.revokeAll(user) : 0
          for (const name of all ? [] : names) revoked += Number(await tokens.revoke(user, name))
          const sentence = `Revoked ${revoked} ${revoked === 1 ? 'token' : 'tokens'} of user ${user.username}.`
          report(context.terminal, options, { user: user.username, revoked }, sentence)
        }
      })
    })
}

function missing({ username }: User, names: readonly (string | undefined)[]): CommandFailed {
  return new CommandFailed(`User ${username} has no ${names.map(called).join(', no ')}.`)
}

function called(name: string | undefined): string {
  return name === undefined ? 'token' : `token "${name}"`
}

function printKey({ key, user, ...facts }: Token, options: Options, terminal: Terminal): void {
  const named = facts.name ? `"${facts.name}" ` : ''
  const sentence = `Token ${key} ${named}of user ${user.username}`
  report(terminal, options, { user: user.username, key, ...facts }, sentence)
}

type OwnedToken = TokenFacts & { readonly user: User }

const TOKENS: ListForm<OwnedToken> = {
  heading: ['USER', 'NAME', 'SCOPES', 'CREATED', 'EXPIRES', 'LAST USED'],
  row: ({ user, name, scopes, created, expires, lastUsed }) => [
    user.username,
    name === '' ? '-' : name,
    scopes === null ? 'all' : scopes.join(' ') || 'none',
    created.toISOString(),
    expires?.toISOString() ?? 'never',
    lastUsed?.toISOString() ?? 'never',
  ],
  json: ({ user, ...token }) => ({ user: user.username, ...token }),
}
