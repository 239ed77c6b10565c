// The place of an endpoint in a version: the parts of a request that choose the version.
import type { DescribedEndpoint } from '../../core/app/app.ts'
import type { Behaviour, Verb } from '../../core/ports/kernel.ts'
import type { Incoming } from '../../core/ports/request.ts'
import type { Settings } from '../../core/ports/settings/settings.ts'
import { parsePattern } from '../../core/urls/path-pattern.ts'
import { knownVersions } from '../../core/versions/life.ts'
import { Query } from '../../core/std/http/query.ts'
import type { JSONSchema, VersionCarrier } from '../../core/types/documents.ts'

type Segment = ReturnType<typeof parsePattern>[number]

export type DocumentedEndpoint = Pick<
  DescribedEndpoint,
  'name' | 'path' | 'title' | 'description' | 'settings' | 'behaviours'
>

/** An endpoint as requests of a version reach it. */
export interface Placed {
  readonly endpoint: DocumentedEndpoint
  /** The version that handlers see; `null`: the endpoint has none. */
  readonly version: string | null
  /** The path in OpenAPI's form: `/v1/cities/{id}/`. */
  readonly path: string
  /** Parameters of the path and those that carry the version, as OpenAPI writes them. */
  readonly parameters: readonly JSONSchema[]
  /** The parameter of a media type in `Accept`; `''`: none. */
  readonly mediaParameter: string
  /** The host that has the version; `null`: any, or one that is not known. */
  readonly host: string | null
  /** Only some hosts have the version, and none of them is known. */
  readonly isElsewhere: boolean
}

/** One verb of an endpoint in a document. */
export interface DocumentedOperation {
  readonly placed: Placed
  readonly verb: Verb
  readonly behaviour: Behaviour
  /** The subject: `city`. */
  readonly noun: string
}

/**
 * The place where requests of a version reach the endpoint; `null`: none. An address without a place for a version serves
 * clients of every version. `hosts`: names under which the service may be reached; `own`: the document's name for it, if any.
 */
export function placeIn(
  version: string | null,
  endpoint: DocumentedEndpoint,
  hosts: readonly string[],
  own: string | null = null,
): Placed | null {
  const { settings } = endpoint
  const segments = parsePattern(endpoint.name, endpoint.path)
  if (settings.versioning === null)
    return placed(endpoint, null, segments, { carrier: null, also: [] })
  const carriers = carriersOf(settings)
  if (carriers === null)
    return mayHave(version, settings)
      ? placed(endpoint, version, segments, { carrier: null, also: [] })
      : null
  const inPath = pathParameterAmong(carriers)
  const named = inPath === null ? segments : saying(version, inPath, segments)
  if (named === null) return null
  const isOutside = carriers.every(
    (each) =>
      (each.in === 'path' && named === segments) ||
      (each.in === 'namespace' && !endpoint.name.includes(':')),
  )
  if (isOutside && carriers.length > 0) {
    const only = determined(endpoint, null, false, null, '')
    return only === undefined ? null : placed(endpoint, only, segments, { carrier: null, also: [] })
  }
  const works = (carrier: VersionCarrier | null): Carried | null =>
    carriedBy(carrier, version, { endpoint, hosts, own, isInPath: named !== segments })
  const bare = works(null)
  const found = [...carriers].flatMap((carrier) => works(carrier) ?? [])
  const isByHost = carriers.some((each) => each.in === 'host')
  // A document may be read at the host of another version, where what says no version has that one.
  const isAnywhere = bare !== null && (own !== null || !isByHost)
  const [first, ...also] = isAnywhere ? [bare, ...found] : found
  if (first !== undefined) return placed(endpoint, version, named, { ...first, also })
  const isElsewhere = isByHost && mayHave(version, settings)
  if (bare === null && !isElsewhere) return null
  return placed(endpoint, version, named, { carrier: null, also: [], isElsewhere })
}

interface Carried {
  readonly carrier: VersionCarrier | null
  readonly host?: string
}

interface Asking {
  readonly endpoint: DocumentedEndpoint
  readonly hosts: readonly string[]
  readonly own: string | null
  /** The path names the version already. */
  readonly isInPath: boolean
}

function mayHave(version: string | null, settings: Settings): boolean {
  const known = knownVersions(settings)
  return known === null || version === null || known.includes(version)
}

function carriersOf(settings: Settings): readonly VersionCarrier[] | null {
  return settings.versioning?.carriers?.(settings) ?? null
}

/** The versions that requests of an endpoint can have, as far as is known before there are any. */
export function versionsAt(endpoint: DocumentedEndpoint): readonly string[] {
  const { settings, name, path } = endpoint
  if (settings.versioning === null) return []
  const known = knownVersions(settings)
  if (known !== null) return known
  const carriers = carriersOf(settings) ?? []
  const inPath = pathParameterAmong(carriers)
  const choices = parsePattern(name, path)
    .filter((segment) => typeof segment === 'object')
    .filter((parameter) => parameter.name === inPath && parameter.converter.width === 0)
    .flatMap(({ converter }) => converter.key.split('|'))
  const bare = carriers.length === 0 ? null : determined(endpoint, null, false, null, '')
  return [...choices, ...(bare == null ? [] : [bare])]
}

function pathParameterAmong(carriers: readonly VersionCarrier[]): string | null {
  const found = carriers.find((each) => each.in === 'path')
  return found !== undefined && 'name' in found ? found.name : null
}

