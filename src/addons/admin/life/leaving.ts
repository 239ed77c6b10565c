import type { Accounts } from '../../../accounts/create-accounts.ts'
import type { Endpoint, Group } from '../../../core/app/group.ts'
import { Message } from '../../../core/messages/message.ts'
import { AuthenticationFailed } from '../../../core/errors/api-errors.ts'
import { NotMigrated } from '../../../core/errors/storage-errors.ts'
import type { User } from '../../../core/ports/credentials.ts'
import type { ApiRequest } from '../../../core/ports/request.ts'
import { uncached } from '../../../core/replies/reply.ts'
import type { HasRoutes } from '../../../core/types/routes.ts'
import type { TypedSettings } from '../../../core/types/typed-settings.ts'
import { UserRateThrottle } from '../../../policies/throttling/rate-throttles.ts'
import { field, serializer } from '../../../resources/serializers/serializer.ts'
import type { SqlTransaction } from '../../../storage/sql/sql-database.ts'
import { ACCOUNT_RATE, IsAccountOwner, PostThrottle } from '../access.ts'
import { actOnBody, formPage, objectWith, accountsBy, ownAccount, isoTime } from '../behaviours.ts'
import { CURRENT, type LifeParts, lifeParts, provenOwner } from './mail.ts'

const m = Message.of

/** Addresses to delete an account, and to export its data. Take them into your own with `...leavingUrls`. */
export const leavingUrls = {
  'account-delete': '/account/delete/',
  'account-export': '/account/export/',
} as const

/** Names of the addresses that leaving needs: `leavingUrls` has them. */
export type LeavingRoute = keyof typeof leavingUrls

/** Options for deleting accounts and exporting their data. */
export interface LeavingOptions {
  readonly accounts: Accounts
  /** Deletes your rows of the user, in the transaction that deletes the user. An error keeps the user. @default nothing */
  readonly onDelete?: (user: User, transaction: SqlTransaction) => unknown
  /** Your data about a user, for `more` of the export. @default nothing */
  readonly exportMore?: (user: User) => unknown
}

/**
 * Users delete their own account, and export the data that is kept about them as JSON. A deletion asks for the password; users
 * without one need a log-in of the last ten minutes. One transaction deletes the user with tokens, sessions and identities,
 * calls `onDelete`, and adds an entry to the audit trail, which remains. The last active staff cannot leave (409).
 *
 * @throws ConfigurationError the database of the accounts speaks no SQL
 * @example
 * const onDelete = (user: User, transaction: SqlTransaction) =>
 *   transaction.kysely<Tables>().deleteFrom('note').where('owner', '=', user.id).execute()
 * const api = defineApi({ urls: defineUrls({ ...loginUrls, ...leavingUrls }), accounts })
 * export default api.serve([...loginPages(api, { accounts }), ...leaving(api, { accounts, onDelete })])
 */
export function leaving<S extends TypedSettings, R>(
  api: Group<S, R> & HasRoutes<R, LeavingRoute>,
  options: LeavingOptions,
): readonly Endpoint<never>[] {
  const parts = lifeParts(api, options, [new IsAccountOwner()])
  // Reading a store makes its tables, which only some applications need.
  void options.accounts.tokens
  void options.accounts.identities
  return [deleteEndpoint(parts, options), exportEndpoint(parts, options)]
}

function deleteEndpoint(parts: LifeParts, { onDelete }: LeavingOptions): Endpoint<never> {
  const { accounts, login } = parts
  const leave = actOnBody({
    reads: serializer({ current: field.text(CURRENT) }, { name: 'AccountDeletion' }),
    title: m('life.delete'),
    autocomplete: { current: 'current-password' },
    takesPasswords: true,
    shows: () => objectWith('deleted', { type: 'boolean' }),
    errors: [{ status: 409, codes: ['conflict'] }],
    presentation: () => ({ notice: m('life.deleted'), hasNoForms: true }),
    does: async ({ current }, request) => {
      const user = await provenOwner(request, parts, current)
      const { users } = accountsBy(request, accounts)
      await users.remove(user, (transaction) => onDelete?.(user, transaction))
      return uncached({ deleted: true }, { headers: { 'Set-Cookie': await login.logOut(request) } })
    },
  })
  return parts.group
    .endpoint('account-delete', {
      title: 'Delete my account',
      throttles: [new PostThrottle('account_delete')],
    })
    .get(formPage(m('life.delete.sure')))
    .post(leave)
}

/** The most entries of the audit trail in an export. */
const MOST_ENTRIES = 10_000

function exportEndpoint({ group, accounts }: LifeParts, options: LeavingOptions): Endpoint<never> {
  const exported = async (request: ApiRequest) => {
    const user = await ownAccount(request, accounts)
    const data = {
      ...(await dataOf(user, accounts, request)),
      more: (await options.exportMore?.(user)) ?? null,
    }
    // Its rows went one after the other with a user who left meanwhile.
    if ((await accounts.users.byId(user.id)) === null) throw new AuthenticationFailed()
    const headers = { 'Content-Disposition': 'attachment; filename="account.json"' }
    return uncached(data, { headers })
  }
  const throttles = [new UserRateThrottle({ scope: 'account_export', rate: ACCOUNT_RATE })]
  return group.endpoint('account-export', { title: 'My data', throttles }).get({
    policy: { DEFAULT_RENDERER_CLASSES: ['JSONRenderer'] },
    handle: exported,
    operation: () => ({
      summary: 'All that is kept about the account',
      body: null,
      answers: [{ status: 200, schema: { type: 'object' } }],
    }),
  })
}

/** The export of a user. It contains no secrets: keys, digests and hashes are left out. */
async function dataOf(
  user: User,
  accounts: Accounts,
  { signal }: Pick<ApiRequest, 'signal'>,
): Promise<object> {
  const { lists, links, identities, tokens, families } = accounts
  const factors = await accounts.factors.of(user).catch(noneWithoutTable)
  const own = { field: 'user_id', operator: 'equals', value: user.id } as const
  signal.throwIfAborted()
  const sessions = await lists.sessions.where([own]).slice(0, MOST_ENTRIES)
  signal.throwIfAborted()
  const trail = await lists.audit.where([own]).slice(0, MOST_ENTRIES)
  signal.throwIfAborted()
  const { isAuthenticated: _, ...known } = user
  return {
    user: { ...known, isEmailConfirmed: await links.isConfirmed(user) },
    tokens: await tokens.of(user),
    sessions: sessions.map(({ created, expires }) => ({
      created: isoTime(created),
      expires: isoTime(expires),
    })),
    identities: (await identities.of(user)).map(({ id: _id, ...identity }) => identity),
    devices: await families.of(user).catch(noneWithoutTable),
    factors: factors.map(({ id: _id, ...factor }) => factor),
    events: trail.map((entry) => ({
      at: isoTime(entry.at),
      action: entry.action,
      token: entry.token,
      details: JSON.parse(entry.details) as unknown,
      byYou: Number(entry.actor_id) === user.id,
    })),
  }
}

/** No rows, if a table is missing: another program may have made the tables. @throws any other error */
function noneWithoutTable(error: unknown): [] {
  if (error instanceof NotMigrated && error.what === 'table') return []
  throw error
}
