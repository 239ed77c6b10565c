export {
  type FactorEndpointsOptions,
  type FactorRoute,
  factorEndpoints,
  factorUrls,
} from './addons/factors/endpoints.ts'
export {
  secondFactors,
  type SecondFactors,
  type SecondFactorsOptions,
} from './addons/factors/second-factors.ts'
export type { Factor, FactorKind } from './core/ports/account-stores.ts'
export type { LoginFactors } from './core/ports/sessions.ts'
