// What programs read where a version is unknown, and where they learn which ones there are.
import { describe, expect, test } from 'vitest'
import {
  AcceptHeaderVersioning,
  NamespaceVersioning,
  QueryParameterVersioning,
  URLPathVersioning,
  configurationOf,
  defineApi,
  defineUrls,
  include,
} from '../../../src/index.ts'
import { openApiDocument } from '../../../src/openapi.ts'
import { client } from '../../../src/testing.ts'

const PROBLEM = 'application/problem+json'
const quiet = { configuration: configurationOf() }

function served(versioning: object, urls: { readonly city: string }) {
  const api = defineApi({ urls, versioning, allowedVersions: ['v1', 'v2'] } as {
    urls: { city: '/city/' }
  })
  return api.serve([api.endpoint('city').get(() => 'Bergen')], quiet)
}

describe('the code of an unknown version', () => {
  test.each([
    [new QueryParameterVersioning(), '/city/', '/city/?version=v9', {}, 404],
    [new URLPathVersioning(), '/:version/city/', '/v9/city/', {}, 404],
    [new AcceptHeaderVersioning(), '/city/', '/city/', { version: 'v9' }, 406],
  ] as const)('%o', async (versioning, city, target, { version }: { version?: string }, status) => {
    const app = served(versioning, { city })
    const suffix = version === undefined ? '' : `; version=${version}`
    const accept = `${PROBLEM}, application/json${suffix}`
    const answer = await client(app).expectContract().get(target, { headers: { accept } })
    expect(answer.status).toBe(status)
    expect(answer.data).toMatchObject({ code: 'unknown_version' })
    const [item] = Object.values(openApiDocument(app).paths) as { get: { responses: object } }[]
    const response = JSON.stringify(openApiDocument(app).components)
    expect(Object.keys(item!.get.responses)).toContain(String(status))
    expect(response).toContain('unknown_version')
  })
})

describe('OPTIONS', () => {
  test('says which versions an endpoint has', async () => {
    const app = served(new QueryParameterVersioning(), { city: '/city/' })
    const { data } = await client(app).options('/city/?version=v1')
    expect(data).toMatchObject({ name: 'City', versions: ['v1', 'v2'] })
  })

  test('nothing of the kind where there are none', async () => {
    const api = defineApi({ urls: { city: '/city/' } })
    const app = api.serve([api.endpoint('city').get(() => 'Bergen')], quiet)
    expect((await client(app).options('/city/')).data).not.toHaveProperty('versions')
  })

  test('those of namespaces, too', async () => {
    const paths = defineUrls({ city: '/city/' })
    const api = defineApi({
      urls: defineUrls({ v1: include('/v1', paths), v2: include('/v2', paths) }),
      versioning: new NamespaceVersioning(),
      allowedVersions: ['v1', 'v2'],
    })
    const app = api.serve([api.endpoint('city').get(() => 'Bergen')], quiet)
    expect((await client(app).options('/v2/city/')).data).toMatchObject({ versions: ['v1', 'v2'] })
  })
})
