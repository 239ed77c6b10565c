import { defineApi } from 'colophon'
import type { Addresses } from './request.ts'
import type { World } from './world.ts'

/** Begins the api of the service; everything global comes from configuration keys. */
export function beginApi(urls: Addresses, { accounts }: World) {
  return defineApi({ urls, accounts })
}

export type ServiceApi = ReturnType<typeof beginApi>
