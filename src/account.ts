export type { AccountLifeOptions, AccountMail } from './addons/admin/life/mail.ts'
export {
  type PasswordResetOptions,
  type PasswordResetRoute,
  passwordReset,
  passwordResetUrls,
} from './addons/admin/life/password-reset.ts'
export {
  type AccountLifeRoute,
  type RegistrationOptions,
  type RegistrationRoute,
  accountLife,
  accountLifeUrls,
  registration,
  registrationUrls,
} from './addons/admin/life/registration.ts'
export {
  type EmailOptions,
  type EmailRoute,
  emailChange,
  emailUrls,
} from './addons/admin/life/email.ts'
export {
  type TokenScanOptions,
  type TokenScanRoute,
  tokenScan,
  tokenScanUrls,
} from './addons/admin/life/token-scan.ts'
export {
  type LeavingOptions,
  type LeavingRoute,
  leaving,
  leavingUrls,
} from './addons/admin/life/leaving.ts'
