import { defineApi } from 'colophon'
import type { Addresses } from './request.ts'
import type { World } from './world.ts'

/** Begins the api of the service; everything global comes from configuration keys. */
export function beginApi(urls: Addresses, { accounts, counters, clock }: World) {
  return defineApi({ urls, accounts, counters, logger, now: () => clock.now() })
}

export type ServiceApi = ReturnType<typeof beginApi>
/** Endpoints that share settings. */
export type ServiceGroup = Pick<ServiceApi, 'group' | 'endpoint'>

/** Thousands of logins and refusals are no news here; errors are. */
const logger = {
  info: (): void => undefined,
  error: (record: object): void => console.error(JSON.stringify(record)),
}
