import type { Verb } from '../contract/kernel.ts'
import { momentOf } from '../settings/version-facts.ts'
import type { JSONSchema } from '../types/documents.ts'
import { Components, withExamples } from './components.ts'
import { nameIn, nounsOf, operationIdOf, tagOf } from './names.ts'
import { describeOperation } from './operation.ts'
import { type Described, type Operation, type Placed, placeIn, versionsAt } from './place.ts'

/** What documents are made of. */
export interface Subject {
  readonly endpoints: readonly Described[]
  /** Scheme and host that the service is reached at: `https://api.example.com`; `null`: wherever the document is. */
  readonly origin: string | null
  /** Names of hosts that it may be reached by. */
  readonly hosts: readonly string[]
  /** Where the document of another version is. */
  readonly linkTo?: (version: string) => string
}

/** What nothing in the code says. */
export interface DocumentInfo {
  /** @default that of the pages for people */
  readonly title?: string
  readonly description?: string
  /** `info.version` of the document of a service without versions. @default '1' */
  readonly release?: string
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string }
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string }
  readonly termsOfService?: string
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

/** Every version that some endpoint has, in the order in which they are allowed; none: the service has no versions. */
export function versionsOf({ endpoints }: Pick<Subject, 'endpoints'>): readonly string[] {
  const lists = endpoints.map(versionsAt)
  const longestFirst = lists.toSorted((a, b) => b.length - a.length)
  return [...new Set(longestFirst.flat())]
}

/** The document of one version; `null`: of requests that have none. */
export function documentOf(
  subject: Subject,
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
  return {
    openapi: '3.1.0',
    info: infoOf(subject, version, info),
    servers: [{ url: origin ?? '/' }],
    ...lifeOf(subject, version),
    tags: tags.map((name) => tagFor(name, operations)),
    paths,
    components: hasExamples ? withExamples(components) : components.toJSON(),
  }
}

/** With what the list of its objects says of itself, or else the endpoint of that name. */
function tagFor(name: string, operations: readonly Operation[]): JSONSchema {
  const own = operations.filter(({ noun }) => tagOf(noun) === name)
  const about = own.find(({ noun, placed }) => [`${noun}-list`, noun].includes(nameIn(placed)))
  const description = about?.placed.endpoint.description ?? ''
  return description === '' ? { name } : { name, description }
}

interface Tagged {
  readonly tags?: readonly string[]
}

function operationsIn(subject: Subject, version: string | null): readonly Operation[] {
  const hosts = [
    ...(subject.origin === null ? [] : [new URL(subject.origin).hostname]),
    ...subject.hosts,
  ]
  const all = subject.endpoints
    .map((endpoint) => placeIn(version, endpoint, hosts))
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

/** Of two addresses that differ in the names of parameters only, the first is shown: it is the one that is tried first. */
function pathsOf(
  operations: readonly Operation[],
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

/** A version that is in the host has a server of its own. */
function serversOf({ host, version }: Placed, origin: string | null): Record<string, unknown> {
  if (host === null) return {}
  const name = host.replace(version!, '{version}')
  const base = origin === null ? null : new URL(origin)
  const port = base === null || base.port === '' ? '' : `:${base.port}`
  // Without a scheme it is that of the document.
  const url = `${base?.protocol ?? ''}//${name}${port}`
  return { servers: [{ url, variables: { version: { enum: [version], default: version } } }] }
}

function infoOf(subject: Subject, version: string | null, info: DocumentInfo): JSONSchema {
  const { title, release = '1', ...more } = info
  const shown = title ?? subject.endpoints[0]?.settings.browsable.title ?? 'API'
  return { title: shown, version: version ?? release, ...more }
}

/** The version among its neighbours. */
function lifeOf(subject: Subject, version: string | null): JSONSchema {
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
  return new Date(momentOf(moment)!).toISOString()
}
