import type { Settings } from '../contract/request.ts'
import type { VersionFacts } from '../contract/versioning.ts'
import { Gone } from '../errors/api-errors.ts'
import { otherVersion } from '../links/versioned-link.ts'
import { Message } from '../messages/message.ts'
import { momentOf } from '../settings/version-facts.ts'
import type { Context, Slot } from './context.ts'
import type { SentHeaders } from './standing-headers.ts'

/** Which version a request is of, and the headers of answers about it. */
interface CompiledVersion {
  /**
   * Asks the scheme which version the request wants; without a scheme there is none (V1).
   *
   * @throws Gone (410) that version is switched off
   */
  readonly determine: Slot | null
  /** Leaves headers alone that the handler set. `null`: no header names the version. */
  readonly addHeaders: ((headers: SentHeaders, request: Context) => void) | null
}

export function compileVersion({ versioning, versions, versionHeader }: Settings): CompiledVersion {
  const lives = new Map(
    Object.entries(versions ?? {}).map(([name, facts]) => [name, toLife(facts)]),
  )
  const determine: Slot = (request) => {
    const version = versioning!.determineVersion(request)
    if (version instanceof Promise) return version.then((later) => settle(request, later, lives))
    request.version = version
    if (lives.size > 0) settle(request, version, lives)
  }
  const addHeaders = (headers: SentHeaders, request: Context): void => {
    const { version } = request
    if (version === null) return
    if (versionHeader !== null && isSendable(version)) headers.addMissing(versionHeader, version)
    const life = lives.get(version)
    if (life !== undefined) addLife(headers, life, request)
  }
  return {
    determine: versioning === null ? null : determine,
    addHeaders: versions === null && versionHeader === null ? null : addHeaders,
  }
}

/** The facts of a version, as headers show them. */
interface Life {
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly links: readonly string[]
  readonly successor: string | null
  /** Milliseconds since 1970. */
  readonly goneAt: number
}

function toLife({ deprecatedAt, sunsetAt, successor, link, gone: ends }: VersionFacts): Life {
  const deprecated = deprecatedAt === undefined ? null : momentOf(deprecatedAt)
  const sunset = sunsetAt === undefined ? null : momentOf(sunsetAt)
  const headers: [string, string][] = []
  const links: string[] = []
  if (deprecated !== null) {
    headers.push(['Deprecation', `@${Math.floor(deprecated / 1000)}`])
    if (link !== undefined) links.push(`<${link}>; rel="deprecation"`)
  }
  if (sunset !== null) {
    headers.push(['Sunset', new Date(sunset).toUTCString()])
    if (link !== undefined) links.push(`<${link}>; rel="sunset"`)
  }
  const goneAt = ends === true && sunset !== null ? sunset : Infinity
  return { headers, links, successor: successor ?? null, goneAt }
}

function settle(request: Context, version: string | null, lives: ReadonlyMap<string, Life>): void {
  request.version = version
  const life = version === null ? undefined : lives.get(version)
  if (life !== undefined) refuseGone(version!, life, request)
}

function refuseGone(version: string, { goneAt, successor }: Life, { service }: Context): void {
  if (service.now() < goneAt) return
  throw new Gone(
    successor === null
      ? Message.of('gone.version', { version })
      : Message.of('gone.successor', { version, successor }),
  )
}

function addLife(sent: SentHeaders, { headers, links, successor }: Life, request: Context): void {
  for (const [name, value] of headers) sent.addMissing(name, value)
  const next = successor === null ? null : otherVersion(request, successor)
  const all = next === null ? links : [...links, `<${next}>; rel="successor-version"`]
  if (all.length > 0) sent.addToList('Link', all.join(', '))
}

/** Without a list of versions, a version is any text of the client: not all of that can stand in a header. */
function isSendable(version: string): boolean {
  return version.length <= 255 && /^[\x21-\x7e]+$/.test(version)
}
