import { describe } from 'vitest'
import {
  type App,
  JSONRenderer,
  NamespaceVersioning,
  URLPathVersioning,
  configurationOf,
  defineApi,
  include,
} from '../../src/index.ts'
import type { VersioningScheme } from '../../src/types.ts'
import { type Row, throughDoors } from './doors.ts'
import { DETAIL, notebook } from './fixtures.ts'
import { KINDS, SCHEMES, type Scheme } from './versioned-asks.ts'

const here = { here: '/here/' } as const
const urls = {
  here: ['/here/', '/:version/here/'] as const,
  v1: include('/n/v1', { ...here, v2: include('/v2', here) }),
  v9: include('/n/v9', here),
}
const renderers = [new JSONRenderer()]
/** The same addresses for every scheme; the answer tells the version, and builds a link in it. */
function serving(versioning: VersioningScheme, allowedVersions: readonly string[] | null): App {
  const api = defineApi({ urls, versioning, allowedVersions, renderers, logger: notebook() })
  const names = ['here', 'v1:here', 'v1:v2:here', 'v9:here'] as const
  // Under the other schemes a namespace is no place for a version.
  const inNamespaces = versioning instanceof NamespaceVersioning ? {} : { versioning: null }
  return api.serve(
    names.map((name) =>
      api.endpoint(name, name === 'here' ? {} : inNamespaces).get((request) => {
        const reverse = request.reverse as (name: string) => string
        return { version: request.version, linked: typeof reverse('here') === 'string' }
      }),
    ),
    { configuration: configurationOf({ ALLOWED_HOSTS: ['*'] }) },
  )
}

function rowsOf(asks: Scheme['asks'], answers: Scheme['listed']): Row[] {
  return KINDS.flatMap((kind): Row[] => {
    const [path, headers = {}] = asks[kind]
    const answer = answers[kind]
    const expected =
      typeof answer === 'number'
        ? { status: answer, data: DETAIL }
        : { status: 200, data: { version: answer, linked: true } }
    const repaired = 'host' in headers && (kind === 'malformed' || kind === 'repeated')
    return [
      [
        `${kind}: ${typeof answer === 'number' ? answer : JSON.stringify(answer)}`,
        `GET ${path}`,
        expected,
        {
          headers,
          ...(repaired && { cannot: ['fetch door', 'the platform has no such host'] }),
        },
      ],
    ]
  })
}

describe.each(SCHEMES)('$name', ({ versioning, asks, listed, free }) => {
  describe('V8, V10 with the list v1, v2', () => {
    throughDoors(serving(versioning, ['v1', 'v2']), rowsOf(asks, listed))
  })
  describe('V3, V7 without a list', () => {
    throughDoors(serving(versioning, null), rowsOf(asks, free))
  })
})

describe('V6 no link could be in the version ".."', () => {
  throughDoors(serving(new URLPathVersioning(), null), [
    [
      'so there is none',
      'GET /%2e%2e/here/',
      { status: 404, data: DETAIL },
      { cannot: ['fetch door', 'the platform resolves it'] },
    ],
    [
      'nor "."',
      'GET /%2e/here/',
      { status: 404, data: DETAIL },
      { cannot: ['fetch door', 'the platform resolves it'] },
    ],
    [
      'three dots are one',
      'GET /.../here/',
      { status: 200, data: { version: '...', linked: true } },
    ],
    [
      'a slash in it stays in it',
      'GET /v%2F1/here/',
      { status: 200, data: { version: 'v/1', linked: true } },
    ],
  ])
})
