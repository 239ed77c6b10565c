import { withoutOwnCode } from '../addons/pages/hostile.ts'
import { describe, expect, test } from 'vitest'
import {
  ConfigurationError,
  LimitOffsetPagination,
  PageNumberPagination,
  configurationOf,
  defineApi,
  list,
  numbersTemplate,
  previousNextTemplate,
} from '../../src/index.ts'
import type { ControlsData, ControlsTemplate, CountedPage, Paginator } from '../../src/types.ts'
import { client } from '../../src/testing.ts'
import { NUMBERS } from '../policies/pagination/numbers.ts'
import { doors } from './doors.ts'
import { addresses, numbers, quiet } from './fixtures.ts'

/** Shows in the page what it was given. */
const bare: ControlsTemplate = {
  name: 'bare',
  render: (data) => `<i id="data">${encodeURIComponent(JSON.stringify(data))}</i>`,
}

type Style = Paginator<ReturnType<typeof numbers>, CountedPage>
const pn = (options: ConstructorParameters<typeof PageNumberPagination>[0] = {}) =>
  new PageNumberPagination({ pageSize: 5, pageSizeQueryParam: 'size', template: bare, ...options })
const lo = (options: ConstructorParameters<typeof LimitOffsetPagination>[0] = {}) =>
  new LimitOffsetPagination({ defaultLimit: 5, template: bare, ...options })

/** What a page shows of the answer, which controls stand in; above it are links of other kinds. */
const answerIn = (page: string): string => page.slice(page.indexOf('<section class="answer"'))

/** The answer of a list, as HTML. */
async function pageOf(style: Style, count: number, query: string): Promise<string> {
  const api = defineApi({ urls: addresses(['n']), pagination: style })
  const app = api.serve([api.endpoint('n').get(list({ source: numbers(count) }))], quiet)
  const { status, text } = await client(app).get(`/n/${query}`, {
    headers: { accept: 'text/html' },
  })
  expect(status).toBe(200)
  return answerIn(text)
}

/** What the template was given; `null`: it was not asked. */
async function dataOf(style: Style, count: number, query = ''): Promise<ControlsData | null> {
  const found = /<i id="data">([^<]*)</.exec(await pageOf(style, count, query))?.[1]
  return found === undefined ? null : (JSON.parse(decodeURIComponent(found)) as ControlsData)
}

/** `1* 2(offset=5) … 20(offset=95)`: numbers, the current one, their queries, and breaks. */
async function linksOf(style: Style, count: number, query = ''): Promise<string> {
  const { pageLinks } = (await dataOf(style, count, query))!
  return pageLinks
    .map(({ number, url, isActive, isBreak }) =>
      isBreak ? '…' : `${number}${isActive ? '*' : ''}${queryOf(url!)}`,
    )
    .join(' ')
}

function queryOf(url: string): string {
  const { search } = new URL(url)
  return search === '' ? '' : `(${search.slice(1)})`
}

const at = (query: string): string => `http://localhost/n/${query}`

describe('H1 where controls are shown', () => {
  test.each<[title: string, style: Style, count: number, query: string, shown: boolean]>([
    ['one page of numbers', pn(), 5, '', false],
    ['no rows', pn(), 0, '', false],
    ['more than one', pn(), 6, '', true],
    ['the last of more than one', pn(), 6, '?page=2', true],
    ['by the size of the client', pn(), 5, '?size=4', true],
    ['as many rows as the limit', lo(), 5, '', false],
    ['the same, with an offset', lo(), 5, '?offset=3', false],
    ['no rows, with an offset', lo(), 0, '?offset=3', false],
    ['more rows than the limit', lo(), 6, '', true],
    ['no template', pn({ template: null }), 100, '', false],
    ['no template', lo({ template: null }), 100, '', false],
    ['uncounted: one page', pn({ count: 'none' }), 5, '', false],
    ['uncounted: a next one', pn({ count: 'none' }), 6, '', true],
    ['uncounted: a previous one', pn({ count: 'none' }), 6, '?page=2', true],
    ['uncounted: one page', lo({ count: 'none' }), 5, '', false],
    ['uncounted: a previous one', lo({ count: 'none' }), 5, '?offset=3', true],
  ])('%s', async (_title, style, count, query, shown) => {
    expect((await dataOf(style, count, query)) !== null).toBe(shown)
    expect(await pageOf(style, count, query)).not.toContain('<nav')
  })

  test('JSON has none, and nobody asks for any', async () => {
    const refusing: ControlsTemplate = {
      name: 'refusing',
      render: () => {
        throw new Error('Who asks?')
      },
    }
    const api = defineApi({ urls: addresses(['n']), pagination: pn({ template: refusing }) })
    const app = api.serve([api.endpoint('n').get(list({ source: numbers(20) }))], quiet)
    const { data } = await client(app).get('/n/')
    expect(Object.keys(data as object)).toEqual(['count', 'next', 'previous', 'results'])
  })
})

