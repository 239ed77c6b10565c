import { describe, expect, test } from 'vitest'
import {
  NamespaceVersioning,
  configurationOf,
  defineApi,
  defineUrls,
  include,
} from '../../../src/index.ts'
import { client } from '../../../src/testing.ts'

// What compiles here must be found: nothing below is cast, so the types are the claim and the answers the proof.
const urls = defineUrls({
  contact: '/contact/',
  same: '/same/',
  v1: include('/v1', {
    list: '/list/',
    detail: '/list/:id<int>/',
    narrow: '/narrow/:kind<a|b>/',
    two: ['/two/', '/two/:page<int>/'],
    same: '/same/:id<int>/',
    old: '/old/',
    staff: include('/staff/:team<slug>', { member: '/:id<int>/' }),
  }),
  v2: include('/v2', {
    list: '/list/',
    detail: '/things/:id<int>/',
    narrow: '/narrow/:kind/',
    two: ['/both/:page<int>/', '/both/:page<int>/:size<int>/'],
    fresh: '/fresh/',
    staff: include('/staff/:team<slug>', { member: '/:id<int>/', boss: '/boss/' }),
  }),
  library: include('/library', {
    v2: include('/v2', { books: '/books/', rare: include('/rare', { room: '/room/' }) }),
  }),
})
const api = defineApi({
  urls,
  versioning: new NamespaceVersioning(),
  allowedVersions: ['v1', 'v2'],
})
const team = 'red'
const nothing = () => null

const app = api.serve(
  [
    api
      .endpoint('list')
      .get(({ reverse }) => [
        reverse('list'),
        reverse('detail', { id: 7 }),
        reverse('narrow', { kind: 'a' }),
        reverse('two', { page: 2 }),
        reverse('staff:member', { team, id: 7 }),
        reverse('contact'),
        reverse('v2:fresh'),
      ]),
    api
      .endpoint('v1:old')
      .get(({ reverse }) => [
        reverse('old'),
        reverse('two'),
        reverse('two', { page: 2 }),
        reverse('same'),
        reverse('same', { id: 7 }),
        reverse('v2:two', { page: 2, size: 9 }),
      ]),
    api
      .endpoint('staff:member')
      .get(({ reverse, params }) => [
        reverse('list'),
        reverse('member', params),
        reverse('staff:member', params),
      ]),
    api
      .endpoint('library:v2:rare:room')
      .get(({ reverse }) => [
        reverse('room'),
        reverse('books'),
        reverse('rare:room'),
        reverse('fresh'),
        reverse('detail', { id: 7 }),
      ]),
    api
      .endpoint('contact', { defaultVersion: 'v2' })
      .get(({ reverse }) => [reverse('fresh'), reverse('contact'), reverse('list')]),
    ...(['detail', 'narrow', 'two', 'same', 'fresh', 'staff:boss', 'v2:books'] as const).map(
      (name) => api.endpoint(name).get(nothing),
    ),
  ],
  { configuration: configurationOf() },
)

describe('what the types let through is found', () => {
  test.each([
    [
      '/v1/list/',
      '/v1/list/ /v1/list/7/ /v1/narrow/a/ /v1/two/2/ /v1/staff/red/7/ /contact/ /v2/fresh/',
    ],
    [
      '/v2/list/',
      '/v2/list/ /v2/things/7/ /v2/narrow/a/ /v2/both/2/ /v2/staff/red/7/ /contact/ /v2/fresh/',
    ],
    ['/v1/old/', '/v1/old/ /v1/two/ /v1/two/2/ /same/ /v1/same/7/ /v2/both/2/9/'],
    ['/v1/staff/red/7/', '/v1/list/ /v1/staff/red/7/ /v1/staff/red/7/'],
    ['/v2/staff/red/7/', '/v2/list/ /v2/staff/red/7/ /v2/staff/red/7/'],
    [
      '/library/v2/rare/room/',
      '/library/v2/rare/room/ /library/v2/books/ /library/v2/rare/room/ /v2/fresh/ /v2/things/7/',
    ],
    ['/contact/', '/v2/fresh/ /contact/ /v2/list/'],
  ])('%s', async (path, links) => {
    const { data } = await client(app).get(path)
    expect(data).toEqual(links.split(' ').map((link) => `http://localhost${link}`))
  })
})
