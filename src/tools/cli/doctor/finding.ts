import type { DescribedEndpoint } from '../../../core/app/app.ts'
import type { App } from '../../../preset/define-api.ts'
import type { Finding } from '../../../core/ports/kernel.ts'
import type { Settings } from '../../../core/ports/settings/settings.ts'
import type { MigrationStatus } from '../../../core/ports/database.ts'
import type { DatabaseUnavailable } from '../../../core/errors/storage-errors.ts'
import { KEYS } from '../../../core/settings/endpoint-settings.ts'
import {
  SERVICE_KEYS,
  type ServiceSettings,
  serviceKey,
} from '../../../core/settings/service-keys.ts'

/** An application, as checks look at it: by its settings, without a request. */
export interface Examined extends Pick<
  App,
  'configuration' | 'service' | 'accounts' | 'databases' | 'counters'
> {
  readonly endpoints: readonly DescribedEndpoint[]
  /** The state of migrations, or the reason why it is not known. */
  readonly migrations: readonly MigrationStatus[] | DatabaseUnavailable
  /** Cores that its processes may use. */
  readonly cores: number
  /** The facts of its databases' servers; empty if they are away. */
  readonly servers: readonly ServerFacts[]
  /** Columns whose points in time are texts of several forms. */
  readonly mixedTimes: readonly string[]
}

/** A database server's facts about itself. */
export interface ServerFacts {
  /** Connections that one process may open. */
  readonly pool: number
  /** Connections that the server gives to all of its clients. */
  readonly most: number
  /** Milliseconds by which its clock is ahead of that of this machine. */
  readonly ahead: number
  /** Milliseconds that replicas which answer may be behind. */
  readonly lag: number
}

export interface SetBy {
  readonly key: string
  readonly layer: string
}

export interface Diagnosis extends Finding {
  /** Full names of the endpoints that the finding is about; none, if it is about the whole service. */
  readonly endpoints: readonly string[]
  readonly settings: readonly SetBy[]
}

/** A finding of a check, which adds its own kind. */
export type FoundByCheck = Omit<Diagnosis, 'kind'>

/** A check: its subject in the service or in each endpoint, the settings that decide it, and the words for it. */
export interface DoctorCheck {
  readonly inService?: (app: Examined) => boolean
  readonly inEndpoints?: (app: Examined) => (endpoint: DescribedEndpoint) => boolean
  readonly settings: readonly Setting[]
  readonly message: string | ((app: Examined) => string)
  readonly fix: string
}

/** Checks by kind. A function finds what takes more than a `DoctorCheck`. */
export type Checks = Readonly<
  Record<string, DoctorCheck | ((app: Examined) => readonly FoundByCheck[])>
>

type Setting = keyof Settings | keyof ServiceSettings

/** Runs a check, which gives one finding about the whole service, or one about all endpoints that have it. */
export function foundBy(check: Checks[string], app: Examined): readonly FoundByCheck[] {
  if (typeof check === 'function') return check(app)
  const { inService, inEndpoints, settings, message, fix } = check
  const endpoints = inEndpoints === undefined ? [] : app.endpoints.filter(inEndpoints(app))
  if (endpoints.length === 0 && !inService?.(app)) return []
  const names = endpoints.map(({ name }) => name)
  const text = typeof message === 'string' ? message : message(app)
  return [{ endpoints: names, settings: setBy(app, endpoints, settings), message: text, fix }]
}

/** The layers that set these settings: each key once for each layer that set it at one of the endpoints. */
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
