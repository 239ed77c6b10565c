// Pages by number and by offset, beside a model of them: their rows, links, counts and what the source is asked.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type ApiRequest,
  ConfigurationError,
  CursorPagination,
  LimitOffsetPagination,
  NotFound,
  PageNumberPagination,
  Query,
} from '../../../src/index.ts'
import type { CountedPage, ListSource } from '../../../src/types.ts'

/** As much of a request as a style looks at. */
function asking(query: string, settings: object = {}): ApiRequest {
  const none = { pageSize: null, maxPageSize: null, maxOffset: null, strictQuery: false }
  const about = { origin: 'http://localhost', path: '/rows/', params: {}, endpointName: 'rows' }
  const request = { ...about, query: Query.parse(query), settings: { ...none, ...settings } }
  return request as unknown as ApiRequest
}

/** A source of so many rows that writes down what it is asked. */
function watched(count: number): ListSource<number> & { readonly asked: string[] } {
  const asked: string[] = []
  const all = Array.from({ length: count }, (_, at) => at + 1)
  return {
    asked,
    count: (cap) => (asked.push(`count ${cap ?? 'all'}`), Math.min(count, (cap ?? count) + 1)),
    slice: (offset, limit) => (asked.push(`slice ${limit}`), all.slice(offset, offset + limit)),
  }
}

const link = (query: string): string => `http://localhost/rows/${query}`
const shown = ({ rows, next, previous, count, precision }: CountedPage) => ({
  rows: [...rows],
  next,
  previous,
  count,
  precision,
})
const rowsFrom = (offset: number, size: number, count: number): number[] =>
  Array.from({ length: Math.max(0, Math.min(size, count - offset)) }, (_, at) => offset + at + 1)

type Policy = 'exact' | 'capped' | 'none'
/** What is said of `count` rows under a policy. */
function countedAs(policy: Policy, count: number, cap: number) {
  if (policy === 'none') return { count: null, precision: undefined }
  const isBeyond = policy === 'capped' && count > cap
  return { count: isBeyond ? cap : count, precision: isBeyond ? 'at_least' : undefined }
}
/** Whatever shows the end of the list, or rows beyond the cap, needs no counting. */
function isCounted(policy: Policy, rows: number, offset: number, count: number, cap: number) {
  if (policy === 'none') return false
  const reached = offset + rows
  const isSeen = (rows > 0 || offset === 0) && (reached === count || reached + 1 > cap)
  return policy === 'exact' || !isSeen
}

const drawn = fc.record({
  policy: fc.constantFrom<Policy>('exact', 'capped', 'none'),
  count: fc.nat(14),
  size: fc.integer({ min: 1, max: 5 }),
  cap: fc.integer({ min: 1, max: 9 }),
})

test('P30–P37, I16: a page by its number', async () => {
  const number = fc.integer({ min: 1, max: 8 })
  await fc.assert(
    fc.asyncProperty(drawn, number, async ({ policy, count, size, cap }, page) => {
      const style = new PageNumberPagination({ pageSize: size, count: policy, countCap: cap })
      const source = watched(count)
      const found = style.paginate(source, asking(`page=${page}`))
      const last = Math.max(1, Math.ceil(count / size))
      if (page > last) {
        await expect(found).rejects.toThrow(NotFound)
        return
      }
      const next = page < last ? link(`?page=${page + 1}`) : null
      const previous = page === 1 ? null : link(page === 2 ? '' : `?page=${page - 1}`)
      expect(shown((await found)!)).toEqual({
        rows: rowsFrom((page - 1) * size, size, count),
        next,
        previous,
        ...countedAs(policy, count, cap),
      })
      const controls = (await found)!.controls!()
      if (last === 1) expect(controls).toBeNull()
      else expect(controls!.data).toMatchObject({ nextUrl: next, previousUrl: previous })
    }),
  )
})

test('L8–L11, I16: a page by its offset, which counts only where it has to', async () => {
  await fc.assert(
    fc.asyncProperty(drawn, fc.nat(16), async ({ policy, count, size, cap }, offset) => {
      const style = new LimitOffsetPagination({ count: policy, countCap: cap })
      const source = watched(count)
      const found = await style.paginate(source, asking(`limit=${size}&offset=${offset}`))
      const [before, behind] = [offset - size, offset + size]
      const rows = rowsFrom(offset, size, count)
      expect(shown(found!)).toEqual({
        rows,
        next: behind < count ? link(`?limit=${size}&offset=${behind}`) : null,
        previous:
          offset === 0 ? null : link(`?limit=${size}${before > 0 ? `&offset=${before}` : ''}`),
        ...countedAs(policy, count, cap),
      })
      if (policy === 'exact' && count <= size) expect(found!.controls!()).toBeNull()
      if (policy === 'exact' && count > size && offset >= count) {
        // D55: behind the end they are those of the last page.
        const last = Math.ceil(count / size)
        const back = last > 2 ? `&offset=${(last - 2) * size}` : ''
        const { nextUrl, previousUrl, pageLinks } = found!.controls!()!.data
        const active = pageLinks.find(({ isActive }) => isActive)?.number
        expect([nextUrl, previousUrl, active]).toEqual([null, link(`?limit=${size}${back}`), last])
      }
      const more = Math.max(0, Math.min(size + 1, count - offset))
      const isAsked = isCounted(policy, Math.min(more, size), offset, count, cap)
      const asked = [`slice ${size + 1}`, ...(isAsked ? [`count ${cap}`] : [])]
      expect(source.asked).toEqual(policy === 'exact' ? ['count all', `slice ${size}`] : asked)
    }),
  )
})

