export { loginPages, type LoginPagesOptions, type LoginRoute } from './browsable/login-pages.ts'
export { loginUrls } from './browsable/login-urls.ts'
export { pagePolicy, type PagePolicy, type PagePolicyOptions } from './browsable/page-policy.ts'
