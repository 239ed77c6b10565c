export type { AccountLifeOptions, AccountMail } from './addons/admin/life/mail.ts'
export {
  type PasswordResetOptions,
  type PasswordResetRoute,
  passwordReset,
  passwordResetUrls,
} from './addons/admin/life/password-reset.ts'
