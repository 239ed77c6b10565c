import type { ServedEndpoint } from '../contract/kernel.ts'
import type { MaybePromise, Opinion, Permission, Settings } from '../contract/request.ts'
import type { VersionFacts } from '../contract/versioning.ts'
import { Gone } from '../errors/api-errors.ts'
import { momentOf } from '../settings/version-facts.ts'
import { otherVersion } from '../links/link-in-version.ts'
import { Message } from '../messages/message.ts'
import { Negotiation } from '../negotiation/negotiate.ts'
import { isPromise } from '../std/after.ts'
import { denial } from './challenge.ts'
import { compileCors, resourcePolicyOf } from './origins/cors.ts'
import { compileCheckThrottles } from './check-throttles.ts'
import type { CompiledEndpoint, Context, ObjectCheck, Slot } from './context.ts'
import { METHODS, handlersByMethod } from './methods.ts'
import { formsByMethod } from './pages/offers.ts'

export function compileEndpoint(endpoint: ServedEndpoint, csrfHeader: string): CompiledEndpoint {
  const { facts, settings, behaviours } = endpoint
  const renderer = settings.renderers[0]!
  const checkPermissions = compileCheckPermissions(endpoint)
  const handlers = handlersByMethod(endpoint, checkPermissions)
  const { cors, versionHeader } = settings
  const methods = METHODS.filter((method) => handlers.has(method))
  return {
    facts,
    settings,
    behaviours,
    allow: methods.join(', '),
    firstAccepted: { renderer, mediaType: renderer.mediaType, parameters: {} },
    negotiation: new Negotiation(settings.renderers),
    checkPermissions,
    checkObjectPermissions: compileCheckObjectPermissions(endpoint),
    checkThrottles: compileCheckThrottles(endpoint),
    handlers,
    forms: formsByMethod(endpoint),
    cors: cors && compileCors(cors, { methods, versionHeader, csrfHeader }),
    resourcePolicy: resourcePolicyOf(cors),
    ...compileVersion(settings),
  }
}

/** Asks every permission about the request, in order; the first refusal is the answer (Z2). */
function compileCheckPermissions(endpoint: ServedEndpoint): Slot | null {
  return compile(endpoint, 'hasPermission', (permission, request) =>
    permission.hasPermission!(request),
  )
}

/** The same about an object, where the endpoint asks for it (Z3). */
function compileCheckObjectPermissions(endpoint: ServedEndpoint): ObjectCheck | null {
  return compile(endpoint, 'hasObjectPermission', (permission, request, target) =>
    permission.hasObjectPermission!(request, target),
  )
}

type Question = (permission: Permission, request: Context, target: unknown) => MaybePromise<Opinion>

/** Asks the permissions that answer: first the endpoint's, then those of the verb. `null`: none does. */
function compile(
  { settings, behaviours }: ServedEndpoint,
  question: 'hasPermission' | 'hasObjectPermission',
  put: Question,
): ((request: Context, target?: unknown) => Promise<void> | void) | null {
  // `null` or `false` in place of the method fails at the request: it must not open a door.
  const answering = (some: readonly Permission[]) =>
    some.filter((each) => each[question] !== undefined)
  const always = answering(settings.permissions)
  const byMethod = new Map(
    Object.entries(behaviours).flatMap(([verb, { permissions = [] }]) => {
      const own = answering(permissions)
      return own.length === 0 ? [] : [[verb.toUpperCase(), [...always, ...own]] as const]
    }),
  )
  if (byMethod.size === 0 && always.length === 0) return null
  return (request, target) => {
    // HEAD is GET (R11).
    const method = request.method === 'HEAD' ? 'GET' : request.method
    return ask(put, byMethod.get(method) ?? always, request, target)
  }
}

/** Asks the permissions from this one on, and without waiting until one returns a promise. */
function ask(
  put: Question,
  permissions: readonly Permission[],
  request: Context,
  target: unknown,
  from = 0,
): Promise<void> | void {
  for (let at = from; at < permissions.length; at++) {
    const permission = permissions[at]!
    const opinion = put(permission, request, target)
    if (isPromise(opinion))
      return Promise.resolve(opinion).then((later) => {
        heed(later, permission, request)
        return ask(put, permissions, request, target, at + 1)
      })
    heed(opinion, permission, request)
  }
}

/** Only a plain yes, or no opinion, lets a request on: a forgotten `return` must not open a door. */
function heed(opinion: Opinion, permission: Permission, request: Context): void {
  if (opinion !== true && opinion !== null) throw denial(opinion, permission, request)
}

function compileVersion({
  versions,
  versionHeader,
}: Settings): Pick<CompiledEndpoint, 'refuseGone' | 'versionHeaders'> {
  const lives = new Map(
    Object.entries(versions ?? {}).map(([name, facts]) => [name, toLife(facts)]),
  )
  const versionHeaders = (request: Context): Readonly<Record<string, string>> => {
    const { version } = request
    if (version === null) return {}
    // Without a list of versions it is any text of the client, of which not all can stand in a header.
    const isNamed = versionHeader !== null && /^[\x21-\x7e]{1,255}$/.test(version)
    const named = isNamed ? { [versionHeader]: version } : {}
    const life = lives.get(version)
    return life === undefined ? named : { ...named, ...headersOf(life, request) }
  }
  return {
    refuseGone: lives.size === 0 ? null : (request) => refuseGone(request, lives),
    versionHeaders: versions === null && versionHeader === null ? null : versionHeaders,
  }
}

interface Life {
  readonly headers: Readonly<Record<string, string>>
  readonly links: readonly string[]
  readonly successor: string | null
  /** Milliseconds since 1970. */
  readonly goneAt: number
}

function toLife({ deprecatedAt, sunsetAt, successor, link, gone }: VersionFacts): Life {
  const deprecated = deprecatedAt === undefined ? null : momentOf(deprecatedAt)
  const sunset = sunsetAt === undefined ? null : momentOf(sunsetAt)
  const headers: Record<string, string> = {}
  if (deprecated !== null) headers['Deprecation'] = `@${Math.floor(deprecated / 1000)}`
  if (sunset !== null) headers['Sunset'] = new Date(sunset).toUTCString()
  const links = Object.keys(headers).map((name) => `<${link}>; rel="${name.toLowerCase()}"`)
  return {
    headers,
    links: link === undefined ? [] : links,
    successor: successor ?? null,
    goneAt: gone === true ? (sunset ?? Infinity) : Infinity,
  }
}

function refuseGone({ version, service }: Context, lives: ReadonlyMap<string, Life>): void {
  const life = version === null ? undefined : lives.get(version)
  if (life === undefined || service.now() < life.goneAt) return
  const { successor } = life
  throw new Gone(
    successor === null
      ? Message.of('gone.version', { version: version! })
      : Message.of('gone.successor', { version: version!, successor }),
  )
}

function headersOf({ headers, links, successor }: Life, request: Context): Life['headers'] {
  const next = successor === null ? null : otherVersion(request, successor)
  const all = next === null ? links : [...links, `<${next}>; rel="successor-version"`]
  return all.length === 0 ? headers : { ...headers, Link: all.join(', ') }
}
