import { versionParams } from '../../core/versions/link-in-version.ts'
import type { PageFacts } from './page-facts.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { Query } from '../../core/std/http/query.ts'

/** The request in the form of another tool, for copying. */
export interface CopiedAs {
  readonly tool: string
  readonly text: string
}

/** A placeholder stands for the credentials of the client. */
export function copiedAs({ request, methods }: PageFacts): readonly CopiedAs[] {
  const { settings, origin, path, query, method } = request
  if (!methods.includes('GET') || (method !== 'GET' && method !== 'HEAD')) return []
  const renderer = settings.renderers.find(({ prepare }) => prepare === undefined)
  if (renderer === undefined) return []
  const { urlFormatOverride } = settings
  const left = query.with({
    _view: null,
    _theme: null,
    ...(urlFormatOverride === null ? {} : { [urlFormatOverride]: null }),
  })
  const text = left.toString()
  const url = `${origin}${path}${text === '' ? '' : `?${text}`}`
  const accept = renderer.mediaType
  const scheme = request.authenticator === null ? null : credentialsOf(request)
  return [
    { tool: 'curl', text: asCurl(url, accept, scheme) },
    { tool: 'fetch', text: asFetch(url, accept, scheme) },
    ...asCall(request, left),
  ]
}

/** The name of the first scheme with a header of its own: `Token`, `Basic`. */
function credentialsOf(request: ApiRequest): string | null {
  for (const scheme of request.settings.authentication) {
    const [name] = /^[A-Za-z0-9-]+/.exec(scheme.authenticateHeader?.(request) ?? '') ?? []
    if (name !== undefined) return name
  }
  return null
}

function asCurl(url: string, accept: string, scheme: string | null): string {
  const lines = [`curl ${shellQuoted(url)}`, `-H ${shellQuoted(`Accept: ${accept}`)}`]
  if (scheme === 'Basic') lines.push('-u YOUR_NAME')
  else if (scheme !== null) lines.push(`-H ${shellQuoted(`Authorization: ${scheme} YOUR_TOKEN`)}`)
  return lines.join(' \\\n  ')
}

/** Quotes for POSIX shells, where single quotes keep every character. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function asFetch(url: string, accept: string, scheme: string | null): string {
  const credentials = scheme === 'Basic' ? 'BASE64_OF_NAME_AND_PASSWORD' : 'YOUR_TOKEN'
  const headers = {
    Accept: accept,
    ...(scheme === null ? {} : { Authorization: `${scheme} ${credentials}` }),
  }
  const lines = Object.entries(headers).map(
    ([name, value]) => `    ${name}: ${JSON.stringify(value)},\n`,
  )
  return `const response = await fetch(${JSON.stringify(url)}, {\n  headers: {\n${lines.join('')}  },\n})\nconst data = await response.json()`
}

/** A call of the typed client, by the endpoint's name in this version; a request with other than plain values has none. */
function asCall(request: ApiRequest, query: Query): readonly CopiedAs[] {
  const { endpointName, version, params, settings, suffixed } = request
  const name = endpointName.startsWith(`${version}:`)
    ? endpointName.slice(`${version}:`.length)
    : endpointName
  const inVersion = settings.versioning === null ? [] : [settings.versionParam]
  const own = without(params, suffixed ? [...inVersion, 'format'] : inVersion)
  if (Object.values(own).some((value) => !PLAIN.has(typeof value))) return []
  const asked = without(valuesOf(query), versionParams(settings))
  const options = [
    ...(Object.keys(own).length === 0 ? [] : [`params: ${JSON.stringify(own)}`]),
    ...(Object.keys(asked).length === 0 ? [] : [`query: ${JSON.stringify(asked)}`]),
  ]
  const rest = options.length === 0 ? '' : `, { ${options.join(', ')} }`
  return [
    { tool: 'TypeScript', text: `const data = await client.get(${JSON.stringify(name)}${rest})` },
  ]
}

const PLAIN: ReadonlySet<string> = new Set(['string', 'number'])

function without(values: object, names: readonly string[]): object {
  if (!names.some((name) => Object.hasOwn(values, name))) return values
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))
}

/** The values of the query, sorted by name like those of an address. */
function valuesOf(query: Query): object {
  const named = Map.groupBy(new URLSearchParams(query.toString()), ([name]) => name)
  const entries = Array.from(named, ([name, pairs]) => {
    const values = pairs.map(([, value]) => value)
    return [name, values.length === 1 ? values[0] : values]
  })
  return Object.fromEntries(entries)
}
