import type { Endpoint, Group } from '../../../core/app/group.ts'
import type { HasRoutes } from '../../../core/types/routes.ts'
import type { TypedSettings } from '../../../core/types/typed-settings.ts'
import { emailChange, emailUrls } from './email.ts'
import { type LeavingOptions, leaving, leavingUrls } from './leaving.ts'
import type { AccountLifeOptions } from './mail.ts'
import { passwordReset, passwordResetUrls } from './password-reset.ts'

/** Addresses of what `accountLife` does. Take them into your own with `...accountLifeUrls`. */
export const accountLifeUrls: typeof passwordResetUrls & typeof emailUrls & typeof leavingUrls = {
  ...passwordResetUrls,
  ...emailUrls,
  ...leavingUrls,
}

/** Names of the addresses that an account's life needs: `accountLifeUrls` has them. */
export type AccountLifeRoute = keyof typeof accountLifeUrls

/**
 * `passwordReset`, `emailChange` and `leaving` together, each with the options that it knows: what people do who have an account.
 * Whether strangers make accounts is a choice of its own: `registration`.
 *
 * @throws ConfigurationError as for `passwordReset`
 * @example
 * const api = defineApi({ urls: defineUrls({ ...loginUrls, ...accountLifeUrls }), accounts })
 * export default api.serve([...loginPages(api, { accounts }), ...accountLife(api, { accounts, mail })])
 */
export function accountLife<S extends TypedSettings, R>(
  api: Group<S, R> & HasRoutes<R, AccountLifeRoute>,
  options: AccountLifeOptions & LeavingOptions,
): readonly Endpoint<never>[] {
  // It has the addresses of each part: those of all of them.
  const all = api as unknown as Group<S, typeof accountLifeUrls>
  return [...passwordReset(all, options), ...emailChange(all, options), ...leaving(all, options)]
}
