import type { Command } from 'commander'
import type { Token, TokenFacts, User } from '../contract/credentials.ts'
import { type Context, openAccount, openAccounts } from './application.ts'
import { CommandFailed, type ListForm, type Terminal, printList } from './terminal.ts'

const JSON_LINES = 'one JSON object a line, for programs'
const NAMED = 'the one of that name (default: the usual one)'

/** `colophon token …` and `colophon drf_create_token` */
export function addTokenCommands(program: Command, context: Context): void {
  const token = program.command('token').description('manages tokens')
  token
    .command('list [username]')
    .description('lists tokens, without their keys')
    .option('--json', JSON_LINES)
    .action((username: string | undefined, options: Json) => listTokens(context, username, options))
  token
    .command('create [username]')
    .description('makes a token and prints its key')
    .option('--all', 'makes one for every user who has none, and prints how many')
    .option('--name <name>', 'beside the usual token, where an application has many')
    .option('--scope <scope...>', 'what it may be used for (default: everything)')
    .option('--expires <time>', 'such as 90d, 12h, 2027-01-31 or 2027-01-31T18:00Z')
    .option('--json', JSON_LINES)
    .action((username: string | undefined, { all = false, ...options }: NewToken & All) => {
      if (all === (username !== undefined)) throw new CommandFailed('Name a user, or say --all.')
      return username === undefined
        ? createAllTokens(context, options)
        : createToken(context, username, options)
    })
  token
    .command('revoke <username>')
    .description('ends a token; its key is dead at once')
    .option('--name <name>', NAMED)
    .option('--all', 'every token of the user')
    .option('--json', JSON_LINES)
    .action((username: string, options: Named & All) => revokeToken(context, username, options))
  token
    .command('rotate <username>')
    .description('makes a new key for a token and prints it; the old key is dead at once')
    .option('--name <name>', NAMED)
    .option('--json', JSON_LINES)
    .action((username: string, options: Named) => rotateToken(context, username, options))
  program
    .command('drf_create_token <username>')
    .description("prints the user's token, and makes one where there is none")
    .option('-r, --reset', 'makes a new token; the old one is dead at once')
    .action(async (username: string, { reset = false }) => {
      const [{ tokens }, user] = await openAccount(context, username)
      printKey(await (reset ? tokens.regenerate(user) : tokens.obtain(user)), {}, context.terminal)
    })
}

interface Json {
  readonly json?: boolean
}

interface All {
  readonly all?: boolean
}

interface Named extends Json {
  readonly name?: string
}

interface NewToken extends Named {
  readonly scope?: readonly string[]
  readonly expires?: string
}

async function listTokens(
  context: Context,
  username: string | undefined,
  { json = false }: Json,
): Promise<void> {
  const owned =
    username === undefined
      ? (await openAccounts(context)).tokens.all()
      : await tokensOf(context, username)
  await printList(context.terminal, owned, TOKENS, json)
}

async function tokensOf(context: Context, username: string): Promise<OwnedToken[]> {
  const [{ tokens }, user] = await openAccount(context, username)
  return (await tokens.of(user)).map((token) => ({ ...token, user }))
}

/** This command and `rotate` are the only ones that show a key. */
async function createToken(context: Context, username: string, options: NewToken): Promise<void> {
  const [{ tokens }, user] = await openAccount(context, username)
  const token = await (options.name === undefined
    ? tokens.create(user, nothingOf(options))
    : tokens.issue(user, inputOf(options.name, options)))
  if (token !== null) return printKey(token, options, context.terminal)
  const called = options.name === undefined ? 'a token' : `a token "${options.name}"`
  throw new CommandFailed(
    `User ${user.username} has ${called} already. Make a new key with: colophon token rotate`,
  )
}

async function rotateToken(context: Context, username: string, options: Named): Promise<void> {
  const [{ tokens }, user] = await openAccount(context, username)
  const token = await tokens.rotate(user, options.name)
  if (token === null) throw missing(user, options)
  printKey(token, options, context.terminal)
}

async function revokeToken(
  context: Context,
  username: string,
  { all = false, ...options }: Named & All,
): Promise<void> {
  const [{ tokens }, user] = await openAccount(context, username)
  const revoked = all
    ? await tokens.revokeAll(user)
    : Number(await tokens.revoke(user, options.name))
  if (revoked === 0 && !all) throw missing(user, options)
  context.terminal.print(
    options.json
      ? JSON.stringify({ user: user.username, revoked })
      : `Revoked ${revoked === 1 ? '1 token' : `${revoked} tokens`} of user ${user.username}.`,
  )
}

/** A token for every user who has none, inactive ones included (K41). */
async function createAllTokens(context: Context, { json = false }: Json): Promise<void> {
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
  terminal.print(
    json
      ? JSON.stringify({ made, had })
      : `Made ${made} of ${made + had} tokens; ${had} were there.`,
  )
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

/** Scopes and expiry belong to a name: the usual token is DRF's, which has none. */
function nothingOf({ scope, expires }: NewToken): undefined {
  if (scope === undefined && expires === undefined) return undefined
  throw new CommandFailed('Scopes and expiry belong to tokens with a name: say --name.')
}

function inputOf(name: string, { scope, expires }: NewToken) {
  return {
    name,
    scopes: scope ?? null,
    expires: expires === undefined ? null : expiryOf(expires, Date.now()),
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
function expiryOf(text: string, now: number): Date {
  const [, count, unit] = SPAN.exec(text) ?? []
  const parsed = TIME.test(text) ? Date.parse(text) : NaN
  const time = count && unit ? now + Number(count) * MILLISECONDS[unit]! : parsed
  if (time > now) return new Date(time)
  throw new CommandFailed(
    `--expires wants a time to come, such as 90d, 12h, 2027-01-31 or 2027-01-31T18:00Z, and got "${text}".`,
  )
}

function missing(user: User, { name }: Named): CommandFailed {
  const token = name === undefined ? 'token' : `token "${name}"`
  return new CommandFailed(`User ${user.username} has no ${token}.`)
}

function printKey(
  { key, user, ...facts }: Token,
  { json, name }: Named,
  { print }: Terminal,
): void {
  const named = name === undefined ? '' : `"${name}" `
  print(
    json
      ? JSON.stringify({ user: user.username, key, ...shown(facts as TokenFacts) })
      : `Token ${key} ${named}of user ${user.username}`,
  )
}

function shown({ name, scopes, created, expires, lastUsed }: TokenFacts): object {
  return { name, scopes, created, expires, lastUsed }
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
  json: ({ user, ...token }) => ({ user: user.username, ...shown(token) }),
}
