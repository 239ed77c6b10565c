// Ways to read a list with cursors: the style alone, or the whole application.
import type { LinkedPage } from '../../src/core/ports/policies/pagination.ts'
import type { ApiRequest } from '../../src/core/ports/request.ts'
import type { SeekableSource, SortKey } from '../../src/core/ports/list-source.ts'
import { configurationOf, defineApi, list } from '../../src/index.ts'
import { CursorPagination } from '../../src/policies/pagination/cursor.ts'
import { Query } from '../../src/core/std/http/query.ts'
import { Seal } from '../../src/core/secrets/seal.ts'
import { client } from '../../src/testing.ts'
import type { Ask, SeenPage } from './walk.ts'

export interface Labelled {
  readonly label: number
}

/** A list, its order, and how much of it a page shows. */
export interface Reading {
  readonly source: SeekableSource<Labelled, string>
  readonly keys: readonly SortKey[]
  readonly size: number
}

const SECRET = 'a secret of the proofs, and of nobody else'
const seals = new Seal('texts', () => [SECRET])

/** Through `CursorPagination` and nothing else: for many pages. */
export function throughStyle({ source, keys, size }: Reading): Ask {
  const style = new CursorPagination({ pageSize: size, ordering: keys })
  return async (address) => {
    const page = await style.paginate(source, incoming(address))
    return seen(page!, page!.rows as readonly Labelled[])
  }
}

/** Through addresses, settings, seals, links and JSON of an application. */
export function throughApplication({ source, keys, size }: Reading): Ask {
  const api = defineApi({ urls: { proof: '/proof/' } })
  const endpoint = api
    .endpoint('proof', { pagination: new CursorPagination({ pageSize: size, ordering: keys }) })
    .get(list({ source, serializer: { represent: ({ label }: Labelled) => ({ label }) } }))
  const configuration = configurationOf({ SECRET_KEY: SECRET })
  const { get } = client(api.serve([endpoint], { configuration }))
  return async (address) => {
    const { status, data, text } = await get(address?.replace('http://localhost', '') ?? '/proof/')
    if (status !== 200) throw new Error(`${address} was answered ${status}: ${text}`)
    const page = data as LinkedPage & { readonly results: readonly Labelled[] }
    return seen(page, page.results)
  }
}

function seen(
  { next, previous }: Pick<LinkedPage, 'next' | 'previous'>,
  rows: readonly Labelled[],
): SeenPage {
  return { labels: rows.map(({ label }) => label), next, previous }
}

/** As much of a request as a style looks at. */
function incoming(address: string | null): ApiRequest {
  const query = Query.parse(address === null ? '' : new URL(address).search.slice(1))
  const [origin, path, endpointName] = ['http://localhost', '/proof/', 'proof']
  return {
    origin,
    path,
    endpointName,
    params: {},
    version: null,
    query,
    seals,
    settings: { pageSize: null },
  } as unknown as ApiRequest
}
