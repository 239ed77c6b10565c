import { describe, expect, test } from 'vitest'
import {
  type ApiRequest,
  ConfigurationError,
  NoReverseMatch,
  QueryParameterVersioning,
  field,
  hyperlinks,
  include,
  serializer,
} from '../../../src/index.ts'
import { textOf } from './reading.ts'
import { requestsTo } from './requests.ts'

const urls = {
  here: '/here/',
  number: '/numbers/:id<int>/',
  text: '/texts/:id/',
  rest: '/rest/:id<path>',
  slug: '/slugs/:name<slug>/',
  uuid: '/uuids/:id<uuid>/',
  choice: '/choices/:id<de|1>/',
  either: ['/either/:id<int>/', '/either/:id<slug>/'],
  part: '/books/:book<int>/parts/:number<int>/',
} as const
const at = async (target: string): Promise<ApiRequest> =>
  (await requestsTo({ urls, formatSuffixes: ['json', 'xml'] }, [target]))[0]!
const request = await at('/here/')

/** What one field shows of a key, in the object and in the text. */
function shown(route: string, key: unknown, to: ApiRequest = request, param = 'id'): unknown {
  const one = serializer({ it: field.identity({ route, param }, { source: 'key' }) })
  const row = { key: key as number }
  const { it } = one.represent(row, to)
  expect(JSON.parse(textOf(one, row, to))).toEqual({ it })
  const { tags } = serializer({
    tags: field.list(field.hyperlink({ route, param })),
  }).represent({ tags: [key as number] }, to)
  expect(tags).toEqual(it === null && key !== null && key !== '' ? null : [it])
  return it
}

describe('U20 what links look like', () => {
  test.each<[title: string, route: string, key: unknown, link: string]>([
    ['a number', 'number', 7, '/numbers/7/'],
    ['zero', 'number', 0, '/numbers/0/'],
    ['a long integer that is not long', 'number', 7n, '/numbers/7/'],
    ['a number where a text is wanted', 'text', 7, '/texts/7/'],
    ['a long integer where a text is wanted', 'text', 2n ** 64n, `/texts/${2n ** 64n}/`],
    ['a fraction where a text is wanted', 'text', 1.5, '/texts/1.5/'],
    ['a text', 'text', 'a b/ü"\\', '/texts/a%20b%2F%C3%BC%22%5C/'],
    ['a text that stands for nothing', 'text', 'null', '/texts/null/'],
    ['the rest of a path', 'rest', 'a/b c', '/rest/a/b%20c'],
    [
      'a UUID in upper case',
      'uuid',
      '123E4567-E89B-12D3-A456-426614174000',
      '/uuids/123e4567-e89b-12d3-a456-426614174000/',
    ],
    ['a choice', 'choice', 'de', '/choices/de/'],
    ['a number that is a choice', 'choice', 1, '/choices/1/'],
    ['one of several paths', 'either', 7, '/either/7/'],
    ['another of them', 'either', 'seven', '/either/seven/'],
  ])('%s', (_, route, key, link) => {
    expect(shown(route, key)).toBe(`http://localhost${link}`)
  })

  test.each<[title: string, route: string, key: unknown]>([
    ['a number below zero', 'number', -1],
    ['a fraction', 'number', 1.5],
    ['a number that is not exact', 'number', 2 ** 53],
    ['a long integer', 'number', 2n ** 53n],
    ['digits where a number is wanted', 'number', '7'],
    ['an empty text', 'text', ''],
    ['dots', 'text', '..'],
    ['half a character', 'text', '\ud800'],
    ['no choice', 'choice', 2],
    ['neither of two', 'either', 'a b'],
  ])('%s is in no address: null', (_, route, key) => {
    expect(shown(route, key)).toBe(null)
    const one = serializer({
      url: field.identity({ route, params: (row: { key: unknown }) => ({ id: row.key }) }),
    })
    expect(one.represent({ key }, request)).toEqual({ url: null })
    expect(textOf(one, { key }, request)).toBe('{"url":null}')
  })

  test('U21 a route that there is not is a mistake of ours', () => {
    expect(() => shown('nowhere', 7)).toThrow(NoReverseMatch)
    const { represent } = serializer({ key: field.identity('nowhere', { source: 'key' }) })
    expect(() => represent({ key: 7 }, request)).toThrow(NoReverseMatch)
  })

  test('U21 no key is null', () => {
    expect(shown('number', null)).toBe(null)
    const { represent } = serializer({ url: field.identity('number') })
    expect(represent({} as never, request)).toEqual({ url: null })
  })

  test('U27 the key is that of the parameter, or of what was said', () => {
    const both = serializer({
      url: field.identity('number'),
      named: field.identity({ route: 'slug', param: 'name' }),
      other: field.identity('number', { source: 'deep.key' }),
    })
    expect(both.represent({ id: 1, name: 'x', deep: { key: 2 } }, request)).toEqual({
      url: 'http://localhost/numbers/1/',
      named: 'http://localhost/slugs/x/',
      other: 'http://localhost/numbers/2/',
    })
  })

  test('several keys are taken from the row', () => {
    const part = serializer({
      url: field.identity({
        route: 'part',
        params: ({ book, number }: { book: number; number: number }) => ({ book, number }),
      }),
    })
    const row = { book: 1, number: 2 }
    expect(part.represent(row, request)).toEqual({ url: 'http://localhost/books/1/parts/2/' })
    expect(textOf(part, row, request)).toBe('{"url":"http://localhost/books/1/parts/2/"}')
  })

  test('U28 a suffix stays, unless the field has its own', async () => {
    const suffixed = await at('/here.json')
    const { represent } = serializer({
      own: field.hyperlink({ route: 'number', format: 'xml' }, { source: 'id' }),
      url: field.identity('number'),
      part: field.identity({
        route: 'part',
        params: () => ({ book: 1, number: 2 }),
        format: 'xml',
      }),
    })
    expect(represent({ id: 7 }, suffixed)).toEqual({
      own: 'http://localhost/numbers/7.xml',
      url: 'http://localhost/numbers/7.json',
      part: 'http://localhost/books/1/parts/2.xml',
    })
    expect(represent({ id: 7 }, request).own).toBe('http://localhost/numbers/7/')
  })

  test('links are those of their request, however requests take turns', async () => {
    const ends = ['', '?format=json']
    const origins = ['http://a.example.com', 'http://b.example.com']
    const links = origins.flatMap((origin) => ends.map((end) => `${origin}/numbers/1/${end}`))
    const sent = links.map((link) => new Request(link.replace('/numbers/1/', '/here/')))
    const asked = await requestsTo({ urls }, sent)
    const one = serializer({ url: field.identity('number') })
    for (const index of [0, 0, 1, 2, 3, 1, 3, 0]) {
      const url = links[index]
      expect(one.represent({ id: 1 }, asked[index]!)).toEqual({ url })
      expect(textOf(one, { id: 1 }, asked[index])).toBe(JSON.stringify({ url }))
      if (index === 2) await Promise.resolve()
    }
  })

  test('two services may say the same of different keys', async () => {
    const slugs = { number: '/numbers/:id<slug>/' } as const
    const [other] = await requestsTo({ urls: slugs }, ['/numbers/x/'])
    const one = serializer({ url: field.identity('number') })
    expect(textOf(one, { id: 1 }, other)).toBe(textOf(one, { id: 1 }, request))
    expect(textOf(one, { id: 'x' }, other)).toBe('{"url":"http://localhost/numbers/x/"}')
    expect(textOf(one, { id: 'x' }, request)).toBe('{"url":null}')
  })
})

