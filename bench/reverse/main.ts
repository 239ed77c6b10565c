// The cost of a link within a request, by scheme: nanoseconds of a `reverse` of a route with one number, beside the
// concatenation that a handler would write by hand.
import {
  AcceptHeaderVersioning,
  type App,
  HostNameVersioning,
  NamespaceVersioning,
  QueryParameterVersioning,
  URLPathVersioning,
  configurationOf,
  defineApi,
  defineUrls,
  include,
} from 'colophon'
import type { VersioningScheme } from 'colophon/types'
import { client } from 'colophon/testing'

/** The links of an answer: a hundred rows with five each. */
const LINKS = 500
const ROUNDS = 400
const WARM = 100

/** A handler's way to make the links of an answer. */
type Work = (request: {
  readonly origin: string
  readonly reverse: (name: string, params: object) => string
}) => string

interface Case {
  readonly name: string
  readonly versioning: VersioningScheme | null
  readonly path: string
  readonly host?: string
}

const CASES: readonly Case[] = [
  { name: 'no scheme', versioning: null, path: '/plain/' },
  { name: 'Accept header', versioning: new AcceptHeaderVersioning(), path: '/plain/' },
  { name: 'URL path', versioning: new URLPathVersioning(), path: '/v1/in-path/' },
  { name: 'namespace', versioning: new NamespaceVersioning(), path: '/n/v1/plain/' },
  {
    name: 'host name',
    versioning: new HostNameVersioning(),
    path: '/plain/',
    host: 'v1.example.com',
  },
  {
    name: 'query parameter',
    versioning: new QueryParameterVersioning(),
    path: '/plain/?version=v1',
  },
]

for (const { name, versioning, path, host = 'localhost' } of CASES) {
  const target = path.includes('in-path') ? 'in-path-detail' : 'plain-detail'
  const framework = appOf(versioning, ({ reverse }) => links((id) => reverse(target, { id })))
  const byHand = appOf(versioning, ({ origin }) => links((id) => `${origin}/plain/${id}/`))
  const nanoseconds = await nanosecondsOf(framework, byHand, path, host)
  console.log(
    `${name.padEnd(16)} ${nanoseconds.map((each) => each.toFixed(0).padStart(5)).join('  by hand ')}`,
  )
}

function links(link: (id: number) => string): string {
  let last = ''
  for (let id = 1; id <= LINKS; id++) last = link(id)
  return last
}

/** Measures both in turns, so that the machine favours neither, and takes the median of each. */
async function nanosecondsOf(
  ...[first, second, path, host]: [App, App, string, string]
): Promise<number[]> {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS + WARM; round++) {
    for (const [index, app] of [first, second].entries()) {
      const { data } = await client(app).get(path, { headers: { host } })
      if (round >= WARM) times[index]!.push((data as { time: number }).time)
    }
  }
  return times.map((each) => each.toSorted((a, b) => a - b)[ROUNDS / 2]! / LINKS)
}

function appOf(versioning: VersioningScheme | null, work: Work): App {
  const plain = { plain: '/plain/', 'plain-detail': '/plain/:id<int>/' } as const
  const urls = defineUrls({
    ...plain,
    'in-path': '/:version<v1|v2>/in-path/',
    'in-path-detail': '/:version<v1|v2>/in-path/:id<int>/',
    v1: include('/n/v1', plain),
    v2: include('/n/v2', plain),
  })
  const api = defineApi({ urls, versioning, allowedVersions: ['v1', 'v2', null] })
  const timed = (request: unknown) => {
    const started = process.hrtime.bigint()
    const last = work(request as Parameters<Work>[0])
    return { time: Number(process.hrtime.bigint() - started), last }
  }
  return api.serve(
    [
      api.endpoint('plain').get(timed),
      api.endpoint('in-path').get(timed),
      api.endpoint('plain-detail').get(() => null),
      api.endpoint('in-path-detail').get(() => null),
      api.endpoint('v1:plain').get(timed),
      api.endpoint('v2:plain').get(timed),
      api.endpoint('v1:plain-detail').get(() => null),
      api.endpoint('v2:plain-detail').get(() => null),
    ],
    { configuration: configurationOf({ ALLOWED_HOSTS: ['*'] }) },
  )
}