describe('H14, H20 page numbers', () => {
  test('the data', async () => {
    expect(await dataOf(pn(), 12, '?page=2')).toEqual({
      previousUrl: at(''),
      nextUrl: at('?page=3'),
      pageLinks: [
        { url: at(''), number: 1, isActive: false, isBreak: false },
        { url: at('?page=2'), number: 2, isActive: true, isBreak: false },
        { url: at('?page=3'), number: 3, isActive: false, isBreak: false },
      ],
    })
  })

  test.each([
    ['', '1* 2(page=2) 3(page=3) … 20(page=20)', null, '?page=2'],
    ['?page=last', '1 … 18(page=18) 19(page=19) 20*(page=20)', '?page=19', null],
    ['?page=10', '1 … 9(page=9) 10*(page=10) 11(page=11) … 20(page=20)', '?page=9', '?page=11'],
    ['?size=50&q=a b', '1*(q=a+b&size=50) 2(page=2&q=a+b&size=50)', null, '?page=2&q=a+b&size=50'],
  ])('%s: %s', async (query, links, previous, next) => {
    expect(await linksOf(pn(), 100, query)).toBe(links)
    expect(await dataOf(pn(), 100, query)).toMatchObject({
      previousUrl: previous === null ? null : at(previous),
      nextUrl: next === null ? null : at(next),
    })
  })

  test('a break has neither number nor address', async () => {
    const { pageLinks } = (await dataOf(pn(), 100))!
    expect(pageLinks[3]).toEqual({ url: null, number: null, isActive: false, isBreak: true })
  })

  test('no number leads behind maxOffset', async () => {
    const style = pn({ maxOffset: 32 })
    expect(await linksOf(style, 100, '?page=7')).toBe('1 … 5(page=5) 6(page=6) 7*(page=7)')
    expect(await linksOf(style, 100, '')).toBe('1* 2(page=2) 3(page=3) … 7(page=7)')
  })
})

