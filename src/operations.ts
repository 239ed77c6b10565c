export {
  type HealthOptions,
  type HealthRoute,
  healthEndpoints,
  healthUrls,
} from './addons/operations/health.ts'
export type { HealthCheck } from './addons/operations/checks.ts'
