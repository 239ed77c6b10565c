import type { Factor, LinkedIdentity, TokenFamily } from '../../core/ports/account-stores.ts'
import type { Token, TokenFacts, User } from '../../core/ports/credentials.ts'
import { rolesOf } from '../../accounts/user-shape.ts'
import { withQuery } from '../../core/std/http/query.ts'
import { readMoment } from '../../core/std/moment.ts'
import { changeAccounts, changeUser, showAccounts, showUser, userNamed } from './open-accounts.ts'
import {
  type CommandContext,
  type CommandNode,
  type CommandInput,
  OBJECT_LINES,
  ONE_OBJECT,
  command,
  wholeFrom,
} from './command.ts'
import { PASSWORD_STDIN, confirmFirst, progressBar, readPassword, usernameOf } from './prompts.ts'
import { CommandFailed, type ListForm, UsageError, printTable } from './terminal.ts'

export const userCommands: CommandNode = {
  name: 'user',
  summary: 'manage users',
  description: 'Manages users: who may log in, and with which password.',
  commands: [
    command({
      name: 'create [username]',
      summary: 'create a user, and ask for the password',
      description:
        'Creates a user. The password is asked for at a terminal, and else read from standard input.',
      options: [
        ['--email <address>', 'e-mail address'],
        ['--staff', 'may do what only staff may (IsAdminUser)'],
        ['--superuser', 'may do everything'],
        ['--role <role...>', 'what the user may be, of the roles that the application declares'],
        PASSWORD_STDIN,
        ['--no-password', 'the user cannot log in with a password; nothing is asked'],
      ],
      json: ONE_OBJECT,
      async run(given) {
        const { args, options, terminal } = given
        const { email = '', staff: isStaff = false, superuser: isSuperuser = false } = options
        const { role: roles = [] } = options
        const username = await usernameOf(args[0], terminal)
        const { users } = await changeAccounts(given)
        if ((await users.byUsername(username)) !== null)
          throw new CommandFailed(`There is a user named "${username}" already.`)
        const password = await readPassword(terminal, options)
        const account = { username, email, password, isStaff, isSuperuser, roles }
        const made = await users.create(account)
        given.report(factsOf(made), `Created user ${made.username} (id ${made.id}).`)
      },
    }),
    command({
      name: 'list',
      summary: 'list all users',
      description: 'Lists all users, in the order in which they were created.',
      json: OBJECT_LINES,
      async run(given) {
        const { users, roles } = await showAccounts(given)
        return given.list(users.all(), roles.length > 0 ? WITH_ROLES : USERS)
      },
    }),
    command({
      name: 'password [username]',
      summary: 'set a password, and ask for it',
      description:
        'Sets a password, which is asked for at a terminal, and else read from standard input.',
      options: [
        PASSWORD_STDIN,
        ['--no-password', 'the user cannot log in with a password any more'],
      ],
      json: ONE_OBJECT,
      async run(given) {
        const [user, { users }] = await changeUser(given)
        const password = await readPassword(given.terminal, given.options)
        await users.setPassword(user, password)
        const state =
          password === null ? 'cannot log in with a password any more' : 'has a new password'
        given.report(factsOf(user), `User ${user.username} ${state}.`)
      },
    }),
    command({
      name: 'roles [username]',
      summary: 'set the roles of a user',
      description: 'Sets the roles of a user, in place of those that the user has.',
      options: [
        ['--role <role...>', 'those of the application that the user is to have'],
        ['--no-roles', 'none', { conflicts: ['role'] }],
      ],
      json: ONE_OBJECT,
      async run(given) {
        const { role: roles = [], roles: some } = given.options
        if (some && roles.length === 0) throw new UsageError('Say --role or --no-roles.')
        const [user, { users }] = await changeUser(given)
        await users.update(user, { roles } as object)
        const changed = { ...user, roles }
        const sentence = `User ${user.username} has now: ${roles.join(', ') || 'no roles'}.`
        given.report(factsOf(changed), sentence)
      },
    }),
    command({
      name: 'factors [username]',
      summary: 'list the second factors of a user, or remove them',
      description:
        'Lists the second factors of a user. Without any, for one who has lost them, a password is enough to log in.',
      options: [
        ['--remove', 'remove all of them, with recovery codes and devices, after a question'],
        ['--yes', 'ask nothing'],
      ],
      json: OBJECT_LINES,
      async run(given) {
        const { options, terminal } = given
        if (options.remove !== true) {
          const [user, { factors }] = await showUser(given)
          return given.list(await factors.of(user), FACTORS)
        }
        const [user, { factors }] = await changeUser(given)
        const question = `Remove every second factor of ${user.username}?`
        await confirmFirst(terminal, question, options)
        const removed = await factors.removeAll(user)
        const sentence = `User ${user.username} has no second factors now (${removed} removed).`
        given.report({ user: user.username, removed }, sentence)
      },
    }),
    command({
      name: 'identities [username]',
      summary: 'list the providers that a user logs in with, or end one',
      description: 'Lists who a user is at providers (OpenID Connect).',
      options: [
        ['--unlink <id>', 'the user cannot log in with this one any more'],
        ['--yes', 'ask nothing'],
      ],
      json: OBJECT_LINES,
      async run(given) {
        const { options, terminal } = given
        if (options.unlink === undefined) {
          const [user, { identities }] = await showUser(given)
          return given.list(await identities.of(user), IDENTITIES)
        }
        const [user, { identities }] = await changeUser(given)
        const all = await identities.of(user)
        const found = all.find(({ id }) => String(id) === options.unlink)
        if (found === undefined)
          throw new CommandFailed(
            `User ${user.username} has no provider with the ID ${options.unlink}.`,
          )
        await confirmFirst(terminal, `Unlink ${found.issuer} from ${user.username}?`, options)
        // Operators give such a user a password, where it was the last way.
        await identities.unlink(user, found, { evenLast: true })
        const sentence = `User ${user.username} cannot log in with ${found.issuer} any more.`
        given.report({ user: user.username, unlinked: found.id }, sentence)
      },
    }),
    command({
      name: 'reset-link [username]',
      summary: 'make a link by which a user sets a new password',
      description:
        'Makes a link by which a user sets a new password, once, within an hour. It is worth as much as the password: give it to its user alone. Nothing is sent.',
      json: ONE_OBJECT,
      async run(given) {
        const linkOf = await pageOfResets(given)
        const [user, { links }] = await changeUser(given)
        const expires = new Date(Date.now() + HOUR).toISOString()
        const token = user.isActive ? await links.make('password', user, { lifetime: HOUR }) : null
        if (token === null)
          throw new CommandFailed(`User ${user.username} is not active: no link would work.`)
        const link = linkOf(token)
        const sentence = `${link}\nSets a new password of ${user.username} once, until ${expires}.`
        given.report({ user: user.username, link, expires }, sentence)
      },
    }),
    command({
      name: 'deactivate [username]',
      summary: 'keep a user out by every scheme, at once',
      description: 'Keeps a user out by every scheme, at once. Nothing is deleted.',
      json: ONE_OBJECT,
      run: (given) => setActive(given, false),
    }),
    command({
      name: 'activate [username]',
      summary: 'let a user in again',
      description: 'Lets a user in again.',
      json: ONE_OBJECT,
      run: (given) => setActive(given, true),
    }),
  ],
}