describe('H21–H23 limit and offset', () => {
  test.each([
    ['', '1* 2(offset=5) 3(offset=10) … 20(offset=95)'],
    ['?offset=1', '1 2*(offset=1) 3(offset=6) … 21(offset=96)'],
    ['?offset=10', '1 2(offset=5) 3*(offset=10) 4(offset=15) … 20(offset=95)'],
    ['?offset=95', '1 … 18(offset=85) 19(offset=90) 20*(offset=95)'],
    ['?offset=99', '1 … 19(offset=89) 20(offset=94) 21*(offset=99)'],
    ['H22 ?limit=50&offset=50', '1(limit=50) 2*(limit=50&offset=50)'],
    [
      'H22 ?limit=x',
      '1*(limit=x) 2(limit=x&offset=5) 3(limit=x&offset=10) … 20(limit=x&offset=95)',
    ],
  ])('100 rows, %s: %s', async (query, links) => {
    expect(await linksOf(lo(), 100, query.replace('H22 ', ''))).toBe(links)
  })

  test.each([10, 11, 1000, Number.MAX_SAFE_INTEGER])(
    'D55 behind the end, %d: as on the last page',
    async (offset) => {
      const style = lo({ defaultLimit: 3 })
      const query = `?offset=${offset}`
      expect(await linksOf(style, 10, query)).toBe('1 2(offset=3) 3(offset=6) 4*(offset=9)')
      expect(await dataOf(style, 10, query)).toMatchObject({
        previousUrl: at('?limit=3&offset=6'),
        nextUrl: null,
      })
    },
  )

  test('L8, L9 previous and next are those of the answer', async () => {
    expect(await dataOf(lo(), 100, '?offset=7')).toMatchObject({
      previousUrl: at('?limit=5&offset=2'),
      nextUrl: at('?limit=5&offset=12'),
    })
  })

  test('no number leads behind maxOffset', async () => {
    const style = lo({ maxOffset: 12 })
    expect(await linksOf(style, 100, '?offset=2')).toBe('1 2*(offset=2) 3(offset=7) 4(offset=12)')
    expect(await linksOf(style, 100, '?offset=12')).toBe('1 2(offset=2) 3(offset=7) 4*(offset=12)')
  })

  test('every number leads to the page that it names', async () => {
    for (const query of ['', '?offset=1', '?offset=13', '?offset=22', '?offset=1000']) {
      const { pageLinks } = (await dataOf(lo({ defaultLimit: 3 }), 25, query))!
      for (const { url, number } of pageLinks.filter(({ isBreak }) => !isBreak)) {
        const there = await dataOf(lo({ defaultLimit: 3 }), 25, new URL(url!).search)
        expect(there!.pageLinks.find(({ isActive }) => isActive)).toMatchObject({ number })
      }
    }
  })
})

/** What the page of a list draws: `‹ 1 [2] … 9 ›`, arrows in brackets that lead nowhere, and the queries of the numbers. */
async function drawn(style: Style, count: number, query: string) {
  const page = await pageOf(style, count, query)
  const [nav = ''] = /<nav aria-label="Pages">[^]*?<\/nav>/.exec(page) ?? []
  const items = [...nav.matchAll(/<li>([^]*?)<\/li>/g)].map(([, item = '']) => item)
  const numbered = items.slice(1, -1).map((item) => item.replace('&#8230;', '…'))
  const queries = numbered.flatMap(
    (item) => /href="http:\/\/[^/]+\/n\/([^"]*)"/.exec(item)?.[1] ?? [],
  )
  return {
    text: numbered
      .map((item) => item.replaceAll(/<[^>]*>/g, '') + (item.includes('aria-current') ? '*' : ''))
      .join(' '),
    queries: queries.map((each) => each.replaceAll('&amp;', '&')),
    arrows: [items.at(0), items.at(-1)].map((item) => item?.includes('<a ') ?? null),
  }
}

describe('H13 the table, as pages draw it', () => {
  const marked = (text: string, current: number) =>
    text
      .split(' ')
      .map((each) => (each === String(current) ? `${each}*` : each))
      .join(' ')

  // One page alone has no controls (H1).
  const drawnOnes = NUMBERS.filter(({ final }) => final > 1)
  test.each(drawnOnes)('page $current of $final: $wanted', async ({ current, final, wanted }) => {
    const byNumber = await drawn(pn({ template: 'numbers' }), final * 5, `?page=${current}`)
    expect(byNumber.text).toBe(marked(wanted, current))
    expect(byNumber.arrows).toEqual([current > 1, current < final])
    const byOffset = await drawn(
      lo({ template: 'numbers' }),
      final * 5,
      `?offset=${5 * (current - 1)}`,
    )
    expect([byOffset.text, byOffset.arrows]).toEqual([byNumber.text, byNumber.arrows])
  })

  test.each([
    [100, 5, '', '1* 2 3 … 20', ['', '?offset=5', '?offset=10', '?offset=95']],
    [100, 5, '?offset=1', '1 2* 3 … 21', ['', '?offset=1', '?offset=6', '?offset=96']],
    [
      100,
      5,
      '?offset=10',
      '1 2 3* 4 … 20',
      ['', '?offset=5', '?offset=10', '?offset=15', '?offset=95'],
    ],
    [100, 5, '?offset=95', '1 … 18 19 20*', ['', '?offset=85', '?offset=90', '?offset=95']],
    // The reference leads behind the end here; D55 leads to the last page.
    [10, 3, '?offset=1000', '1 2 3 4*', ['', '?offset=3', '?offset=6', '?offset=9']],
  ])('H23 %i rows by %i, %s: %s', async (count, defaultLimit, query, text, queries) => {
    const found = await drawn(lo({ template: 'numbers', defaultLimit }), count, query)
    expect([found.text, found.queries]).toEqual([text, queries])
  })
})

