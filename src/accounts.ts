export { defineAccounts, type DefineAccountsOptions } from './preset/open-database.ts'
export type { Accounts } from './accounts/create-accounts.ts'
export type { AccountLists } from './accounts/tables/account-lists.ts'
export { AccountEvents } from './accounts/events.ts'
export { HashQueue, type HashQueueOptions } from './accounts/passwords/hash-queue.ts'
export type { PasswordCost } from './accounts/passwords/argon2.ts'
export type {
  ImportedToken,
  NamedTokenInput,
  Proved,
  UserChanges,
  UserInput,
} from './accounts/account-input.ts'
export type { AccountUser, UserColumns } from './accounts/user-shape.ts'
export { AccountLinks } from './accounts/links.ts'
export { Factors } from './accounts/factors.ts'
export { TokenFamilies } from './accounts/families.ts'
export type { RefreshPolicy } from './accounts/account-policy.ts'
export type { Factor, FactorKind, FamilyEnd, TokenFamily } from './core/ports/account-stores.ts'
export { Identities } from './accounts/identities.ts'
export { Sessions } from './accounts/sessions.ts'
export { type TokenAnswer, TokenPair, Tokens } from './accounts/tokens.ts'
export { Users } from './accounts/users.ts'
export type { User } from './core/ports/credentials.ts'
export type * from './core/ports/events.ts'
export { UsernameTaken } from './core/errors/storage-errors.ts'