const HOUR = 3_600_000
const PAGE = /(?:^|:)password-reset$/

/** @throws CommandFailed the service has no page that takes a link, or its address is not known */
async function pageOfResets({ app }: CommandContext): Promise<(token: string) => string> {
  const served = await app()
  const { publicUrl: origin } = served.service
  const page = served.describe().find(({ name }) => PAGE.test(name))
  if (page === undefined)
    throw new CommandFailed(
      'This application has no page for a new password. Give it passwordReset of colophon/account.',
    )
  if (origin === null)
    throw new CommandFailed(
      'The address of the service is not known. Set PUBLIC_URL to it, such as https://books.example.com.',
    )
  const url = served.urlFor(page.name as never, {} as never, { origin: new URL(origin).origin })
  return (token) => withQuery(url, 'token', token)
}

async function setActive(
  given: CommandInput<[string | undefined]>,
  isActive: boolean,
): Promise<void> {
  const [user, { users }] = await changeUser(given)
  await users.update(user, { isActive })
  const sentence = `User ${user.username} is ${isActive ? 'active' : 'not active'} now.`
  given.report(factsOf({ ...user, isActive }), sentence)
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

const WITH_ROLES: ListForm<User> = {
  ...USERS,
  heading: USERS.heading.toSpliced(4, 0, 'ROLES'),
  row: (user) => USERS.row(user).toSpliced(4, 0, rolesOf(user).join(' ') || '-'),
}

const FACTORS: ListForm<Factor> = {
  heading: ['ID', 'KIND', 'NAME', 'CREATED', 'LAST USED'],
  row: ({ id, kind, name, ...times }) => [String(id), kind, name || '-', ...timesOf(times)],
  json: (factor) => ({ ...factor }),
}

const IDENTITIES: ListForm<LinkedIdentity> = {
  heading: ['ID', 'ISSUER', 'SUBJECT', 'CREATED', 'LAST USED'],
  row: ({ id, issuer, subject, ...times }) => [String(id), issuer, subject, ...timesOf(times)],
  json: (identity) => ({ ...identity }),
}

function timesOf({ created, lastUsed }: Pick<Factor, 'created' | 'lastUsed'>): readonly string[] {
  return [created.toISOString(), lastUsed?.toISOString() ?? 'never']
}

/** The facts of a user without `isAuthenticated`, which means nothing here: every user with an account is authenticated. */
function factsOf(user: User): object {
  return { ...user, isAuthenticated: undefined }
}

function flagsOf({ isActive, isStaff, isSuperuser }: User): string {
  const flags = [!isActive && 'inactive', isStaff && 'staff', isSuperuser && 'superuser']
  return flags.filter(Boolean).join(' ')
}

const NAMED = ['--name <name>', 'the one of that name (default: the usual one)'] as const

export const tokenCommands: CommandNode = {
  name: 'token',
  summary: 'manage tokens',
  description: 'Manages tokens. A key is shown when it is made, and never again.',
  commands: [
    command({
      name: 'create [username]',
      summary: 'make a token, and print its key',
      description:
        'Makes a token and prints its key, or with --all one for every user who has none.',
      options: [
        [
          '--all',
          'make one for every user who has none, and print how many',
          { conflicts: ['name', 'scope', 'expires'] },
        ],
        ['--name <name>', 'beside the usual token, where an application has many'],
        ['--scope <scope...>', 'what it may be used for (default: everything)'],
        [
          '--expires <time>',
          'such as 90d, 12h, 2027-01-31 or 2027-01-31T18:00Z',
          { read: expiryOf },
        ],
      ],
      json: ONE_OBJECT,
      async run(given) {
        const { name, scope = null, expires = null, all = false } = given.options
        if (all && given.args[0] !== undefined) throw new UsageError(NAME_OR_ALL)
        // The usual token is that of DRF, which has neither scopes nor an expiry.
        if (name === undefined && (scope ?? expires) !== null)
          throw new UsageError('Scopes and expiry belong to tokens with a name: say --name.')
        if (all) return createAllTokens(given)
        const [user, { tokens }] = await changeUser(given, NAME_OR_ALL)
        const token = await (name === undefined
          ? tokens.create(user)
          : tokens.issue(user, { name, scopes: scope, expires }))
        if (token !== null) return printKey(token, given)
        throw new CommandFailed(
          `User ${user.username} has a ${called(name)} already. Make a new key with: colophon token rotate`,
        )
      },
    }),
    command({
      name: 'list [username]',
      summary: 'list tokens, without their keys',
      description: 'Lists the tokens of a user, or of all. Keys are not shown.',
      json: OBJECT_LINES,
      run: async (given) => given.list(await tokensOf(given, given.args[0]), TOKENS),
    }),
    command({
      name: 'show [username]',
      summary: 'show a token, without its key',
      description: 'Shows what a token is for and when it was used. Its key is not shown.',
      options: [NAMED],
      json: ONE_OBJECT,
      async run(given) {
        const { terminal, json } = given
        const [user, { tokens }] = await showUser(given)
        const { name = '' } = given.options
        const found = (await tokens.of(user)).find((each) => each.name === name)
        if (found === undefined) throw missing(user, [name || undefined])
        const shown = { ...found, user }
        if (json) return terminal.print(JSON.stringify(TOKENS.json(shown)))
        const cells = TOKENS.row(shown)
        await printTable(terminal, [
          ['FACT', 'VALUE'],
          ...TOKENS.heading.map((heading, at) => [heading.toLowerCase(), cells[at]!]),
        ])
      },
    }),
    command({
      name: 'rotate [username]',
      summary: 'make a new key for a token, and print it',
      description: 'Makes a new key for a token and prints it; the old key is dead at once.',
      options: [
        NAMED,
        [
          '--overlap <time>',
          'the old key works that much longer, such as 24h',
          { read: overlapOf },
        ],
      ],
      json: ONE_OBJECT,
      async run(given) {
        const { name, overlap } = given.options
        const [user, { tokens }] = await changeUser(given)
        const rotated = await tokens.rotate(user, name, { overlap })
        if (rotated === null) throw missing(user, [name])
        printKey(rotated, given)
      },
    }),
    command({
      name: 'revoke [username...]',
      summary: 'end tokens; their keys are dead at once',
      description:
        'Ends tokens of users; their keys are dead at once. Either all are there, or none is ended.',
      options: [
        ['--name <name...>', 'those of these names (default: the usual one)'],
        ['--all', 'every token of these users, after a question', { conflicts: ['name'] }],
        ['--yes', 'ask nothing'],
      ],
      json: OBJECT_LINES,
      async run(given) {
        const { args, options, terminal } = given
        const { all = false, name: names = [undefined] } = options
        const usernames = args[0].length > 0 ? args[0] : [await usernameOf(undefined, terminal)]
        const question = `Revoke every token of ${usernames.join(', ')}?`
        if (all) await confirmFirst(terminal, question, options)
        const accounts = await changeAccounts(given)
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
          given.report({ user: user.username, revoked }, sentence)
        }
      },
    }),
    command({
      name: 'families [username]',
      summary: 'list the devices of a user that have refresh tokens, or end them',
      description:
        'Lists the devices of a user that have refresh tokens. One that is ended has to log in again; its access tokens are dead at once.',
      options: [
        [
          '--end <id>',
          'end the one of this number',
          { read: wholeFrom(1, Number.MAX_SAFE_INTEGER) },
        ],
        ['--all', 'end all of them, after a question', { conflicts: ['end'] }],
        ['--yes', 'ask nothing'],
      ],
      json: OBJECT_LINES,
      async run(given) {
        const { args, options, terminal } = given
        const { end, all = false } = options
        if (!all && end === undefined) {
          const accounts = await showAccounts(given)
          accounts.families.require()
          const user = await userNamed(await usernameOf(args[0], terminal), accounts)
          return given.list(await accounts.families.of(user), FAMILIES)
        }
        const [user, { families }] = await changeUser(given)
        families.require()
        if (all) await confirmFirst(terminal, `Log out every device of ${user.username}?`, options)
        const ended = all ? await families.endAll(user) : Number(await families.end(user, end!))
        if (!all && ended === 0)
          throw new CommandFailed(`User ${user.username} has no device of the number ${end}.`)
        const sentence = `Logged out ${ended} ${ended === 1 ? 'device' : 'devices'} of user ${user.username}.`
        given.report({ user: user.username, ended }, sentence)
      },
    }),
    command({
      name: 'pattern',
      summary: 'print the regular expression of keys, for scanners of secrets',
      description:
        'Prints the regular expression that finds keys of this application in a text, for scanners of secrets.',
      json: ONE_OBJECT,
      async run(given) {
        const pattern = (await showAccounts(given)).tokens.pattern?.source
        if (pattern === undefined)
          throw new CommandFailed(
            'Nothing tells these keys from other texts. Say tokenPrefix in defineAccounts.',
          )
        given.report({ pattern }, pattern)
      },
    }),
  ],
}

