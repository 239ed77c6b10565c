// `npm run bench -- documents`: CPU time for the OpenAPI documents of 300 endpoints in 10 versions, and for answering with a
// finished one. Fails above its budgets: a second for all documents, 50 ms for one.
import {
  FieldFilter,
  OrderingFilter,
  PageNumberPagination,
  URLPathVersioning,
  arraySource,
  configurationOf,
  create,
  defineApi,
  field,
  list,
  serializer,
} from 'colophon'
import type { Address } from 'colophon/types'
import { openApi, openApiDocuments } from 'colophon/openapi'
import { client } from 'colophon/testing'

const VERSIONS = Array.from({ length: 10 }, (_, at) => `v${at + 1}`)
const row = { id: 1, title: 'One', price: '2.50', pages: 7 }

function service(size: number) {
  const names = Array.from({ length: size }, (_, at) => `kind${at}-list`)
  const paths: Record<string, Address> = { openapi: '/openapi.json' }
  for (const name of names) paths[name] = `/:version<${VERSIONS.join('|')}>/${name}/`
  const api = defineApi({
    urls: paths,
    versioning: new URLPathVersioning(),
    allowedVersions: VERSIONS,
    pagination: new PageNumberPagination({ pageSize: 20, pageSizeQueryParam: 'size' }),
    filters: [new FieldFilter(), new OrderingFilter()],
  })
  const endpoints = names.map((name) => {
    const kind = serializer({
      id: field.integer({ readOnly: true }),
      title: field.text({ maxLength: 200 }),
      price: field.decimal({ maxDigits: 8, decimalPlaces: 2 }),
      pages: field.integer({ since: 'v3' }),
    })
    const fields = { filterFields: ['id'], orderingFields: ['id'] } as const
    const listed = list({ source: arraySource([row]), serializer: kind, ...fields })
    return api
      .endpoint(name)
      .get(listed)
      .post(create({ serializer: kind, save: () => row }))
  })
  const openapi = api.endpoint('openapi', { versioning: null }).get(openApi())
  return api.serve([...endpoints, openapi], { configuration: configurationOf() })
}

async function milliseconds(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function report(what: string, cost: number, budget: number): void {
  const isOver = cost > budget
  console.log(`${what}: ${cost.toFixed(1)} ms, ${isOver ? 'OVER' : 'within'} ${budget} ms`)
  if (isOver) process.exitCode = 1
}

const app = service(300)
report('documents of 10 versions', await milliseconds(() => openApiDocuments(app)), 1000)
const asked = client(app)
const ask = () => asked.get('/openapi.json?version=v1')
await ask()
const hundred = await milliseconds(async () => {
  for (let at = 0; at < 100; at++) await ask()
})
report('one that was made', hundred / 100, 50)
