import type { Accounts } from '../../../accounts/create-accounts.ts'
import type { UserInput } from '../../../accounts/account-input.ts'
import { Conflict, PermissionDenied, ValidationError } from '../../../core/errors/api-errors.ts'
import { UsernameTaken } from '../../../core/errors/storage-errors.ts'
import { Message } from '../../../core/messages/message.ts'
import type { Subject, User } from '../../../core/ports/credentials.ts'
import type { ApiRequest } from '../../../core/ports/request.ts'
import { type Claims, accountNameOf } from '../users.ts'
import { LoginRefused } from './provider.ts'

/** The parts of an account whose user first logs in with a provider. */
export type NewAccount<U extends User = User> = Omit<
  UserInput<U>,
  'username' | 'password' | 'isStaff' | 'isSuperuser' | 'isActive'
> & {
  /** If the name is taken, the log-in is refused. @default issuer and subject */
  readonly username?: string
}

/** Makes an account, where `true` or a function says so. */
export type Creation<U extends User> =
  | boolean
  | ((claims: Claims, provider: string) => NewAccount<U>)

/** The accounts of people who log in with providers: by issuer and subject, and never by an address. */
export class LinkedUsers<U extends User> {
  readonly #accounts: Accounts<U>
  readonly #create: Creation<U>

  constructor(accounts: Accounts<U>, create: Creation<U>) {
    this.#accounts = accounts
    this.#create = create
  }

  /**
   * The user who logs in.
   *
   * @throws PermissionDenied (403) there is none, and none may be made, or the user is inactive
   * @throws Conflict (409) the name that the account is to have is taken
   */
  async userFor(request: ApiRequest, provider: string, claims: Claims): Promise<U> {
    const { identities } = this.#accounts
    // The subject is checked before an account is made for it.
    if (!SUBJECT.test(claims.sub)) throw new LoginRefused(UNFIT)
    const found = await identities.find(subjectIn(claims))
    const user = found?.user ?? (await this.#made(request, claims, provider))
    if (!user.isActive) throw this.#refused(user.username, 'inactive')
    const linked = found ?? (await identities.find(subjectIn(claims)))
    if (linked !== null) await identities.used(linked)
    return user
  }

  /** Written to the audit trail as done by the user. @throws Conflict (409) it is linked to another user */
  async link(request: ApiRequest, user: U, claims: Claims): Promise<void> {
    const { identities } = this.#accounts.by({ user, requestId: request.id })
    const linked = await identities.link(user, subjectIn(claims)).catch(asRefusal)
    if (!linked) throw new Conflict(Message.of('conflict.identity'))
  }

  async #made(request: ApiRequest, claims: Claims, provider: string): Promise<U> {
    const create = this.#create
    if (create === false) throw this.#refused(accountNameOf(claims), 'unknown')
    const given: Partial<NewAccount<U>> = create === true ? {} : create(claims, provider)
    const { username = accountNameOf(claims) } = given
    // Programs without types may pass on claims of any type.
    if (![username, given.email ?? ''].every((each: unknown) => typeof each === 'string'))
      throw new LoginRefused(UNFIT)
    if (username !== accountNameOf(claims) && FORESEEABLE.test(username.normalize('NFKC')))
      throw new LoginRefused('the name of the account may be that of another subject')
    const input = { ...given, username, password: null, isStaff: false, isSuperuser: false }
    const { users } = this.#accounts.by({ user: null, requestId: request.id })
    const identity = subjectIn(claims)
    try {
      return await users.create({ ...input, isActive: true } as never, undefined, { identity })
    } catch (error) {
      // Two first log-ins make one account between them.
      const found = await this.#accounts.identities.find(identity)
      if (found !== null) return found.user
      // The account may be one that an operator has unlinked, or a stranger's: a name proves nothing.
      if (error instanceof UsernameTaken) throw new Conflict(Message.of('conflict.account_name'))
      return asRefusal(error)
    }
  }

  #refused(username: string, reason: 'unknown' | 'inactive'): PermissionDenied {
    void this.#accounts.events.emit('login.failed', { username, reason })
    return new PermissionDenied(Message.of('permission_denied.no_account'))
  }
}

export function subjectIn({ iss, sub }: Claims): Subject {
  return { issuer: iss, subject: sub }
}

const UNFIT = 'the claims fit no account'
/**
 * Names that are made of issuer and subject have this form. A stranger who registered one would wait in the account for its
 * owner.
 */
const FORESEEABLE = /#/
/** OpenID Connect Core 1.0, 2: at most 255 characters of ASCII. */
const SUBJECT = /^[ -~]{1,255}$/

/** Refuses the log-in where the claims fit no account, which is no fault of the request. @throws LoginRefused */
function asRefusal(error: unknown): never {
  if (error instanceof ValidationError || error instanceof RangeError) throw new LoginRefused(UNFIT)
  throw error
}
