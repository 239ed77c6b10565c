import type { Command } from 'commander'
import type { Token, TokenFacts, User } from '../contract/credentials.ts'
import { type Context, openAccount, openAccounts } from './application.ts'
import { CommandFailed, type ListForm, type Terminal, printList } from './terminal.ts'

const JSON_LINES = 'one JSON object a line, for programs'
const NAMED = 'the one of that name (default: the usual one)'

/** What the commands may be given beside a user; none takes all of it. */
interface Options {
  readonly json?: boolean
  readonly all?: boolean
  readonly name?: string
  readonly scope?: readonly string[]
  readonly expires?: Date
}

/** `colophon token …` and `colophon drf_create_token` */
export function addTokenCommands(program: Command, context: Context): void {
  const token = program.command('token').description('manages tokens')
  addList(token, context)
  addCreate(token, context)
  addRevoke(token, context)
  addRotate(token, context)
  program
    .command('drf_create_token <username>')
    .description("prints the user's token, and makes one where there is none")
    .option('-r, --reset', 'makes a new token; the old one is dead at once')
    .action(async (username: string, { reset = false }) => {
      const { tokens, user } = await openAccount(context, username)
      printKey(await (reset ? tokens.regenerate(user) : tokens.obtain(user)), {}, context.terminal)
    })
}

function addList(token: Command, context: Context): void {
  token
    .command('list [username]')
    .description('lists tokens, without their keys')
    .option('--json', JSON_LINES)
    .action(async (username: string | undefined, { json = false }: Options) => {
      await printList(context.terminal, await tokensOf(context, username), TOKENS, json)
    })
}

async function tokensOf(context: Context, username?: string) {
  if (username === undefined) return (await openAccounts(context)).tokens.all()
  const { tokens, user } = await openAccount(context, username)
  return (await tokens.of(user)).map((token) => ({ ...token, user }))
}

function addCreate(token: Command, context: Context): void {
  token
    .command('create [username]')
    .description('makes a token and prints its key')
    .option('--all', 'makes one for every user who has none, and prints how many')
    .option('--name <name>', 'beside the usual token, where an application has many')
    .option('--scope <scope...>', 'what it may be used for (default: everything)')
    .option('--expires <time>', 'such as 90d, 12h, 2027-01-31 or 2027-01-31T18:00Z', expiryOf)
    .option('--json', JSON_LINES)
    .action(async (username: string | undefined, options: Options) => {
      const { all = false } = options
      if (all === (username !== undefined)) throw new CommandFailed('Name a user, or say --all.')
      if (username === undefined) await createAllTokens(context, options)
      else await createToken(context, username, options)
    })
}

/** This command and `rotate` are the only ones that show a key. */
async function createToken(context: Context, username: string, options: Options): Promise<void> {
  const { tokens, user } = await openAccount(context, username)
  const { name, scope = null, expires = null } = options
  // The usual token is DRF's, which has neither.
  if (name === undefined && (scope ?? expires) !== null)
    throw new CommandFailed('Scopes and expiry belong to tokens with a name: say --name.')
  const token = await (name === undefined
    ? tokens.create(user)
    : tokens.issue(user, { name, scopes: scope, expires }))
  if (token !== null) return printKey(token, options, context.terminal)
  throw new CommandFailed(
    `User ${user.username} has a ${called(options)} already. Make a new key with: colophon token rotate`,
  )
}

/** A token for every user who has none, inactive ones included (K41). */
async function createAllTokens(context: Context, options: Options): Promise<void> {
  const { users, tokens } = await openAccounts(context)
  const { terminal } = context
  const show = progressBar(await users.count(), terminal)
  let [made, had] = [0, 0]
  for await (const user of users.all()) {
    if (await tokens.ensure(user)) made++
    else had++
    show(made + had)
  }
  terminal.progress?.('')
  const sentence = `Made ${made} of ${made + had} tokens; ${had} were there.`
  report(terminal, options, { made, had }, sentence)
}

const WIDTH = 30

/** Draws again for each whole percent, not for each user. */
function progressBar(total: number, { progress }: Terminal): (done: number) => void {
  let drawn = -1
  return (done) => {
    // More users may have come than were counted.
    const percent = Math.min(100, Math.floor((done / Math.max(total, 1)) * 100))
    if (progress === undefined || percent === drawn) return
    drawn = percent
    const filled = Math.round((percent / 100) * WIDTH)
    progress(`[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${percent} % (${done}/${total})`)
  }
}

const SPAN = /^(\d{1,5})([mhdw])$/
const MILLISECONDS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
}
/** A day, or a point in time with its zone: `Date.parse` would guess what is missing. */
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d))?$/

/** `90d`, `12h`, `2027-01-31` (its first moment, UTC) or `2027-01-31T18:00Z` as a point in time to come. */
function expiryOf(text: string): Date {
  const now = Date.now()
  const [, count, unit] = SPAN.exec(text) ?? []
  const parsed = TIME.test(text) ? Date.parse(text) : NaN
  const time = count && unit ? now + Number(count) * MILLISECONDS[unit]! : parsed
  if (time > now) return new Date(time)
  throw new CommandFailed(
    `--expires wants a time to come, such as 90d, 12h, 2027-01-31 or 2027-01-31T18:00Z, and got "${text}".`,
  )
}

function addRevoke(token: Command, context: Context): void {
  token
    .command('revoke <username>')
    .description('ends a token; its key is dead at once')
    .option('--name <name>', NAMED)
    .option('--all', 'every token of the user')
    .option('--json', JSON_LINES)
    .action(async (username: string, options: Options) => {
      const { tokens, user } = await openAccount(context, username)
      const revoked = options.all
        ? await tokens.revokeAll(user)
        : Number(await tokens.revoke(user, options.name))
      if (revoked === 0 && !options.all) throw missing(user, options)
      const sentence = `Revoked ${revoked} ${revoked === 1 ? 'token' : 'tokens'} of user ${user.username}.`
      report(context.terminal, options, { user: user.username, revoked }, sentence)
    })
}

function addRotate(token: Command, context: Context): void {
  token
    .command('rotate <username>')
    .description('makes a new key for a token and prints it; the old key is dead at once')
    .option('--name <name>', NAMED)
    .option('--json', JSON_LINES)
    .action(async (username: string, options: Options) => {
      const { tokens, user } = await openAccount(context, username)
      const rotated = await tokens.rotate(user, options.name)
      if (rotated === null) throw missing(user, options)
      printKey(rotated, options, context.terminal)
    })
}

function missing({ username }: User, options: Options): CommandFailed {
  return new CommandFailed(`User ${username} has no ${called(options)}.`)
}

function called({ name }: Options): string {
  return name === undefined ? 'token' : `token "${name}"`
}

function printKey({ key, user, ...facts }: Token, options: Options, terminal: Terminal): void {
  const named = options.name === undefined ? '' : `"${options.name}" `
  const sentence = `Token ${key} ${named}of user ${user.username}`
  report(terminal, options, { user: user.username, key, ...facts }, sentence)
}

function report({ print }: Terminal, options: Options, facts: object, sentence: string): void {
  print(options.json ? JSON.stringify(facts) : sentence)
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
