export {
  loginPages,
  type LoginPagesOptions,
  type LoginRoute,
  loginUrls,
} from './browsable/login-pages.ts'
export { pagePolicy, type PagePolicy, type PagePolicyOptions } from './browsable/page-policy.ts'
