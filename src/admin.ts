export { IsAdministrator, adminUrls } from './admin/access.ts'
export type { AdminOptions, AdminRoute } from './admin/access.ts'
export { adminEndpoints } from './admin/endpoints.ts'
export type { AdminToken } from './admin/tokens.ts'
