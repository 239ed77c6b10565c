import type { DescribedEndpoint } from '../../../core/app/app.ts'
import type { App } from '../../../preset/define-api.ts'
import type { Finding } from '../../../core/ports/kernel.ts'
import type { Settings } from '../../../core/ports/settings/settings.ts'
import type { DatabaseUnavailable } from '../../../core/errors/storage-errors.ts'
import { KEYS } from '../../../core/settings/keys.ts'
import { SERVICE_KEYS, type ServiceSettings, serviceKey } from '../../../core/settings/service.ts'

/** An application, as checks look at it: by its settings, without a request. */
export interface Examined extends Pick<
  App,
  'configuration' | 'service' | 'accounts' | 'databases' | 'counters'
> {
  readonly endpoints: readonly DescribedEndpoint[]
  /** Migrations that the tables lack, or why they are not known. */
  readonly pending: readonly string[] | DatabaseUnavailable
}

/** A key, and the layer that set it. */
export interface SetBy {
  readonly key: string
  readonly layer: string
}

/** A finding with where it is. */
export interface Diagnosis extends Finding {
  /** Full names of the endpoints that it is about; none where it is about the whole service. */
  readonly endpoints: readonly string[]
  readonly settings: readonly SetBy[]
}

/** What a check has found; its kind is the check's. */
export type FoundByCheck = Omit<Diagnosis, 'kind'>

/** What is looked for, by kind. */
export type Checks = Readonly<Record<string, (app: Examined) => readonly FoundByCheck[]>>

type Setting = keyof Settings | keyof ServiceSettings
type Words = Pick<Finding, 'message' | 'fix'>

/** A finding about the whole service, where there is something to be found. */
export function inService(
  app: Examined,
  isThere: boolean,
  settings: readonly (keyof ServiceSettings)[],
  words: Words,
): readonly FoundByCheck[] {
  return isThere ? [{ endpoints: [], settings: setBy(app, [], settings), ...words }] : []
}

/** A finding about all endpoints that have it, where there are any. */
export function inEndpoints(
  app: Examined,
  hasIt: (endpoint: DescribedEndpoint) => boolean,
  settings: readonly Setting[],
  words: Words,
): readonly FoundByCheck[] {
  const endpoints = app.endpoints.filter(hasIt)
  if (endpoints.length === 0) return []
  const names = endpoints.map(({ name }) => name)
  return [{ endpoints: names, settings: setBy(app, endpoints, settings), ...words }]
}

/** Each key once for each layer that set it at one of the endpoints. */
export function setBy(
  { configuration }: Examined,
  endpoints: readonly DescribedEndpoint[],
  settings: readonly Setting[],
): readonly SetBy[] {
  return settings.flatMap((setting) => {
    if (isServiceSetting(setting)) {
      const key = serviceKey(setting)
      return [{ key, layer: configuration.given.get(key)?.source ?? 'defaults' }]
    }
    const layers = new Set(endpoints.map(({ provenance }) => provenance[setting]))
    return [...layers].map((layer) => ({ key: KEYS[setting].key, layer }))
  })
}

function isServiceSetting(setting: Setting): setting is keyof ServiceSettings {
  return Object.hasOwn(SERVICE_KEYS, setting)
}
