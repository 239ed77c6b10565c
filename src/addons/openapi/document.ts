import type { Verb } from '../../core/ports/kernel.ts'
import type { DocumentInfo, JSONSchema } from '../../core/types/documents.ts'
import { Components, withExamples } from './components.ts'
import { nameIn, nounsOf, operationIdOf, tagOf } from './names.ts'
import { describeOperation } from './operation.ts'
import {
  type DocumentedEndpoint,
  type DocumentedOperation,
  type Placed,
  placeIn,
  versionsAt,
} from './endpoint-versions.ts'

export interface DocumentSubject {
  readonly endpoints: readonly DocumentedEndpoint[]
  /** The scheme and host of the service: `https://api.example.com`; `null`: those of the document's address. */
  readonly origin: string | null
  /** Names of hosts that it may be reached by. */
  readonly hosts: readonly string[]
  /** The address of the document of another version. */
  readonly linkTo?: (version: string) => string
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly info: JSONSchema
  readonly servers: readonly JSONSchema[]
  readonly paths: Readonly<Record<string, JSONSchema>>
  readonly components: JSONSchema
  readonly tags: readonly JSONSchema[]
  readonly [member: string]: unknown
}

/**
 * Every version that some endpoint has, in the order in which they are allowed; none: the service has no versions. Of
 * several lists, that of most endpoints is the last, and its newest the newest of all.
 */
export function versionsOf({ endpoints }: Pick<DocumentSubject, 'endpoints'>): readonly string[] {
  const lists = endpoints.map(versionsAt)
  const different = [...new Map(lists.map((list) => [list.join('\n'), list])).values()]
  const longestFirst = different.toSorted((a, b) => b.length - a.length)
  const weigh = (list: readonly string[]): number =>
    lists.filter((own) => own.length > 0 && own.every((each) => list.includes(each))).length
  const [main = []] = longestFirst.toSorted((a, b) => weigh(b) - weigh(a))
  return [...new Set([...longestFirst.flat().filter((each) => !main.includes(each)), ...main])]
}

/** The document of one version; `null`: of requests without a version. */
export function documentOf(
  subject: DocumentSubject,
  version: string | null,
  info: DocumentInfo = {},
  hasExamples = true,
): OpenApiDocument {
  const components = new Components()
  const operations = operationsIn(subject, version)
  const { origin } = subject
  const paths = pathsOf(operations, origin, components)
  const listed = Object.values(paths).flatMap((item) => Object.values(item)) as readonly Tagged[]
  const tags = [...new Set(listed.flatMap((each) => each.tags ?? []))].toSorted()
  const byTag = Map.groupBy(operations, ({ noun }) => tagOf(noun))
  return {
    openapi: '3.1.0',
    info: infoOf(subject, version, info),
    servers: [{ url: origin ?? '/' }],
    ...lifeOf(subject, version),
    tags: tags.map((name) => tagFor(name, byTag.get(name) ?? [])),
    paths,
    components: hasExamples ? withExamples(components) : components.toJSON(),
  }
}

/** A tag with the description of the list of its objects, or else of the endpoint of that name; `own` are its operations. */
function tagFor(name: string, own: readonly DocumentedOperation[]): JSONSchema {
  const about = own.find(({ noun, placed }) => [`${noun}-list`, noun].includes(nameIn(placed)))
  const { title = name, description } = (about ?? own[0])?.placed.endpoint ?? {}
  if (about !== undefined && description) return { name, description }
  const isOfObjects = own.some(({ noun, placed }) => nameIn(placed) !== noun)
  return { name, description: `Operations ${isOfObjects ? `on ${name} objects` : `of ${title}`}.` }
}

interface Tagged {
  readonly tags?: readonly string[]
}

