import { type App, configurationOf } from 'colophon'
import { openDatabase } from 'colophon/sqlite'
import { addressesOf } from './addresses.ts'
import { beginApi } from './api.ts'
import { type Waiting, assemble, endpointsOf } from './assemble.ts'
import { controlAddresses, controlEndpoints } from './control.ts'
import { readEntries, readWorld } from './data.ts'
import { GLOBAL_KEYS } from './global.ts'
import { pageAddresses, pageEndpoints } from './pages.ts'
import { schemesOf } from './parts/schemes.ts'
import { planOf } from './plan.ts'
import { createWorld } from './world.ts'

export interface ServiceOptions {
  /** The folder with `endpoints.json` and `world.json`. */
  readonly data: string
  /** `sqlite:PATH`. What its tables hold is replaced by the world. */
  readonly databaseUrl: string
  /** The key `MESSAGES`. @default null */
  readonly messages?: unknown
}

/** The conformance service, assembled from its data. */
export interface Service {
  readonly app: App
  /** How many entries there are, and how many of them are served. */
  readonly total: number
  readonly registered: number
  readonly waiting: readonly Waiting[]
}

export async function createService({
  data,
  databaseUrl,
  messages = null,
}: ServiceOptions): Promise<Service> {
  const entries = readEntries(data)
  const configuration = configurationOf({
    ...GLOBAL_KEYS,
    DATABASE_URL: databaseUrl,
    MESSAGES: messages,
  })
  const world = await createWorld(openDatabase({ configuration }), configuration, readWorld(data))
  const schemes = schemesOf(world.accounts)
  const { ready, waiting } = assemble(entries.map((entry) => planOf(entry, schemes)))
  const urls = {
    ...addressesOf(ready.map(({ entry }) => entry)),
    ...pageAddresses,
    ...controlAddresses,
  }
  const api = beginApi(urls, world)
  const endpoints = [
    ...endpointsOf(ready, api, world),
    ...pageEndpoints(api, world),
    ...controlEndpoints(api, world, waiting),
  ]
  const app = api.serve(endpoints, { configuration })
  return { app, total: entries.length, registered: ready.length, waiting }
}