/** The path with the version in place of its parameter; `null`: it cannot have this version. */
function saying(
  version: string | null,
  name: string,
  segments: readonly Segment[],
): readonly Segment[] | null {
  const at = segments.findIndex((each) => typeof each === 'object' && each.name === name)
  const segment = segments[at]
  if (segment === undefined || typeof segment === 'string') return segments
  if (version === null || segment.converter.parse(version) === undefined) return null
  return segments.with(at, version)
}

/** Is this the version of a request that carries it there, and nowhere else? `carrier: null`: that says nothing of it. */
function carriedBy(
  carrier: VersionCarrier | null,
  version: string | null,
  asking: Asking,
): Carried | null {
  const { endpoint, own, isInPath } = asking
  if (carrier !== null && (version === null || carrier.in === 'namespace' || carrier.in === 'path'))
    return null
  if (carrier?.in === 'host') {
    const host = hostOf(version!, carrier, asking)
    const isIt = host !== null && determined(endpoint, version, isInPath, carrier, host) === version
    return isIt ? { carrier, host } : null
  }
  const host = carrier === null ? (own ?? '') : ''
  return determined(endpoint, version, isInPath, carrier, host) === version ? { carrier } : null
}

/** A host of this version: one that the service answers to, or one beside its own name. */
function hostOf(
  version: string,
  carrier: Extract<VersionCarrier, { in: 'host' }>,
  { hosts, own }: Asking,
): string | null {
  const beside = own === null ? [] : [own.slice(own.indexOf('.')), `.${own}`]
  const below = hosts.map((host) => (host.startsWith('.') ? version + host : host))
  const plain = carrier.host?.(version) ?? ''
  const isAdmitted = hosts.some(
    (each) => each === '*' || (each.startsWith('.') && plain.toLowerCase().endsWith(each)),
  )
  const candidates = [
    ...beside.map((end) => version + end),
    ...below,
    ...(isAdmitted ? [plain] : []),
  ]
  return candidates.find((host) => carrier.version(host) === version) ?? null
}

/** The version that a request has which carries one in this way; `undefined`: the request is refused. */
function determined(
  { name, settings }: DocumentedEndpoint,
  version: string | null,
  isInPath: boolean,
  carrier: VersionCarrier | null,
  host: string,
): string | null | undefined {
  const carried = carrier !== null && 'name' in carrier ? ([carrier.name, version!] as const) : null
  const [parameter, text] = carried ?? ['', '']
  const isIn = (place: VersionCarrier['in']): boolean => carrier?.in === place
  const inPath = pathParameterAmong(carriersOf(settings)!)
  const request = {
    endpointName: name,
    method: 'GET',
    settings,
    namespace: name.split(':').slice(0, -1),
    params: isInPath ? { [inPath!]: version } : {},
    query: Query.parse(isIn('query') ? `${parameter}=${encodeURIComponent(text)}` : ''),
    accepted: {
      renderer: settings.renderers[0]!,
      mediaType: settings.renderers[0]!.mediaType,
      parameters: isIn('accept') ? { [parameter.toLowerCase()]: text } : {},
    },
    header: (wanted: string) => {
      if (wanted === 'host') return host === '' ? null : host
      return isIn('header') && wanted === parameter.toLowerCase() ? text : null
    },
  }
  try {
    const found = settings.versioning!.determineVersion(request as unknown as Incoming)
    // A promise waits for something that a document does not have.
    return typeof found === 'object' && found !== null ? undefined : found
  } catch {
    return undefined
  }
}

interface Where extends Carried {
  readonly isElsewhere?: boolean
  /** Other carriers of the version that are as good. */
  readonly also: readonly Carried[]
}

function placed(
  endpoint: DocumentedEndpoint,
  version: string | null,
  segments: readonly Segment[],
  { carrier, host, also, isElsewhere = false }: Where,
): Placed {
  const needed = carrier === null ? [] : parameterOf(carrier, version!, true)
  const more = also.flatMap((each) => parameterOf(each.carrier!, version!, false))
  return {
    endpoint,
    version,
    path: segments
      .map(asOpenApi)
      .join('/')
      .replace(/^(?!\/)/, '/'),
    parameters: [...segments.flatMap(pathParameter), ...needed, ...more],
    mediaParameter: carrier?.in === 'accept' ? `; ${carrier.name}=${version}` : '',
    host: host ?? null,
    isElsewhere,
  }
}

function parameterOf(carrier: VersionCarrier, version: string, required: boolean): JSONSchema[] {
  if (carrier.in !== 'query' && carrier.in !== 'header') return []
  const { name } = carrier
  const description = 'The version.'
  return [
    { name, in: carrier.in, description, required, schema: { type: 'string', enum: [version] } },
  ]
}

function asOpenApi(segment: Segment): string {
  if (typeof segment === 'object') return `{${segment.name}}`
  return encodeURI(segment).replaceAll(/[/?#]/g, encodeURIComponent)
}

function pathParameter(segment: Segment): JSONSchema[] {
  if (typeof segment === 'string') return []
  const { name, converter } = segment
  return [
    { name, in: 'path', required: true, schema: SCHEMAS[converter.key] ?? choiceOf(converter.key) },
  ]
}

/** By the name of the converter. */
const SCHEMAS: Readonly<Record<string, JSONSchema>> = {
  int: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  uuid: { type: 'string', format: 'uuid' },
  slug: { type: 'string', pattern: '^[A-Za-z0-9_-]+$' },
  str: { type: 'string', minLength: 1 },
  path: { type: 'string', minLength: 1, description: 'The rest of the path, slashes included.' },
}

/** The key of a converter of choices is the list of them. */
const choiceOf = (key: string): JSONSchema => ({ type: 'string', enum: key.split('|') })
