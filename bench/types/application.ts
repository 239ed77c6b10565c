// A large application in the style of this project, as text: 300 routes, 250 endpoints. Its client calls each once.

/** File names with their TypeScript. */
export type Files = Readonly<Record<string, string>>

/** The endpoint's name in the table, and whether its path has an id. */
interface Named {
  readonly name: string
  readonly detail: boolean
}

const resources = (kind: string, count: number): Named[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `${kind}-${Math.floor(index / 2)}-${index % 2 ? 'detail' : 'list'}`,
    detail: index % 2 === 1,
  }))

const top = resources('article', 120)
const shared = resources('report', 50)
const first = resources('invoice', 50)
const staff = resources('member', 30)

/** The names with an endpoint: one endpoint serves a name of both versions. */
const endpoints: readonly Named[] = [
  ...top,
  ...shared,
  ...first.map(({ name, detail }) => ({ name: `v1:${name}`, detail })),
  ...staff.map(({ name, detail }) => ({ name: `v2:staff:${name}`, detail })),
]

export const size = {
  routes: top.length + 2 * shared.length + first.length + staff.length,
  endpoints: endpoints.length,
} as const

/** Writes the whole application: addresses, the API, endpoints in files of ten, and the module that serves them. */
export function writeApplication(): Files {
  const rooms = Array.from({ length: endpoints.length / 10 }, (_, index) => index)
  return {
    'urls.ts': urlsFile(),
    'api.ts': apiFile,
    ...Object.fromEntries(
      rooms.map((room) => [
        `room-${room}.ts`,
        roomFile(endpoints.slice(room * 10, room * 10 + 10)),
      ]),
    ),
    'app.ts': appFile(rooms),
  }
}

/** Writes the application, and a program that calls each endpoint once. */
export function writeClient(): Files {
  return { ...writeApplication(), 'client.ts': clientFile() }
}

function clientFile(): string {
  return `import { createClient } from 'colophon/client'
import type { app } from './app.ts'

const client = createClient<typeof app>({ baseUrl: '', routes: {}, version: null })

${[...top, ...shared.map(inEdition('v1')), ...first.map(inEdition('v1')), ...staff.map(inEdition('v2:staff'))].map(call).join('\n')}
`
}

const inEdition =
  (edition: string) =>
  ({ name, detail }: Named): Named => ({ name: `${edition}:${name}`, detail })

function call({ name, detail }: Named, index: number): string {
  const params = [name.includes('staff') && `team: 'red'`, detail && `id: ${index}`].filter(Boolean)
  const options = params.length > 0 ? `, { params: { ${params.join(', ')} } }` : ''
  return `export const answer${index} = await client.get('${name}'${options})`
}

function urlsFile(): string {
  return `import { defineUrls, include } from 'colophon'

export const urls = defineUrls({
${addresses(top)}
  v1: include('/v1', {
${addresses([...shared, ...first])}
  }),
  v2: include('/v2', {
${addresses(shared)}
    staff: include('/staff/:team<slug>', {
${addresses(staff)}
    }),
  }),
})
`
}

function addresses(list: readonly Named[]): string {
  return list
    .map(({ name, detail }) => {
      const path = name.replace(/-(?:list|detail)$/, '')
      return `'${name}': '/${path}/${detail ? ':id<int>/' : ''}',`
    })
    .join('\n')
}

const apiFile = `import { defineApi } from 'colophon'
import { urls } from './urls.ts'

interface Member { readonly isAuthenticated: true; readonly id: number; readonly name: string }
const ada: Member = { isAuthenticated: true, id: 1, name: 'Ada' }

export const api = defineApi({
  urls,
  authentication: [{ authenticate: () => ({ user: ada, auth: { key: 'k' } }) }],
  pageSize: 20,
})

const isMember: { hasPermission(): boolean; readonly '~grants'?: { readonly isAuthenticated: true } } = { hasPermission: () => true }
export const members = api.group({ permissions: [isMember] })
`

function roomFile(list: readonly Named[]): string {
  return `import { api, members } from './api.ts'

${list.map((named, index) => (named.detail ? detailEndpoint(named, index) : listEndpoint(named, index))).join('\n')}`
}

function listEndpoint({ name }: Named, index: number): string {
  return `export const endpoint${index} = members.endpoint('${name}', { pageSize: ${index + 10} })
  .get(({ user, version, reverse }) => ({ owner: user.name, version, first: reverse('article-0-detail', { id: 1 }) }))
  .post(async (request) => ({ id: request.user.id, sent: await request.body() }))
`
}

function detailEndpoint({ name }: Named, index: number): string {
  return `export const endpoint${index} = api.endpoint('${name}')
  .get(({ params, auth, reverse }) => ({ id: params.id + 1, key: auth?.key, all: reverse('article-0-list') }))
  .put(({ params, user }) => ({ id: params.id, by: user.isAuthenticated ? user.name : null }))
  .delete(() => null)
`
}

const endpointNames = Array.from({ length: 10 }, (_, index) => `endpoint${index}`)

function appFile(rooms: readonly number[]): string {
  return `import { api } from './api.ts'
${rooms.map((room) => `import * as room${room} from './room-${room}.ts'`).join('\n')}

export const app = api.serve([
${rooms.flatMap((room) => endpointNames.map((name) => `  room${room}.${name},`)).join('\n')}
])
`
}