const FAMILIES: ListForm<TokenFamily> = {
  heading: ['ID', 'DEVICE', 'SCOPES', 'CREATED', 'LAST USED', 'EXPIRES'],
  row: ({ id, label, scopes, created, lastUsed, expires }) => [
    String(id),
    label || '-',
    scopes === null ? 'all' : scopes.join(' ') || 'none',
    created.toISOString(),
    lastUsed?.toISOString() ?? 'never',
    expires.toISOString(),
  ],
  json: (family) => ({ ...family }),
}

export const drfCreateToken: CommandNode = command({
  name: 'drf_create_token <username>',
  summary: "print a user's token, as in DRF",
  description:
    "Prints the user's token, and makes one where there is none. Installed as drf_create_token too.",
  options: [['-r, --reset', 'make a new token; the old one is dead at once']],
  json: ONE_OBJECT,
  async run(given) {
    const [user, { tokens }] = await changeUser(given)
    printKey(await (given.options.reset ? tokens.regenerate(user) : tokens.obtain(user)), given)
  },
})

const NAME_OR_ALL = 'Name a user, or say --all.'

async function tokensOf(context: CommandContext, username?: string) {
  const accounts = await showAccounts(context)
  if (username === undefined) return accounts.tokens.all()
  const user = await userNamed(username, accounts)
  return (await accounts.tokens.of(user)).map((token) => ({ ...token, user }))
}