describe('I16 without an exact count there are no numbers', () => {
  test.each<[title: string, style: Style]>([
    ['none', pn({ count: 'none' })],
    ['over the cap', pn({ count: 'capped', countCap: 50 })],
    ['none', lo({ count: 'none' })],
    ['over the cap', lo({ count: 'capped', countCap: 50 })],
  ])('%s', async (_title, style) => {
    const data = (await dataOf(style, 100))!
    expect(data).toMatchObject({ previousUrl: null, pageLinks: [] })
    expect(data.nextUrl).toMatch(/page=2|offset=5/)
  })
  test('below the cap there are', async () => {
    expect(await linksOf(pn({ count: 'capped', countCap: 100 }), 100)).toContain('20(page=20)')
    expect(await linksOf(lo({ count: 'capped', countCap: 100 }), 100)).toContain('20(offset=95)')
  })
})

describe('templates', () => {
  const data: ControlsData = {
    previousUrl: at(''),
    nextUrl: null,
    pageLinks: [
      { url: at(''), number: 1, isActive: false, isBreak: false },
      { url: null, number: null, isActive: false, isBreak: true },
      { url: at('?page=9'), number: 9, isActive: true, isBreak: false },
    ],
  }
  test('H2 numbers: arrows, numbers, breaks; the current page stays a link', () => {
    expect(numbersTemplate.render(data)).toBe(
      `<nav aria-label="Pages">
<ul>
<li><a href="http://localhost/n/" rel="prev">← Previous</a></li>
<li><a href="http://localhost/n/" aria-label="Page 1">1</a></li>
<li><span>…</span></li>
<li><a href="http://localhost/n/?page=9" aria-label="Page 9" aria-current="page">9</a></li>
<li><span role="link" aria-disabled="true">Next →</span></li>
</ul>
</nav>`,
    )
  })
  test('H3 previous and next', () => {
    expect(previousNextTemplate.render({ ...data, nextUrl: at('?a=1&b=2') })).toBe(
      `<nav aria-label="Pages">
<ul>
<li><a href="http://localhost/n/" rel="prev">← Previous</a></li>
<li><a href="http://localhost/n/?a=1&amp;b=2" rel="next">Next →</a></li>
</ul>
</nav>`,
    )
  })
  test('whatever the addresses of a style are', () => {
    const evil = `" onclick='x'><b>&amp;`
    const pageLinks = [{ url: evil, number: 1, isActive: true, isBreak: false }]
    for (const template of [numbersTemplate, previousNextTemplate]) {
      const text = template.render({ previousUrl: evil, nextUrl: evil, pageLinks })
      const hrefs = [...text.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)
      const escaped = '&quot; onclick=&#39;x&#39;&gt;&lt;b&gt;&amp;amp;'
      expect(new Set(hrefs)).toEqual(new Set([escaped]))
      expect(hrefs).toHaveLength(template === numbersTemplate ? 3 : 2)
    }
  })
  test('their names', () => {
    expect([numbersTemplate.name, previousNextTemplate.name]).toEqual([
      'numbers',
      'previous-and-next',
    ])
  })

  test.each<[title: string, style: Style, items: number]>([
    ['default', new PageNumberPagination({ pageSize: 5 }), 7],
    ['default', new LimitOffsetPagination({ defaultLimit: 5 }), 7],
    ['by name', pn({ template: 'numbers' }), 7],
    ['by name', lo({ template: 'previous-and-next' }), 2],
    ['the object', pn({ template: previousNextTemplate }), 2],
    ['numbers, where there are none', pn({ template: 'numbers', count: 'none' }), 2],
  ])('%s', async (_title, style, items) => {
    const [, nav] = (await pageOf(style, 100, '')).split('<nav')
    expect(nav!.match(/<li>/g)).toHaveLength(items)
  })

  test.each<[name: string, message: string]>([
    ['number', 'Did you mean "numbers"?'],
    ['previous_and_next', 'Did you mean "previous-and-next"?'],
    ['rest_framework/pagination/numbers.html', 'There are "numbers" and "previous-and-next".'],
  ])('%s is none', (name, message) => {
    for (const make of [() => pn({ template: name }), () => lo({ template: name })]) {
      expect(make).toThrow(ConfigurationError)
      expect(make).toThrow(message)
    }
  })
  test.each([3, {}, { name: 'x' }, { name: 1, render: () => '' }])('%j is none', (template) => {
    expect(() => pn({ template: template as never })).toThrow(/"template" must be/)
  })

  test.each<[attribute: unknown, shown: string | null]>([
    ['numbers', '<nav'],
    ['bare', '<i id="data">'],
    [null, null],
  ])('from configuration: %j', async (template, shown) => {
    const api = defineApi({ urls: addresses(['n']), classes: { bare } })
    const app = api.serve([api.endpoint('n').get(list({ source: numbers(20) }))], {
      configuration: configurationOf({
        DEFAULT_PAGINATION_CLASS: { class: 'PageNumberPagination', page_size: 5, template },
      }),
    })
    const { text } = await client(app).get('/n/', { headers: { accept: 'text/html' } })
    const answer = answerIn(text)
    if (shown === null) expect(answer).not.toMatch(/<nav|<i id/)
    else expect(answer).toContain(shown)
  })

  test('from configuration: a name that is none', () => {
    const api = defineApi({ urls: addresses(['n']), classes: { compact: bare } })
    const configuration = configurationOf({
      DEFAULT_PAGINATION_CLASS: { class: 'LimitOffsetPagination', template: 'compat' },
    })
    const serve = () =>
      api.serve([api.endpoint('n').get(list({ source: numbers(20) }))], { configuration })
    expect(serve).toThrow(/names "compat".* Did you mean "compact"\?/)
  })
})

