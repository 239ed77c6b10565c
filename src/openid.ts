export type { Identities } from './accounts/identities.ts'
export type { LinkedIdentity } from './core/ports/account-stores.ts'
export type { Subject } from './core/ports/credentials.ts'
export type { LoginProvider } from './addons/jwt/login/login-provider.ts'
export {
  type ProviderLoginOptions,
  type ProviderRoute,
  providerLogin,
  providerUrls,
} from './addons/jwt/login/provider-login.ts'
export type { Creation, NewAccount } from './addons/jwt/login/linked-users.ts'
export type { Claims } from './addons/jwt/users.ts'
