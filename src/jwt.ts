export {
  IntrospectionAuthentication,
  type JWTAuth,
  JWTAuthentication,
} from './addons/jwt/authentication.ts'
export type { IntrospectionAuthenticationOptions } from './addons/jwt/introspection.ts'
export type { KeyTimes, PublicKeys } from './addons/jwt/keys.ts'
export type { JWTAuthenticationOptions, ProviderOptions } from './addons/jwt/options.ts'
export type { CertificateOptions, DPoPOptions } from './addons/jwt/possession.ts'
export {
  type AccountUserOptions,
  type ClaimedRoles,
  type Claims,
  type ClaimsUser,
  accountUser,
  claimsUser,
} from './addons/jwt/users.ts'
