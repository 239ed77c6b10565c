import { describe, expect, test } from 'vitest'
import {
  type Incoming,
  LimitOffsetPagination,
  PageNumberPagination,
  type Reply,
  configurationOf,
  defineApi,
  list,
  previousNextTemplate,
  reply,
} from '../../src/index.ts'
import type {
  CountedPage,
  ListSource,
  ListView,
  Page,
  PageControls,
  Paginator,
} from '../../src/types.ts'
import { client } from '../../src/testing.ts'
import { type Row, throughDoors } from './doors.ts'
import { addresses, numbers, quiet } from './fixtures.ts'

const nested = ({ count, next, previous }: CountedPage, results: readonly unknown[]): Reply =>
  reply({ links: { next, previous }, count, results })

const linked = ({ next, previous }: CountedPage, results: readonly unknown[]): Reply => {
  const links = Object.entries({ next, prev: previous }).filter(([, url]) => url !== null)
  const headers = { Link: links.map(([rel, url]) => `<${url}>; rel="${rel}"`).join(', ') }
  return reply(results, links.length > 0 ? { headers } : {})
}

class NestedPages extends PageNumberPagination {
  override respond(page: CountedPage, results: readonly unknown[]): Reply {
    return nested(page, results)
  }
}
class NestedStretches extends LimitOffsetPagination {
  override respond(page: CountedPage, results: readonly unknown[]): Reply {
    return nested(page, results)
  }
}
class LinkedPages extends PageNumberPagination {
  override respond(page: CountedPage, results: readonly unknown[]): Reply {
    return linked(page, results)
  }
}
class LinkedStretches extends LimitOffsetPagination {
  override respond(page: CountedPage, results: readonly unknown[]): Reply {
    return linked(page, results)
  }
}

interface NthPage extends Page {
  readonly skipped: number
  readonly seenBy: string
}

/** A style from nothing: every `?every=n`-th row, and none of it where `n` is below 1. */
class EveryNth implements Paginator<ListSource<unknown>, NthPage> {
  async paginate(
    source: ListSource<unknown>,
    request: Incoming,
    view?: ListView,
  ): Promise<NthPage | null> {
    const every = Number(request.query.get('every') ?? 2)
    if (!(every >= 1)) return null
    const all = await source.slice(0, await source.count())
    const rows = all.filter((_, index) => index % every === 0)
    const controls = (): PageControls => ({
      template: previousNextTemplate,
      data: { previousUrl: null, nextUrl: `${request.origin}/more/?a=1&b=2`, pageLinks: [] },
    })
    return { rows, skipped: all.length - rows.length, seenBy: view?.name ?? 'nobody', controls }
  }

  respond({ skipped, seenBy }: NthPage, items: readonly unknown[]): Reply {
    return reply({ skipped, seenBy, items }, { status: 203 })
  }
}

const STYLES = {
  'nested-pages': new NestedPages({ pageSize: 3 }),
  'nested-stretches': new NestedStretches({ defaultLimit: 3 }),
  'linked-pages': new LinkedPages({ pageSize: 3 }),
  'linked-stretches': new LinkedStretches({ defaultLimit: 3 }),
  nth: new EveryNth(),
}
const api = defineApi({ urls: addresses(Object.keys(STYLES)) })
const serializer = { represent: (id: number) => ({ id }) }
const app = api.serve(
  Object.entries(STYLES).map(([name, pagination]) =>
    api.endpoint(name, { pagination }).get(list({ source: numbers(10), serializer })),
  ),
  quiet,
)
const ids = (...all: readonly number[]) => all.map((id) => ({ id }))
const H = 'http://localhost'

const nestedRow = (
  path: string,
  query: string,
  next: string | null,
  previous: string | null,
  results: object,
): Row => [
  `O11 nested links ${path}${query}`,
  `GET ${path}${query}`,
  {
    status: 200,
    data: {
      links: {
        next: next === null ? null : H + path + next,
        previous: previous === null ? null : H + path + previous,
      },
      count: 10,
      results,
    },
    headers: { link: null },
  },
]
const linkRow = (path: string, query: string, link: string | null, data: object): Row => [
  `O12 Link header ${path}${query}`,
  `GET ${path}${query}`,
  { status: 200, data, headers: { link } },
]

