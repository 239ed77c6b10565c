export { type ActingAs, actingAs } from './addons/pages/act-as/acting-as.ts'
export { ActAs, actAsPages, actAsUrls } from './addons/pages/act-as/act-as.ts'
export type { ActAsOptions, ActAsPagesOptions } from './addons/pages/act-as/act-as.ts'
export {
  loginPages,
  loginUrls,
  reauthenticationPage,
  reauthenticationUrls,
} from './addons/pages/login/login-pages.ts'
export type { LoginPagesOptions, LoginRoute } from './addons/pages/login/login-pages.ts'
export { passkeysPage, passkeysPageUrls } from './addons/pages/login/passkeys-page.ts'
export type { PasskeysPageOptions } from './addons/pages/login/passkeys-page.ts'
export {
  pagePolicy,
  type PagePolicy,
  type PagePolicyOptions,
} from './addons/pages/login/page-settings.ts'
