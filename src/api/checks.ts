import type { Authenticator, ServiceFacts } from '../contract/authentication.ts'
import type { Logger, ServedEndpoint } from '../contract/kernel.ts'
import type { Settings } from '../contract/settings.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { KEYS } from '../settings/keys.ts'
import type { EndpointDefinition } from './types.ts'

type Provenance = Readonly<Record<keyof Settings, string>>

/** What each policy must be able to do: the operation by which we tell that it is one. */
const OPERATIONS: Partial<Record<keyof Settings, readonly string[]>> = {
  authentication: ['authenticate'],
  permissions: ['hasPermission', 'hasObjectPermission'],
  throttles: ['admit'],
  versioning: ['determineVersion'],
  pagination: ['paginate'],
  filters: ['filter'],
  renderers: ['render'],
  parsers: ['parse'],
  metadata: ['describe'],
}

/**
 * Refuses settings that could only fail at a request. The message names the endpoint, the key, the
 * layer that said it and the fix.
 */
export function checkSettings(endpoint: string, settings: Settings, provenance: Provenance): void {
  const refuse = (setting: keyof Settings, fix: string): never => {
    throw new ConfigurationError(
      `${endpoint}: ${KEYS[setting].key} (from ${provenance[setting]}) ${fix}`,
    )
  }
  for (const setting of Object.keys(OPERATIONS) as (keyof Settings)[]) {
    const wrong = policiesOf(settings[setting]).find(
      (policy) => !canDo(policy, OPERATIONS[setting]!),
    )
    if (wrong !== undefined)
      refuse(setting, `holds something without ${OPERATIONS[setting]!.join(' or ')}().`)
  }
  if (settings.renderers.length === 0) refuse('renderers', 'is empty: name at least one renderer.')
  if (settings.allowedVersions !== null && settings.versioning === null && saysMore(provenance)) {
    refuse(
      'allowedVersions',
      'is said without a versioning scheme: set DEFAULT_VERSIONING_CLASS too.',
    )
  }
}

/**
 * Refuses policies that could not work in this service, such as a scheme without its channel (I9), or
 * cursors without a secret.
 */
export function checkPolicies(
  endpoint: string,
  settings: Settings,
  provenance: Provenance,
  service: ServiceFacts,
): void {
  for (const setting of ['authentication', 'pagination'] as const) {
    for (const policy of policiesOf(settings[setting]) as readonly Checking[]) {
      const missing = policy.check?.(service) ?? null
      if (missing === null) continue
      throw new ConfigurationError(
        `${endpoint}: ${KEYS[setting].key} (from ${provenance[setting]}) has ${policy.constructor.name}, which ${missing}`,
      )
    }
  }
}

type Checking = Pick<Authenticator, 'check'> & object

/** Refuses handlers that could not work with the settings of their endpoint, or in this service. */
export function checkBehaviours(
  endpoint: string,
  behaviours: EndpointDefinition['behaviours'],
  settings: Settings,
  service: ServiceFacts,
): void {
  for (const [verb, behaviour] of Object.entries(behaviours)) {
    const silent = behaviour.permissions?.find((each) => !canDo(each, OPERATIONS.permissions!))
    const wrong =
      silent === undefined
        ? (behaviour.check?.(settings, service) ?? null)
        : `its permissions hold something without ${OPERATIONS.permissions!.join(' or ')}().`
    if (wrong !== null)
      throw new ConfigurationError(`${verb.toUpperCase()} of ${endpoint}: ${wrong}`)
  }
}

interface Served {
  readonly endpoint: Pick<ServedEndpoint, 'facts' | 'settings'>
  readonly definition: Pick<EndpointDefinition, 'behaviours'>
}

/** One line for the operator: the lists that anybody can read whole with one request (I20). */
export function tellWholeLists(served: readonly Served[], logger: Logger): void {
  const whole = served.filter(({ definition: { behaviours }, endpoint: { settings } }) =>
    Object.values(behaviours).some((behaviour) => behaviour.givesAll?.(settings) ?? false),
  )
  if (whole.length === 0) return
  logger.info?.({
    event: 'lists.unbounded',
    endpoints: whole.map(({ endpoint: { facts } }) => facts.name),
    message:
      'One request can read all rows of these lists. Say MAX_PAGE_SIZE, and where a list has no style also DEFAULT_PAGINATION_CLASS.',
  })
}

/**
 * What the application answers by version stands in its code, and its types prove that every version
 * has an answer. An operator may narrow the versions, and not add one that nobody wrote.
 */
export function checkVersions(
  endpoint: string,
  { allowedVersions, defaultVersion }: Settings,
  provenance: Provenance,
  inCode: Settings,
): void {
  if (inCode.allowedVersions === null) return
  const known = new Set([...inCode.allowedVersions, inCode.defaultVersion])
  const said = [
    ['allowedVersions', allowedVersions ?? ['any']],
    ['defaultVersion', [defaultVersion]],
  ] as const
  for (const [setting, versions] of said) {
    const unknown = versions.find((version) => version !== null && !known.has(version))
    if (unknown === undefined) continue
    throw new ConfigurationError(
      `${endpoint}: ${KEYS[setting].key} (from ${provenance[setting]}) admits version "${unknown}", which the application does not answer. It knows ${[...known].filter(Boolean).join(', ')}.`,
    )
  }
}

// A list that an outer layer says for a scheme this endpoint switched off is nobody's mistake.
function saysMore(provenance: Provenance): boolean {
  return provenance.versioning === 'defaults'
}

function policiesOf(value: unknown): readonly unknown[] {
  if (value === null) return []
  return Array.isArray(value) ? value : [value]
}

function canDo(policy: unknown, operations: readonly string[]): boolean {
  return operations.some(
    (operation) => typeof (policy as Record<string, unknown>)[operation] === 'function',
  )
}
