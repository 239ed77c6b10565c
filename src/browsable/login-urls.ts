import { defineUrls } from '../links/address-table.ts'

/**
 * Addresses of the login and logout pages. Take them into your own with `...loginUrls`, or under a
 * prefix with `auth: include('/accounts', loginUrls)`, and say `LOGIN_URL` then.
 */
export const loginUrls: { readonly login: '/login/'; readonly logout: '/logout/' } = defineUrls({
  login: '/login/',
  logout: '/logout/',
})