describe('O10–O12 custom styles', () => {
  throughDoors(app, [
    nestedRow('/nested-pages/', '', '?page=2', null, ids(1, 2, 3)),
    nestedRow('/nested-pages/', '?page=2&q=x', '?page=3&q=x', '?q=x', ids(4, 5, 6)),
    nestedRow('/nested-stretches/', '?offset=9', null, '?limit=3&offset=6', ids(10)),
    linkRow('/linked-pages/', '', `<${H}/linked-pages/?page=2>; rel="next"`, ids(1, 2, 3)),
    linkRow(
      '/linked-pages/',
      '?page=2',
      `<${H}/linked-pages/?page=3>; rel="next", <${H}/linked-pages/>; rel="prev"`,
      ids(4, 5, 6),
    ),
    linkRow('/linked-pages/', '?page=4', `<${H}/linked-pages/?page=3>; rel="prev"`, ids(10)),
    linkRow(
      '/linked-pages/',
      '?page=2&q=%3E;%20rel=%22x%22,%0D%0AEvil:%20%C3%A9',
      `<${H}/linked-pages/?page=3&q=%3E%3B+rel%3D%22x%22%2C%0D%0AEvil%3A+%C3%A9>; rel="next", ` +
        `<${H}/linked-pages/?q=%3E%3B+rel%3D%22x%22%2C%0D%0AEvil%3A+%C3%A9>; rel="prev"`,
      ids(4, 5, 6),
    ),
    linkRow('/linked-stretches/', '?limit=10', null, ids(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)),
    [
      'P34 a page that is none has no links',
      'GET /linked-pages/?page=9',
      { status: 404, headers: { link: null } },
    ],
    [
      'HEAD has the header, too',
      'HEAD /linked-pages/',
      { status: 200, text: '', headers: { link: `<${H}/linked-pages/?page=2>; rel="next"` } },
    ],
    [
      'O10 a style of its own: page, envelope, status',
      'GET /nth/?every=4',
      { status: 203, data: { skipped: 7, seenBy: 'nth', items: ids(1, 5, 9) } },
    ],
    [
      'O10 null: not paginated',
      'GET /nth/?every=0',
      { status: 200, data: ids(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) },
    ],
  ])
})

describe('O10 controls of a custom style', () => {
  const html = async (path: string): Promise<string> =>
    (await client(app).get(path, { headers: { accept: 'text/html' } })).text
  test('a page that has them shows them', async () => {
    const text = await html('/nth/')
    expect(text).toContain(`<a href="${H}/more/?a=1&amp;b=2" rel="next">`)
    expect(text).toContain('>HTTP 203 ')
  })
  test('another envelope keeps those of its style', async () => {
    for (const path of ['/nested-pages/?page=2', '/linked-stretches/?offset=3']) {
      const text = await html(path)
      expect(text).toContain('aria-label="Page 2" aria-current="page"')
      expect(text.match(/<nav aria-label="Pages">/g)).toHaveLength(1)
    }
  })
  test('no pages, no controls', async () => {
    expect(await html('/nth/?every=0')).not.toContain('rel="next"')
  })
})

test('a custom style is named in configuration, with the attributes of its parent', async () => {
  const own = defineApi({ urls: addresses(['n']), classes: { NestedPages } })
  const served = own.serve([own.endpoint('n').get(list({ source: numbers(10) }))], {
    configuration: configurationOf({
      DEFAULT_PAGINATION_CLASS: {
        class: 'NestedPages',
        page_size: 4,
        template: 'previous-and-next',
      },
    }),
  })
  expect((await client(served).get('/n/?page=3')).data).toEqual({
    links: { next: null, previous: `${H}/n/?page=2` },
    count: 10,
    results: [9, 10],
  })
})
