import type { Settings } from '../contract/settings.ts'
import type { VersionFacts } from '../contract/versioning.ts'
import { Gone } from '../errors/client-errors.ts'
import { momentOf } from '../settings/version-facts.ts'
import type { Context } from './context.ts'
import { otherVersion } from '../links/request-reverse.ts'
import { addMissing, addToList } from './sent-headers.ts'

/** What the age of versions means for the answers of one endpoint. */
export interface LifeCycle {
  /** @throws Gone (410) where the version of the request is switched off */
  refuseGone(request: Context): void
  /** Adds what there is to say of the request's version. What a handler said itself stays. */
  addHeaders(sent: string[], request: Context): void
}

/** `null`: nothing is known, and no header names the version. */
export function compileLifeCycle({ versions, versionHeader }: Settings): LifeCycle | null {
  if (versions === null && versionHeader === null) return null
  const lives = new Map(
    Object.entries(versions ?? {}).map(([name, facts]) => [name, toLife(facts)]),
  )
  return {
    refuseGone({ version, service }) {
      const life = version === null ? undefined : lives.get(version)
      if (life !== undefined && service.now() >= life.goneAt) throw gone(version!, life)
    },
    addHeaders(sent, request) {
      const { version } = request
      if (version === null) return
      if (versionHeader !== null && isSendable(version)) addMissing(sent, versionHeader, version)
      const life = lives.get(version)
      if (life !== undefined) addLife(sent, life, request)
    },
  }
}

/** The facts of a version, as headers say them. */
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

function gone(version: string, { successor }: Life): Gone {
  const hint = successor === null ? '' : ` Version ${successor} takes its place.`
  return new Gone(`Version ${version} was switched off.${hint}`)
}

function addLife(sent: string[], { headers, links, successor }: Life, request: Context): void {
  for (const [name, value] of headers) addMissing(sent, name, value)
  const next = successor === null ? null : otherVersion(request, successor)
  const all = next === null ? links : [...links, `<${next}>; rel="successor-version"`]
  if (all.length > 0) addToList(sent, 'Link', all.join(', '))
}

/** Without a list a version is whatever the client sent: not all of that can stand in a header. */
function isSendable(version: string): boolean {
  return version.length <= 255 && /^[\x21-\x7e]+$/.test(version)
}