function operationsIn(
  subject: DocumentSubject,
  version: string | null,
): readonly DocumentedOperation[] {
  const own = subject.origin === null ? null : new URL(subject.origin).hostname
  const all = subject.endpoints
    .map((endpoint) => placeIn(version, endpoint, subject.hosts, own))
    .filter((each) => each !== null)
  const nouns = nounsOf(all.map(nameIn))
  return all.flatMap((placed) =>
    VERBS.flatMap((verb) => {
      const behaviour = placed.endpoint.behaviours[verb]
      return behaviour === undefined
        ? []
        : [{ placed, verb, behaviour, noun: nouns.get(nameIn(placed))! }]
    }),
  )
}

const VERBS: readonly Verb[] = ['get', 'post', 'put', 'patch', 'delete']

/** Of two addresses that differ only in names of parameters, the document has the first, which is tried first. */
function pathsOf(
  operations: readonly DocumentedOperation[],
  origin: string | null,
  components: Components,
): Readonly<Record<string, JSONSchema>> {
  const paths = new Map<
    string,
    { readonly placed: Placed; readonly item: Record<string, unknown> }
  >()
  const ids = new Map<string, number>()
  for (const operation of operations) {
    const { placed, verb } = operation
    const shape = placed.path.replace(/\{[^}]*\}/g, '{}')
    const known = paths.get(shape)
    if (known !== undefined && known.placed.endpoint !== placed.endpoint) continue
    const described = describeOperation(operation, components)
    if (described === null) continue
    const id = operationIdOf(operation)
    const count = (ids.get(id) ?? 0) + 1
    ids.set(id, count)
    const { item } = known ?? { item: serversOf(placed, origin) }
    item[verb] = count === 1 ? described : { ...described, operationId: `${id}${count}` }
    paths.set(shape, { placed, item })
  }
  return Object.fromEntries([...paths.values()].map(({ placed, item }) => [placed.path, item]))
}

/** A version in the host has a server of its own, or one that calls the host unknown. */
function serversOf(
  { host, version, isElsewhere }: Placed,
  origin: string | null,
): Record<string, unknown> {
  const description = `Hosts of version ${version}, of which the document knows none: see ALLOWED_HOSTS.`
  if (isElsewhere) return { servers: [{ url: origin ?? '/', description }] }
  if (host === null) return {}
  const name = host.replace(version!, '{version}')
  const base = origin === null ? null : new URL(origin)
  const port = base === null || base.port === '' ? '' : `:${base.port}`
  // Without a scheme, the document's own applies.
  const url = `${base?.protocol ?? ''}//${name}${port}`
  return { servers: [{ url, variables: { version: { enum: [version], default: version } } }] }
}

function infoOf(subject: DocumentSubject, version: string | null, info: DocumentInfo): JSONSchema {
  const { title, release = '1', ...more } = info
  const shown = title ?? subject.endpoints[0]?.settings.browsable.title ?? 'API'
  const number = version ?? release
  return {
    title: shown,
    version: number,
    description: `Version ${number} of ${shown}.`,
    contact: { name: shown },
    license: { name: 'Not stated', identifier: 'NOASSERTION' },
    ...more,
  }
}

/** The version among its neighbours. */
function lifeOf(subject: DocumentSubject, version: string | null): JSONSchema {
  const all = versionsOf(subject)
  if (version === null || all.length === 0) return {}
  const facts = subject.endpoints
    .map(({ settings }) => settings.versions)
    .find((each) => each !== null)
  const lives = all.map((name) => {
    const { deprecatedAt, sunsetAt, successor } = facts?.[name] ?? {}
    return {
      version: name,
      ...(deprecatedAt !== undefined && { deprecatedAt: day(deprecatedAt) }),
      ...(sunsetAt !== undefined && { sunsetAt: day(sunsetAt) }),
      ...(successor !== undefined && { successor }),
      ...(subject.linkTo && { url: subject.linkTo(name) }),
    }
  })
  const link = facts?.[version]?.link
  const description = `About version ${version}`
  return {
    ...(link !== undefined && { externalDocs: { description, url: link } }),
    'x-versions': lives,
  }
}

function day(moment: Date | string): string {
  return new Date(moment).toISOString()
}
