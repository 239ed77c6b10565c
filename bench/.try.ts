import {
  defineApi,
  defineUrls,
  include,
  list,
  PageNumberPagination,
  URLPathVersioning,
  configurationOf,
  IsAuthenticated,
  byVersion,
  NotFound,
} from 'colophon'
import { client } from 'colophon/testing'
import { serve } from 'colophon/node'
const urls = defineUrls({
  hello: '/hello/',
  nums: '/:version<v1|v2>/nums/',
  num: '/:version<v1|v2>/nums/:id<int>/',
  me: '/me/',
  err: '/err/',
  echo: '/echo/',
})
const rows = Array.from({ length: 45 }, (_, i) => ({ id: i + 1 }))
const src = { count: () => rows.length, slice: (o: number, l: number) => rows.slice(o, o + l) }
const api = defineApi({
  urls,
  versioning: new URLPathVersioning(),
  allowedVersions: ['v1', 'v2'],
  pagination: new PageNumberPagination(),
  pageSize: 10,
  defaultVersion: 'v1',
})
const hello = api.endpoint('hello').get(() => ({ hello: 'world' }))
const nums = api
  .endpoint('nums')
  .get(
    list({
      source: src,
      serializer: byVersion({
        v1: { represent: (r: { id: number }) => r.id },
        v2: {
          represent: (r: { id: number }, q) => ({ id: r.id, url: q.reverse('num', { id: r.id }) }),
        },
      }),
    }),
  )
const num = api
  .endpoint('num')
  .get(({ params, reverse, version }) => ({
    id: params.id,
    version,
    self: reverse('num', { id: params.id }),
  }))
const me = api.endpoint('me', { permissions: [new IsAuthenticated()] }).get(({ user }) => user)
const err = api.endpoint('err').get(() => {
  throw new Error('boom')
})
const echo = api.endpoint('echo').post(async (r) => ({ got: await r.body() }))
const app = api.serve([hello, nums, num, me, err, echo], { configuration: configurationOf() })
const c = client(app)
for (const [m, p, o] of [
  ['GET', '/hello/'],
  ['GET', '/v2/nums/?page=2'],
  ['GET', '/v1/nums/?page=last'],
  ['GET', '/v3/nums/'],
  ['GET', '/v2/nums/7/'],
  ['GET', '/me/'],
  ['GET', '/me/', { as: { isAuthenticated: true } }],
  ['GET', '/err/'],
  ['OPTIONS', '/hello/'],
  ['DELETE', '/hello/'],
  ['GET', '/nope'],
  ['GET', '/%zz'],
  ['POST', '/echo/', { json: { a: 1 } }],
  ['POST', '/echo/', { body: '{', headers: { 'content-type': 'application/json' } }],
  ['GET', '/hello/', { headers: { accept: 'text/html' } }],
  ['GET', '/nope', { headers: { accept: 'application/problem+json' } }],
  ['GET', '/hello/', { headers: { host: 'evil.com' } }],
  ['HEAD', '/hello/'],
] as any) {
  const r = await c.request(m, p, o)
  console.log(
    m,
    p,
    r.status,
    r.header('allow'),
    r.header('vary'),
    r.text.slice(0, 200).replace(/\n/g, ' '),
  )
}
const s = await serve(app, { port: 0 })
console.log(await (await fetch(s.url + '/v2/nums/?page=3')).text())
console.log(
  (
    await fetch(s.url + '/echo/', {
      method: 'POST',
      body: 'x'.repeat(3e6),
      headers: { 'content-type': 'application/json' },
    })
  ).status,
)
await s.close()
