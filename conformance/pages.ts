import type { Endpoint } from 'colophon'
import { loginPages, loginUrls, pagePolicy } from 'colophon/browsable'
import type { ServiceApi } from './api.ts'
import { isUser } from './parts/users.ts'
import type { Addresses } from './request.ts'
import type { World } from './world.ts'

/** Addresses of the pages beside the API (SERVICE §3.1). */
export const pageAddresses: Addresses = {
  ...loginUrls,
  'private-page': '/pages/private/',
  'public-page': '/pages/public/',
}

/** Login, logout and two ordinary pages, of which one is for everybody. */
export function pageEndpoints(api: ServiceApi, { accounts }: World): readonly Endpoint<never>[] {
  const pages = api.group(pagePolicy({ accounts }))
  return [
    ...loginPages(api, { accounts }),
    pages
      .endpoint('private-page')
      .get(({ user }) => `private page for ${isUser(user) ? user.username : ''}`),
    pages.endpoint('public-page', { permissions: [] }).get(() => 'public page'),
  ]
}