describe('hostile values in links', () => {
  const EVIL = [
    `"><script>alert(1)</script>`,
    `' onmouseover='alert(1)`,
    `" onfocus="alert(1)" autofocus="`,
    `javascript:alert(1)`,
    `\u0000\u2028\u202e<!--`,
    `&quot;&#x3c;b>`,
    `</nav></ul><h1>`,
  ]
  const style = pn({ template: 'numbers' })
  const api = defineApi({ urls: addresses(['n']), pagination: style })
  const app = api.serve([api.endpoint('n').get(list({ source: numbers(50) }))], quiet)
  describe.each(doors(app))('$name', (door) => {
    test.each(EVIL)('%j', async (evil) => {
      const value = encodeURIComponent(evil).replaceAll("'", '%27')
      const { text, status } = await door.send({
        method: 'GET',
        path: `/n/?page=2&${value}=1&q=${value}&size=${value}`,
        headers: { accept: 'text/html' },
      })
      expect(status).toBe(200)
      const [nav] = /<nav[^]*?<\/nav>/.exec(answerIn(text))!
      const tags = nav.match(/<[^>]*>/g)!
      for (const tag of tags) expect(tag).toMatch(TAG)
      expect(tags.join('').match(/href="(?!http:\/\/localhost\/n\/)/)).toBeNull()
      expect(withoutOwnCode(text)).not.toMatch(/<script|<h1>(?!N)/i)
    })
  })
})

/** All that a tag of the controls may be. */
const TAG =
  /^<\/?(?:nav(?: aria-label="Pages")?|ul|li|span(?: role="link" aria-disabled="true")?|a(?: href="[\w:/.?=&;%+~-]*"(?: rel="(?:prev|next)"| aria-label="Page \d+"(?: aria-current="page")?))?)>$/
