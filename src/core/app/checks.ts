import type { ServedEndpoint } from '../ports/kernel.ts'
import type { Settings } from '../ports/settings/settings.ts'
import type { VersioningFacts } from '../ports/policies/versioning.ts'
import type { ServiceFacts } from '../ports/service-facts.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import type { Folded } from '../settings/fold.ts'
import { KEYS, SETTING_NAMES } from '../settings/endpoint-settings.ts'
import { unknownVersionProblem, versionFactsProblem } from '../versions/life.ts'
import type { Route } from '../types/routes.ts'

interface Checked extends Folded {
  /** Such as `endpoint article-list`. */
  readonly place: string
}

/** An address with its endpoint, folded and checked. */
export interface Served extends Checked, ServedEndpoint {
  readonly route: Route
  /** The settings of the endpoint without those that the operator configured. */
  readonly inCode: Settings
}

/** Refuses settings that could only fail at a request: by endpoint, key, layer and fix. */
export function checkSettings(checked: Checked): void {
  const { settings, provenance } = checked
  for (const setting of SETTING_NAMES) {
    const policies = [settings[setting] ?? []].flat()
    if (!policies.every((policy) => isPolicy(setting, policy)))
      refuse(checked, setting, ` holds something without ${KEYS[setting].can!.join(' or ')}().`)
  }
  checkScope(checked)
  if (settings.renderers.length === 0)
    refuse(checked, 'renderers', ' is empty: name at least one renderer.')
  // An endpoint may switch the scheme off and leave the list of an outer layer as it is.
  const isMistake = settings.versioning === null && provenance.versioning === 'defaults'
  if (settings.allowedVersions !== null && isMistake) {
    const fix = 'set DEFAULT_VERSIONING_CLASS too.'
    refuse(checked, 'allowedVersions', ` is set without a versioning scheme: ${fix}`)
  }
}

/**
 * Refuses a list of throttles that lost the scoped throttle: a list replaces that of outer layers, which may have held it.
 */
function checkScope(checked: Checked): void {
  const { settings, provenance } = checked
  const { throttleScope, throttles } = settings
  // An inner list or an empty list leaves the scoped throttle out on purpose.
  const isMeant =
    depthOf(provenance.throttleScope) < depthOf(provenance.throttles) ||
    (throttles.length === 0 && provenance.throttles !== 'defaults')
  if (throttleScope === null || isMeant) return
  if (throttles.some((each) => each.isScoped?.(settings) ?? true)) return
  const from = `"throttles" (from ${provenance.throttles})`
  const fix = `Add new ScopedRateThrottle() there, or set throttleScope to null.`
  refuse(
    checked,
    'throttleScope',
    ` is "${throttleScope}", and none of ${from} counts under it. ${fix}`,
  )
}

/** The depth of a layer: settings of a program for everything, of a group, or of an endpoint. */
function depthOf(layer: string): number {
  return layer === 'group' ? 1 : OUTER.has(layer) ? 0 : 2
}

/** Layers that cannot know what an endpoint does. */
export const OUTER: ReadonlySet<string> = new Set([
  'defaults',
  'api',
  'colophon.json',
  'environment',
  'configuration',
])

function refuse({ place, provenance }: Checked, setting: keyof Settings, problem: string): never {
  const from = `${KEYS[setting].key} (from ${provenance[setting]})`
  throw new ConfigurationError(`${place}: ${from}${problem}`)
}

function isPolicy(setting: keyof Settings, policy: unknown): boolean {
  const { can } = KEYS[setting]
  const named = policy as Readonly<Record<string, unknown>> | null | undefined
  return can === undefined || can.some((operation) => typeof named?.[operation] === 'function')
}

/** Refuses what cannot work in this service: a scheme without its channel (I9), cursors without a secret. */
export function checkPolicies(checked: Checked, whole: ServiceFacts): void {
  const { authentication, pagination, permissions, throttles } = checked.settings
  const service = withRolesOf(checked, whole)
  for (const permission of permissions)
    refuseMissing(checked, 'permissions', permission, permission.check?.(service))
  for (const throttle of throttles)
    refuseMissing(checked, 'throttles', throttle, throttle.check?.(checked.settings))
  for (const scheme of authentication)
    refuseMissing(checked, 'authentication', scheme, scheme.check?.(service))
  refuseMissing(checked, 'pagination', pagination, pagination?.check?.(service))
}

/**
 * Gives the roles where they are known. If the accounts declare no roles, only their own schemes are known to name users
 * without a role.
 */
function withRolesOf({ settings }: Checked, { roles, ...others }: ServiceFacts): ServiceFacts {
  const isOwn = (scheme: object): boolean => Object.hasOwn(scheme.constructor, 'needs')
  const isKnown = roles !== undefined && (roles.length > 0 || settings.authentication.every(isOwn))
  return isKnown ? { ...others, roles } : others
}

function refuseMissing(
  checked: Checked,
  setting: keyof Settings,
  policy: object | null,
  missing: string | null = null,
): void {
  if (missing !== null)
    refuse(checked, setting, ` has ${policy?.constructor.name}, which ${missing}`)
}

