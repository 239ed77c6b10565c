export { IsAccountOwner, IsAdministrator, accountUrls, adminUrls } from './admin/access.ts'
export type {
  AccountOptions,
  AccountRoute,
  AccountSession,
  AdminOptions,
  AdminRoute,
  AdminToken,
} from './admin/access.ts'
export { accountEndpoints } from './admin/account.ts'
export { adminEndpoints } from './admin/endpoints.ts'
