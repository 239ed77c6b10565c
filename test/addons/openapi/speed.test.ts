// What documents cost; `npm run bench -- documents` has the figures.
import { expect, test } from 'vitest'
import {
  QueryParameterVersioning,
  arraySource,
  configurationOf,
  defineApi,
  field,
  list,
  serializer,
} from '../../../src/index.ts'
import type { Address } from '../../../src/types.ts'
import { openApiDocument } from '../../../src/openapi.ts'
import { runIn } from '../../house/loaded.ts'
import { expectLinear } from '../../setup/linear.ts'

function service(size: number) {
  const names = Array.from({ length: size }, (_, at) => `kind${at}-list`)
  const urls: Record<string, Address> = {}
  for (const name of names) urls[name] = `/${name}/`
  const api = defineApi({
    urls,
    versioning: new QueryParameterVersioning(),
    allowedVersions: ['v1', 'v2'],
  })
  const source = arraySource([{ id: 1 }])
  const shown = () => serializer({ id: field.integer() })
  const endpoints = names.map((name) =>
    api.endpoint(name).get(list({ source, serializer: shown() })),
  )
  return api.serve(endpoints, { configuration: configurationOf() })
}

test('a document costs what its endpoints cost, and not the square of it', async () => {
  const apps = new Map([50, 400].map((size) => [size, service(size)]))
  await expectLinear((size) => openApiDocument(apps.get(size)!), { size: 50 })
})

test('a service that has none loads nothing of it', async () => {
  const program = `
    import { defineApi } from 'colophon'
    const api = defineApi({ urls: { hello: '/hello/' } })
    const app = api.serve([api.endpoint('hello').get(() => 'Hello')])
    console.log((await app.fetch(new Request('http://localhost/hello/'))).status)`
  const { printed, loaded } = await runIn(process.cwd(), program)
  expect(printed).toBe('200')
  expect(loaded.filter((url) => url.includes('/src/openapi'))).toEqual([])
})
