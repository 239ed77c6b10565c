import type { ServedEndpoint } from '../contract/kernel.ts'
import type { Route } from '../types/routes.ts'
import type { Settings } from '../contract/settings.ts'
import type { VersionFacts } from '../contract/versioning.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { KEYS } from '../settings/keys.ts'
import { versionFactsProblem } from '../settings/version-facts.ts'

interface Served {
  readonly endpoint: ServedEndpoint
  readonly provenance: Readonly<Record<keyof Settings, string>>
}

interface Service {
  readonly routes: readonly Route[]
  readonly publicUrl: string | null
}

/**
 * Refuses schemes that could not work with these addresses or in this service, and facts about
 * versions that contradict themselves or speak of versions that there are not.
 */
export function checkVersioning(served: readonly Served[], service: Service): void {
  for (const each of served) {
    checkScheme(each, service)
    checkFacts(each)
  }
  // What an outer layer says of a version need not concern every endpoint in it, but one at least.
  for (const [facts, concerned] of Map.groupBy(
    served,
    ({ endpoint }) => endpoint.settings.versions,
  ))
    if (facts !== null) checkKnown(facts, concerned)
}

function checkScheme({ endpoint, provenance }: Served, service: Service): void {
  const { facts, settings } = endpoint
  const { versioning } = settings
  const about = { ...service, endpointName: facts.name, settings, alone: true }
  const problem = versioning?.check?.(about) ?? null
  if (versioning === null || problem === null) return
  throw new ConfigurationError(
    `${place(facts.name, 'versioning', provenance)} has ${versioning.constructor.name}, which ${problem}`,
  )
}

function checkFacts({ endpoint: { facts, settings }, provenance }: Served): void {
  for (const [version, said] of Object.entries(settings.versions ?? {})) {
    const problem = versionFactsProblem(version, said)
    if (problem !== null) {
      throw new ConfigurationError(
        `${place(facts.name, 'versions', provenance)}, version "${version}": ${problem}`,
      )
    }
  }
}

function checkKnown(
  said: Readonly<Record<string, VersionFacts>>,
  concerned: readonly Served[],
): void {
  const known = concerned.map(({ endpoint }) => versionsOf(endpoint.settings))
  if (known.includes(null)) return
  const versions = [...new Set(known.flatMap((list) => list ?? []))]
  for (const [version, { successor = version }] of Object.entries(said)) {
    const unknown = [version, successor].find((name) => !versions.includes(name))
    if (unknown === undefined) continue
    const { endpoint, provenance } = concerned[0]!
    throw new ConfigurationError(
      `${place(endpoint.facts.name, 'versions', provenance)} speaks of version "${unknown}", which no endpoint has. ${hintAt(versions)}`,
    )
  }
}

function hintAt(versions: readonly string[]): string {
  if (versions.length > 0) return `There is ${versions.join(', ')}.`
  return 'Say ALLOWED_VERSIONS and DEFAULT_VERSIONING_CLASS too.'
}

/** `null`: any may be one. Without a scheme there is none. */
function versionsOf(settings: Settings): readonly string[] | null {
  const { versioning } = settings
  if (versioning === null) return []
  return versioning.versions?.(settings) ?? null
}

const place = (name: string, setting: keyof Settings, provenance: Served['provenance']): string =>
  `endpoint ${name}: ${KEYS[setting].key} (from ${provenance[setting]})`