describe('what becomes of links', () => {
  const found = new Map([[1, { id: 1 }]])
  const read = async (it: ReturnType<typeof field.hyperlink>, link: string) =>
    serializer({ it }).parse({ it: link }, request)

  test('the row, where that was asked for', async () => {
    const asRow = { as: 'row' } as const
    const one = field.hyperlink({ route: 'number', find: (id) => found.get(id) }, asRow)
    expect(await read(one as never, '/numbers/1/')).toEqual({ it: { id: 1 } })
    const all = field.hyperlink({ route: 'number', findAll: () => found }, asRow)
    expect(await read(all as never, '/numbers/1/')).toEqual({ it: { id: 1 } })
  })

  test('without anybody who finds rows, the key', async () => {
    expect(await read(field.hyperlink('number') as never, '/numbers/9/')).toEqual({ it: 9 })
    const unset = { route: 'number', find: undefined } as never
    expect(await read(field.hyperlink(unset) as never, '/numbers/9/')).toEqual({ it: 9 })
  })

  test('what must find rows is told how', () => {
    expect(() => field.hyperlink('number', { as: 'row' })).toThrow(ConfigurationError)
    const unset = { route: 'number', find: undefined } as never
    expect(() => field.hyperlink(unset, { as: 'row' })).toThrow(ConfigurationError)
    expect(() => field.hyperlink('')).toThrow(ConfigurationError)
  })

  test('U22 the version in the query of a link is that of the request, or left out', async () => {
    const versioning = new QueryParameterVersioning()
    const [to] = await requestsTo({ urls, versioning }, ['/here/?version=v2'])
    const readIn = (link: string) =>
      serializer({ it: field.hyperlink('number') }).parse({ it: link }, to!)
    expect(await readIn('http://localhost/numbers/1/?version=v2')).toEqual({ it: 1 })
    expect(await readIn('http://localhost/numbers/1/?more=x')).toEqual({ it: 1 })
    await expect(readIn('http://localhost/numbers/1/?version=v1')).rejects.toMatchObject({
      codes: { it: ['incorrect_match'] },
    })
  })

  test('keys of a typed table are what their parameters are', async () => {
    const link = hyperlinks({ ...urls, v1: include('/v1', { old: '/old/:key/' }) })
    expect(await read(link.hyperlink('number') as never, '/numbers/9/')).toEqual({ it: 9 })
    const text = link.hyperlink({ route: 'text', param: 'id' })
    expect(await read(text as never, '/texts/9/')).toEqual({ it: '9' })
    expect(await read(text as never, '/texts/%20a%20/')).toEqual({ it: ' a ' })
    await expect(read(text as never, '/texts/%00/')).rejects.toMatchObject({
      codes: { it: ['does_not_exist'] },
    })
    const { represent } = serializer({ url: link.identity({ route: 'text', param: 'id' }) })
    expect(represent({ id: 'x' }, request).url).toBe('http://localhost/texts/x/')
    expect(link.hyperlink({ route: 'old', param: 'key' }).type).toBe('field')
  })

  test('validators see the key', async () => {
    const small = field.hyperlink('number', {
      validators: [(id: number) => (id > 5 ? 'Too new.' : null)],
    })
    expect(await read(small as never, '/numbers/5/')).toEqual({ it: 5 })
    await expect(read(small as never, '/numbers/6/')).rejects.toMatchObject({
      codes: { it: ['invalid'] },
    })
  })
})
