import { describe, expect, test } from 'vitest'
import {
  type ApiRequest,
  NamespaceVersioning,
  configurationOf,
  defineApi,
  defineUrls,
  include,
} from '../../../src/index.ts'
import { client } from '../../../src/testing.ts'

const leaf = { here: '/here/', item: '/items/:id<int>/' } as const
const urls = defineUrls({
  here: '/here/',
  item: '/items/:id<int>/',
  contact: '/contact/',
  v1: include('/v1', {
    ...leaf,
    old: '/old/',
    admin: include('/admin', { ...leaf, panel: '/panel/' }),
  }),
  v2: include('/v2', { ...leaf, fresh: '/fresh/' }),
  shop: include('/shop', {
    till: '/till/',
    v1: include('/v1', { ...leaf, order: '/order/' }),
    v2: include('/v2', {
      ...leaf,
      order: '/order/',
      back: include('/back', { here: '/here/', stock: '/stock/' }),
    }),
  }),
})
const names = [
  'here',
  'item',
  'contact',
  'v1:here',
  'v1:item',
  'v1:old',
  'v1:admin:here',
  'v1:admin:item',
  'v1:admin:panel',
  'v2:here',
  'v2:item',
  'v2:fresh',
  'shop:till',
  'shop:v1:here',
  'shop:v1:item',
  'shop:v1:order',
  'shop:v2:here',
  'shop:v2:item',
  'shop:v2:order',
  'shop:v2:back:here',
  'shop:v2:back:stock',
] as const

/** What `reverse` makes of a name, asked at a path; `null` where it finds nothing. */
function reversing(said: object) {
  const api = defineApi({
    urls,
    versioning: new NamespaceVersioning(),
    ...said,
    logger: { error: () => {} },
  })
  const app = api.serve(
    names.map((name) =>
      api.endpoint(name).get(({ query, reverse }) => {
        const build = reverse as (name: string, params: object) => string
        const id = query.get('id')
        return build(query.get('name')!, id === null ? {} : { id: Number(id) }).slice(
          'http://localhost'.length,
        )
      }),
    ),
    { configuration: configurationOf() },
  )
  return async (at: string, name: string, id = ''): Promise<unknown> => {
    const answer = await client(app).get(`${at}?name=${name}${id}`)
    return answer.status === 500 ? null : answer.data
  }
}

describe('U5, U10 with a list', () => {
  const reverse = reversing({ allowedVersions: ['v1', 'v2'] })
  test.each([
    ['U5 the same version', '/v1/here/', 'here', '/v1/here/'],
    ['U5 in the other', '/v2/here/', 'here', '/v2/here/'],
    ['U5 what no version has', '/v1/here/', 'contact', '/contact/'],
    ['U5 what only another version has is not there', '/v1/here/', 'fresh', null],
    ['U6 outside: plain', '/here/', 'here', '/here/'],
    ['U10 a full name, tried as v1:v2:here first', '/v1/here/', 'v2:here', '/v2/here/'],
    ['U10 a namespace of the version', '/v1/here/', 'admin:panel', '/v1/admin/panel/'],
    ['U5 the version itself goes first, from inside of it', '/v1/admin/here/', 'here', '/v1/here/'],
    ['inside of it, what only stands there', '/v1/admin/here/', 'panel', '/v1/admin/panel/'],
    ['inside of it, what stands in the version', '/v1/admin/here/', 'old', '/v1/old/'],
    ['U5 the version itself goes first, around it too', '/shop/v2/here/', 'here', '/v2/here/'],
    ['around it, what only stands there', '/shop/v2/here/', 'order', '/shop/v2/order/'],
    ['deeper, the innermost first', '/shop/v2/back/stock/', 'stock', '/shop/v2/back/stock/'],
    ['deeper, then outwards', '/shop/v2/back/stock/', 'order', '/shop/v2/order/'],
    ['never out of the version', '/shop/v2/here/', 'till', null],
    ['but where it is said', '/shop/v2/here/', 'shop:till', '/shop/till/'],
    ['U10 also into another version', '/shop/v2/here/', 'shop:v1:order', '/shop/v1/order/'],
  ])('%s', async (_, at, name, expected) => expect(await reverse(at, name)).toBe(expected))

  test('parameters decide as well: what does not take them is passed by', async () => {
    expect(await reverse('/v1/here/', 'item', '&id=7')).toBe('/v1/items/7/')
    expect(await reverse('/v1/here/', 'contact', '&id=7')).toBeNull()
  })
})

test('U11 an implied default stands in the links', async () => {
  const reverse = reversing({ allowedVersions: ['v1', 'v2'], defaultVersion: 'v2' })
  expect(await reverse('/here/', 'here')).toBe('/v2/here/')
  expect(await reverse('/contact/', 'old')).toBeNull()
})

test('V41 without a list the outermost namespace is the version, and links stay in it', async () => {
  const reverse = reversing({})
  expect(await reverse('/shop/v1/order/', 'till')).toBe('/shop/till/')
  expect(await reverse('/shop/v1/order/', 'order')).toBe('/shop/v1/order/')
  expect(await reverse('/shop/v2/back/stock/', 'here')).toBe('/shop/v2/back/here/')
})

test('from outside of all versions a link into one is looked up there, and then as it stands', () => {
  const versioning = new NamespaceVersioning({ allowedVersions: ['v1', 'v2'] })
  const forms = (namespace: readonly string[], version: string | null) =>
    versioning.linkForms!('v2', { namespace, version, settings: {} } as unknown as ApiRequest)
  expect(forms([], null)).toEqual([{ namespace: 'v2' }, {}])
  expect(forms(['shop'], null)).toEqual([{ namespace: 'v2' }, {}])
  expect(forms(['shop', 'v1'], 'v1')).toEqual([{ namespace: 'shop:v2' }, { namespace: 'v2' }, {}])
})
