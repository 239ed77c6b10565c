import { type App, type Configuration, configurationOf } from 'colophon'
import { addressesOf, fullNameOf } from './addresses.ts'
import { beginApi } from './api.ts'
import { controlAddresses, controlEndpoints } from './control.ts'
import type { Entry } from './data.ts'
import { GLOBAL_KEYS } from './global.ts'
import { pageAddresses, pageEndpoints } from './pages.ts'
import { type Parts, partsOf } from './parts.ts'
import { endpointOf } from './plan.ts'
import type { World } from './world.ts'

/** The keys of SERVICE §2, and others over them. */
export function configured(keys: Readonly<Record<string, unknown>>): Configuration {
  return configurationOf({ ...GLOBAL_KEYS, ...keys })
}

export interface ServiceOptions {
  readonly entries: readonly Entry[]
  readonly world: World
  readonly configuration: Configuration
  /** What the entries name. @default all there is; tests take something out */
  readonly parts?: Parts
}

/** The conformance service: an endpoint for each name among the entries. */
export function createService({
  entries,
  world,
  configuration,
  parts = partsOf(world),
}: ServiceOptions): App {
  const urls = { ...addressesOf(entries), ...pageAddresses, ...controlAddresses }
  const api = beginApi(urls, world)
  const byName = new Map(entries.map((entry) => [fullNameOf(entry), entry]))
  const endpoints = [
    ...[...byName.values()].map((entry) => endpointOf(entry, parts, api, world)),
    ...pageEndpoints(api, world),
    ...controlEndpoints(api, world),
  ]
  return api.serve(endpoints, { configuration })
}
