// The same thousand resources in ten versions, as text: once with a namespace for each version, once with the
// version in the path.
import type { Files } from './application.ts'

const versions = Array.from({ length: 10 }, (_, index) => `v${index + 1}`)
const resources = Array.from({ length: 500 }, (_, index) => `thing-${index}`)
const inRooms = Array.from({ length: 20 }, (_, room) => resources.slice(room * 25, room * 25 + 25))
const listed = versions.map((version) => `'${version}'`).join(', ')

export const size = { routes: 2 * resources.length, versions: versions.length } as const

/** Writes a table for every version, 10,000 addresses in all; every endpoint serves all ten. */
export function writeNamespaces(): Files {
  return {
    'urls.ts': `import { defineUrls, include } from 'colophon'

export const urls = defineUrls({
${versions.map((version) => `  ${version}: include('/${version}', {\n${addresses('')}\n  }),`).join('\n')}
})
`,
    ...application('NamespaceVersioning'),
  }
}

/** Writes one table, in which every path has the version as a parameter. */
export function writePaths(): Files {
  return {
    'urls.ts': `import { defineUrls } from 'colophon'

export const urls = defineUrls({
${addresses(`/:version<${versions.join('|')}>`)}
})
`,
    ...application('URLPathVersioning'),
  }
}

function addresses(prefix: string): string {
  return resources
    .map(
      (name) =>
        `    '${name}-list': '${prefix}/${name}/',\n    '${name}-detail': '${prefix}/${name}/:id<int>/',`,
    )
    .join('\n')
}

function application(scheme: string): Files {
  const rooms = inRooms.map((names, index) => [`room-${index}.ts`, roomFile(names)] as const)
  return { 'api.ts': apiFile(scheme), ...Object.fromEntries(rooms), 'app.ts': appFile() }
}

const apiFile = (scheme: string): string => `import { ${scheme}, defineApi } from 'colophon'
import { urls } from './urls.ts'

export const api = defineApi({
  urls,
  versioning: new ${scheme}(),
  allowedVersions: [${listed}],
})
`

function roomFile(names: readonly string[]): string {
  return `import { byVersion } from 'colophon'
import { api } from './api.ts'

const title = byVersion({ ${versions.map((version) => `${version}: '${version}'`).join(', ')} })

${names.map(endpoints).join('\n')}
`
}

const endpoints = (name: string, index: number): string => `
export const list${index} = api.endpoint('${name}-list')
  .get((request) => ({ title: title(request), first: request.reverse('${name}-detail', { id: 1 }) }))
export const detail${index} = api.endpoint('${name}-detail')
  .get(({ params, reverse }) => ({ next: reverse('${name}-detail', { id: params.id + 1 }), all: reverse('${name}-list') }))`

function appFile(): string {
  const rooms = inRooms.map((_, index) => index)
  return `import { api } from './api.ts'
${rooms.map((room) => `import * as room${room} from './room-${room}.ts'`).join('\n')}

export const app = api.serve([
${rooms.map((room) => `  ...Object.values(room${room}),`).join('\n')}
])
`
}
