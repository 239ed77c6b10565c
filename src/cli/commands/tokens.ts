import type { App } from '../../api/app.ts'
import type { Token, TokenFacts, User } from '../../contract/credentials.ts'
import { accountsAt, userNamed } from '../accounts-of.ts'
import { expiryOf } from '../expiry.ts'
import { CommandFailed, type Terminal } from '../terminal.ts'
import { columns } from './routes.ts'

interface Json {
  readonly json?: boolean
}

interface Named extends Json {
  readonly name?: string
}

interface Described extends Named {
  readonly scope?: readonly string[]
  readonly expires?: string
}

/** `colophon token list [username]`: all about tokens but their keys. */
export async function listTokens(
  app: App,
  username: string | undefined,
  { json = false }: Json,
  terminal: Terminal,
): Promise<void> {
  const accounts = await accountsAt(terminal, app)
  const rows = [HEADING]
  const owned = username === undefined ? accounts.tokens.all() : await tokensOf(username)
  for await (const token of owned) {
    if (json) terminal.print(JSON.stringify({ user: token.user.username, ...shown(token) }))
    else rows.push(rowOf(token.user, token))
  }
  if (!json) for (const line of columns(rows)) terminal.print(line)

  async function tokensOf(name: string): Promise<(TokenFacts & { readonly user: User })[]> {
    const user = await userNamed(accounts, name)
    return (await accounts.tokens.of(user)).map((token) => ({ ...token, user }))
  }
}

/** `colophon token create <username>`: the one place, with `rotate`, where a key is shown. */
export async function createNamedToken(
  app: App,
  username: string,
  options: Described,
  terminal: Terminal,
): Promise<void> {
  const accounts = await accountsAt(terminal, app)
  const user = await userNamed(accounts, username)
  const token = await (options.name === undefined
    ? accounts.tokens.create(user, undefinedUnless(options))
    : accounts.tokens.issue(user, inputOf(options.name, options)))
  if (token !== null) return printKey(token, options, terminal)
  throw new CommandFailed(
    `User ${user.username} has ${called(options.name)} already. Make a new key with: colophon token rotate`,
  )
}

/** `colophon token rotate <username>` */
export async function rotateToken(
  app: App,
  username: string,
  options: Named,
  terminal: Terminal,
): Promise<void> {
  const accounts = await accountsAt(terminal, app)
  const user = await userNamed(accounts, username)
  const token = await accounts.tokens.rotate(user, options.name)
  if (token === null) throw missing(user, options)
  printKey(token, options, terminal)
}

/** `colophon token revoke <username>` */
export async function revokeToken(
  app: App,
  username: string,
  { all = false, ...options }: Named & { readonly all?: boolean },
  terminal: Terminal,
): Promise<void> {
  const { tokens, ...accounts } = await accountsAt(terminal, app)
  const user = await userNamed({ tokens, ...accounts }, username)
  const revoked = all
    ? await tokens.revokeAll(user)
    : Number(await tokens.revoke(user, options.name))
  if (revoked === 0 && !all) throw missing(user, options)
  terminal.print(
    options.json
      ? JSON.stringify({ user: user.username, revoked })
      : `Revoked ${revoked === 1 ? '1 token' : `${revoked} tokens`} of user ${user.username}.`,
  )
}

/** Scopes and expiry belong to a name: the usual token is DRF's, which has none. */
function undefinedUnless({ scope, expires }: Described): undefined {
  if (scope === undefined && expires === undefined) return undefined
  throw new CommandFailed('Scopes and expiry belong to tokens with a name: say --name.')
}

function inputOf(name: string, { scope, expires }: Described) {
  return {
    name,
    scopes: scope ?? null,
    expires: expires === undefined ? null : expiryOf(expires, Date.now()),
  }
}

function missing(user: User, { name }: Named): CommandFailed {
  return new CommandFailed(
    name === undefined
      ? `User ${user.username} has no token.`
      : `User ${user.username} has no token "${name}".`,
  )
}

function called(name: string | undefined): string {
  return name === undefined ? 'a token' : `a token "${name}"`
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

const HEADING = ['USER', 'NAME', 'SCOPES', 'CREATED', 'EXPIRES', 'LAST USED']

function rowOf(user: User, { name, scopes, created, expires, lastUsed }: TokenFacts): string[] {
  return [
    user.username,
    name === '' ? '-' : name,
    scopes === null ? 'all' : scopes.join(' ') || 'none',
    created.toISOString(),
    expires?.toISOString() ?? 'never',
    lastUsed?.toISOString() ?? 'never',
  ]
}