/** Refuses handlers that could not work with the settings of their endpoint, or in this service. */
export function checkBehaviours(served: Served, whole: ServiceFacts): void {
  const { place, settings, behaviours } = served
  const service = withRolesOf(served, whole)
  for (const [verb, behaviour] of Object.entries(behaviours)) {
    const { permissions = [] } = behaviour
    const able = permissions.every((each) => isPolicy('permissions', each))
    const [missing = null] = permissions.flatMap((each) => each.check?.(service) ?? [])
    const wrong = able
      ? (missing && `it has a permission which ${missing}`) ||
        (behaviour.check?.(settings, { ...service, route: served.route, verb }) ?? null)
      : `its permissions hold something without ${KEYS.permissions.can!.join(' or ')}().`
    if (wrong !== null) throw new ConfigurationError(`${verb.toUpperCase()} of ${place}: ${wrong}`)
  }
}

/** Refuses to write rows of a resource without the rule that it asks in its own transactions. */
export function checkRules(served: readonly Served[]): void {
  const all = factsOf('~tenants', served)
  const ruled = new Map(all.filter(({ isRuled }) => isRuled).map((one) => [one.store, one.place]))
  for (const { place, writes } of all)
    for (const { field, store } of writes)
      if (ruled.has(store))
        throw new ConfigurationError(
          `${place}: the field "${field}" writes rows for which ${ruled.get(store)} asks a rule (validateInTransaction), which would not be asked here. Leave "writable" out, or ask the rule here, over rows of a store of its own.`,
        )
}

/** Refuses to embed rows without the scope of their own resource: the embedding would show rows that this resource hides. */
export function checkEmbedded(served: readonly Served[]): void {
  const all = factsOf('~shows', served)
  const open = new Set(all.filter(({ isScoped }) => !isScoped).map(({ store }) => store))
  const scoped = new Map(
    all
      .filter(({ isScoped, store }) => isScoped && !open.has(store))
      .map((one) => [one.store, one]),
  )
  for (const { place, isScoped, embeds } of all) {
    const crossing = isScoped ? undefined : embeds.find(({ store }) => scoped.has(store))
    if (crossing === undefined) continue
    const own = scoped.get(crossing.store)!.place
    throw new ConfigurationError(
      `${place}: "${crossing.field}" leads to rows that ${own} shows within a scope, and this endpoint has none. Give it a scope, or let "${crossing.field}" lead to rows of every tenant (scope: null).`,
    )
  }
}

/** The facts that behaviours state, each with the place of its behaviour. */
function factsOf<Name extends '~tenants' | '~shows'>(name: Name, served: readonly Served[]) {
  return served.flatMap(({ place, behaviours }) =>
    Object.entries(behaviours).flatMap(([verb, { [name]: facts }]) =>
      facts === undefined ? [] : { place: `${verb.toUpperCase()} of ${place}`, ...facts },
    ),
  )
}

/**
 * The answers of an application by version are in its code, and its types prove that every version has an answer. An operator
 * may narrow the versions, and not add one without an answer.
 */
export function checkOperatorsVersions({ inCode, ...checked }: Served): void {
  if (inCode.allowedVersions === null) return
  const { allowedVersions, defaultVersion } = checked.settings
  const known = new Set([...inCode.allowedVersions, inCode.defaultVersion])
  const admitted = [
    ['allowedVersions', allowedVersions ?? ['any']],
    ['defaultVersion', [defaultVersion]],
  ] as const
  for (const [setting, versions] of admitted) {
    const unknown = versions.find((version) => version !== null && !known.has(version))
    if (unknown === undefined) continue
    const answered = [...known].filter(Boolean).join(', ')
    const problem = ` admits version "${unknown}", which the application does not answer.`
    refuse(checked, setting, `${problem} It knows ${answered}.`)
  }
}

interface Addresses {
  readonly routes: readonly Route[]
  readonly publicUrl: string | null
}

function factsFor({ route, settings, inCode }: Served, addresses: Addresses): VersioningFacts {
  return { ...addresses, endpointName: route.name, settings, inCode, alone: true }
}

/** Probable mistakes that do not prevent a start, as records of the log: addresses that answer nothing. */
export function doubtsAbout(
  served: readonly Served[],
  addresses: Addresses,
): readonly Readonly<Record<'event' | 'message', string>>[] {
  return served.flatMap((each) => {
    const { versioning } = each.settings
    const doubt = versioning?.doubt?.(factsFor(each, addresses)) ?? null
    const unreached = `${each.place}: ${versioning?.constructor.name} ${doubt}`
    const bare = `${each.place}: it answers OPTIONS alone. Give it a verb, such as .get(…).`
    return [
      ...(doubt === null ? [] : [{ event: 'version.unreachable', message: unreached }]),
      ...(Object.keys(each.behaviours).length > 0
        ? []
        : [{ event: 'endpoint.bare', message: bare }]),
    ]
  })
}

/** Refuses schemes that cannot work with these addresses, and facts that contradict themselves or the versions. */
export function checkVersioning(served: readonly Served[], addresses: Addresses): void {
  for (const each of served) {
    const { versioning, versions } = each.settings
    const missing = versioning?.check?.(factsFor(each, addresses))
    refuseMissing(each, 'versioning', versioning, missing)
    for (const [version, facts] of Object.entries(versions ?? {})) {
      const problem = versionFactsProblem(version, facts)
      if (problem !== null) refuse(each, 'versions', `, version "${version}": ${problem}`)
    }
  }
  // Facts that an outer layer states about a version must concern at least one endpoint of the layer, not every one.
  for (const [facts, concerned] of Map.groupBy(served, ({ settings }) => settings.versions)) {
    const settings = concerned.map((each) => each.settings)
    const problem = facts === null ? null : unknownVersionProblem(facts, settings)
    if (problem !== null) refuse(concerned[0]!, 'versions', problem)
  }
}