/** A token for every user who has none, inactive ones included (K41). */
async function createAllTokens(given: CommandInput<unknown>): Promise<void> {
  const { users, tokens } = await changeAccounts(given)
  const show = progressBar(await users.count(), given.terminal)
  let [made, had] = [0, 0]
  for await (const user of users.all()) {
    if (await tokens.ensure(user)) made++
    else had++
    show(made + had)
  }
  show(null)
  given.report({ made, had }, `Made ${made} of ${made + had} tokens; ${had} were there.`)
}

const SPAN = /^(\d{1,5})([mhdw])$/
const MILLISECONDS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
}
/** The milliseconds of `90d` or `12h`; `NaN`: the text is no span of time. */
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

function missing({ username }: User, names: readonly (string | undefined)[]): CommandFailed {
  return new CommandFailed(`User ${username} has no ${names.map(called).join(', no ')}.`)
}

function called(name: string | undefined): string {
  return name === undefined ? 'token' : `token "${name}"`
}

/** `create`, `rotate` and `drf_create_token` are the only commands that show a key. */
function printKey({ key, user, ...facts }: Token, { report }: CommandInput<unknown>): void {
  const named = facts.name ? `"${facts.name}" ` : ''
  report({ user: user.username, key, ...facts }, `Token ${key} ${named}of user ${user.username}`)
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
