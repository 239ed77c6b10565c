import { type ApiRequest, configurationOf, defineApi } from '../../../src/index.ts'
import type { UrlTable, VersioningScheme } from '../../../src/types.ts'

/** How the service is made that a request comes to. */
export interface Around {
  readonly urls: UrlTable
  readonly versioning?: VersioningScheme | null
  readonly formatSuffixes?: readonly string[]
}

/** Requests as handlers get them: to these addresses, GET. Every address answers. */
export async function requestsTo(
  { urls, versioning = null, ...options }: Around,
  targets: readonly (string | Request)[],
): Promise<readonly ApiRequest[]> {
  const api = defineApi({ urls, versioning, ...options })
  const asked: ApiRequest[] = []
  const endpoints = namesIn(urls).map((name) =>
    api.endpoint(name as never).get((request: ApiRequest) => {
      asked.push(request)
      return null
    }),
  )
  const configuration = configurationOf({ ALLOWED_HOSTS: ['*'] })
  const app = api.serve(endpoints, { configuration })
  for (const target of targets) {
    const request = typeof target === 'string' ? new Request(`http://localhost${target}`) : target
    const { status } = await app.fetch(request)
    if (status !== 200 && status !== 204) throw new Error(`${request.url} was answered ${status}.`)
  }
  return asked
}

function namesIn(urls: UrlTable, namespace = ''): string[] {
  return Object.entries(urls).flatMap(([name, entry]) =>
    typeof entry === 'object' && 'table' in entry
      ? namesIn(entry.table, `${namespace}${name}:`)
      : [`${namespace}${name}`],
  )
}