describe('the size of a page', () => {
  const sizes = { pageSize: 3, pageSizeQueryParam: 'size', maxPageSize: 6 }
  test.each<[title: string, options: object, query: string, settings: object, rows: number | null]>(
    [
      ['of the style', sizes, '', { pageSize: 2 }, 3],
      ['of the settings', {}, '', { pageSize: 2 }, 2],
      ['none, though the settings have one', { pageSize: null }, '', { pageSize: 2 }, null],
      ['0 is none', { pageSize: 0 }, '', { pageSize: 2 }, null],
      ['of neither', {}, '', {}, null],
      ['of the client', sizes, 'size=1', {}, 1],
      ['of a client who may not', { pageSize: 3 }, 'size=1', {}, 3],
      ['more than the most', sizes, 'size=7', {}, 6],
      ['less than one', sizes, 'size=0', {}, 3],
      ['no number', sizes, 'size=x', {}, 3],
      ['any', { ...sizes, maxPageSize: null }, 'size=9', {}, 9],
      ['any: 0 is no bound', { ...sizes, maxPageSize: 0 }, 'size=9', {}, 9],
      ['more than the most of the service', sizes, 'size=6', { maxPageSize: 5 }, 5],
      ['of the style, which the service bounds', sizes, '', { maxPageSize: 2 }, 2],
      ['none, which the service bounds', { pageSize: null }, '', { maxPageSize: 4 }, 4],
    ],
  )('%s', async (_, options, query, settings, rows) => {
    const style = new PageNumberPagination(options)
    const page = await style.paginate(watched(10), asking(query, settings))
    expect(page === null ? null : page.rows.length).toBe(rows)
    const most = style.bounds(asking('', settings).settings).rows
    expect(most === null || most >= (rows ?? Infinity)).toBe(true)
  })
})

describe('options that cannot be', () => {
  const make = { PageNumberPagination, LimitOffsetPagination, CursorPagination }
  const counted = ['PageNumberPagination', 'LimitOffsetPagination'] as const
  const numbered = ['PageNumberPagination', 'CursorPagination'] as const
  const all = [...counted, 'CursorPagination'] as const
  const SIZE = 'a whole number, or null'
  const TEXT = 'a text that is not empty'
  const TEMPLATE = 'the name of a template, an object with name and render(), or null'
  const rows: readonly [styles: readonly (keyof typeof make)[], option: object, wants: string][] = [
    [all, { template: 3 }, TEMPLATE],
    [all, { template: { name: 'x' } }, TEMPLATE],
    [all, { template: { render: () => '' } }, TEMPLATE],
    [numbered, { pageSize: '3' }, SIZE],
    [numbered, { pageSizeQueryParam: '' }, `${TEXT}, or null`],
    [numbered, { maxPageSize: -1 }, SIZE],
    [counted, { maxOffset: 0.5 }, SIZE],
    [counted, { countCap: 0 }, 'a whole number of at least 1'],
    [counted, { count: 'all' }, 'one of "exact", "capped", "estimated", "none"'],
    [['PageNumberPagination'], { pageQueryParam: null }, TEXT],
    [['PageNumberPagination'], { lastPageStrings: 'last' }, 'a list of texts'],
    [
      ['PageNumberPagination'],
      { paginator: { window: () => null } },
      'an object with numPages() and window()',
    ],
    [['PageNumberPagination'], { invalidPageMessage: '' }, TEXT],
    [['LimitOffsetPagination'], { defaultLimit: '3' }, SIZE],
    [['LimitOffsetPagination'], { limitQueryParam: '' }, `${TEXT}, or null`],
    [['LimitOffsetPagination'], { offsetQueryParam: null }, TEXT],
    [['LimitOffsetPagination'], { maxLimit: -1 }, SIZE],
    [['CursorPagination'], { cursorQueryParam: '' }, TEXT],
    [['CursorPagination'], { invalidCursorMessage: '' }, TEXT],
  ]
  const cells = rows.flatMap(([styles, option, wants]) =>
    styles.map((style) => [style, option, wants] as const),
  )
  test.each(cells)('%s: %j', (style, option, wants) => {
    const [[name, value]] = Object.entries(option) as [[string, unknown]]
    const refusal = `${style}: "${name}" must be ${wants}, but is ${JSON.stringify(value)}.`
    expect(() => new make[style](option)).toThrow(new ConfigurationError(refusal))
  })

  test.each(all)('%s: one that there is none of', (style) => {
    expect(() => new make[style]({ templte: null } as object)).toThrow(
      new ConfigurationError(`${style}: there is no option "templte". Did you mean "template"?`),
    )
  })

  test.each([
    [PageNumberPagination, { pageSizeQueryParam: 'page' }, 'page'],
    [LimitOffsetPagination, { limitQueryParam: 'p', offsetQueryParam: 'p' }, 'p'],
    [CursorPagination, { pageSizeQueryParam: 'cursor' }, 'cursor'],
  ])('%o: two parameters with one name', (style, options, name) => {
    expect(() => new style(options)).toThrow(
      new ConfigurationError(
        `${style.name}: two parameters are named "${name}". Give one of them another name.`,
      ),
    )
  })

  test('a paginator that cuts a list whose rows are not counted', () => {
    const paginator = { numPages: () => 1, window: () => ({ offset: 0, limit: 1 }) }
    for (const count of ['capped', 'estimated', 'none'] as const)
      expect(() => new PageNumberPagination({ paginator, count })).toThrow(
        new ConfigurationError(
          `PageNumberPagination: a "paginator" of your own cuts a list whose rows are all counted. Leave it out, or "count: '${count}'".`,
        ),
      )
    expect(new PageNumberPagination({ paginator, count: 'exact' })).toBeTruthy()
  })
})
