export { loginPages, loginUrls } from './browsable/login-pages.ts'
export type { LoginPagesOptions, LoginRoute } from './browsable/login-pages.ts'
export { pagePolicy, type PagePolicy, type PagePolicyOptions } from './browsable/page-policy.ts'
