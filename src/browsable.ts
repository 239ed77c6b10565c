export { loginPages, type LoginPagesOptions, type LoginRoutes } from './browsable/login-pages.ts'
export { loginUrls } from './browsable/login-urls.ts'
export { pagePolicy, type PagePolicy, type PagePolicyOptions } from './browsable/page-policy.ts'
