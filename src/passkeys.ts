export {
  type PasskeyEndpointsOptions,
  type PasskeyRoute,
  passkeyEndpoints,
  passkeyUrls,
} from './addons/factors/endpoints.ts'
export { passkeys, type Passkeys, type PasskeysOptions } from './addons/factors/passkeys.ts'
export type { LoginPasskeys, PasskeyQuestion } from './core/ports/sessions.ts'
