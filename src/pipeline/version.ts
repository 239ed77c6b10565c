import type { Settings } from '../contract/request.ts'
import type { VersionFacts } from '../contract/versioning.ts'
import { Gone } from '../errors/api-errors.ts'
import { otherVersion } from '../links/link-in-version.ts'
import { Message } from '../messages/message.ts'
import { momentOf } from '../settings/version-facts.ts'
import type { CompiledEndpoint, Context } from './context.ts'

export function compileVersion({
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
