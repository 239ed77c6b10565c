// I2: what a cursor is bound to, and what may change on the way.
import { describe, expect, test } from 'vitest'
import { type Headers, cursorAt, serveBindings, withCursor } from './cursor-bindings.ts'
import { doors } from './doors.ts'

const { app, source } = serveBindings()

type Case = readonly [what: string, made: string, used: string]

const SAME: readonly Case[] = [
  ['as it was', '/de/cities/?name=a&size__gte=3', '/de/cities/?name=a&size__gte=3'],
  ['in another order', '/de/cities/?name=a&size__gte=3', '/de/cities/?size__gte=3&name=a'],
  ['percent-encoded', '/de/cities/?name=a%20b', '/de/cities/?n%61me=a+%62'],
  ['repeated, the last one counts', '/de/cities/?name=a', '/de/cities/?name=b&name=a'],
  ['empty is none', '/de/cities/', '/de/cities/?name=&search=&size__gte'],
  ['the last one is empty', '/de/cities/', '/de/cities/?name=a&name='],
  ['what no filter reads', '/de/cities/', '/de/cities/?_=1700000000&utm_source=mail'],
  ['a lookup that is not declared', '/de/cities/', '/de/cities/?name__in=a'],
  ['the order by its default', '/de/cities/', '/de/cities/?ordering='],
  [
    'the order spelled otherwise',
    '/de/cities/?ordering=size',
    '/de/cities/?ordering=+size,,x,-size',
  ],
  ['another page size', '/de/sized/?rows=2', '/de/sized/?rows=5'],
  ['a format in the query', '/de/cities/?name=a', '/de/cities/?format=json&name=a'],
  ['a format suffix', '/de/cities/', '/de/cities.json'],
  ['no format suffix', '/de/cities.json', '/de/cities/'],
  ['the country percent-encoded', '/de/cities/', '/%64e/cities/'],
  ['custom: what it does not read', '/de/last/?shape=round', '/de/last/?shape=round&other=1'],
  ['custom: repeated, and it reads the last', '/de/last/?shape=a', '/de/last/?shape=b&shape=a'],
  ['custom: peeks', '/de/peek/?shape=a', '/de/peek/?shape=b'],
  ['a source: what it does not read', '/de/source/?month=1', '/de/source/?month=1&day=2'],
]

const OTHER: readonly Case[] = [
  ['another parameter of the path', '/de/cities/', '/fr/cities/'],
  ['another endpoint', '/de/cities/', '/de/sized/'],
  ['another value', '/de/cities/?name=a', '/de/cities/?name=b'],
  ['a value more', '/de/cities/', '/de/cities/?name=a'],
  ['a value less', '/de/cities/?name=a', '/de/cities/'],
  ['another search', '/de/cities/?search=a', '/de/cities/?search=b'],
  ['a value of another filter', '/de/cities/?name=a', '/de/cities/?search=a'],
  ['values the other way round', '/de/cities/?name=a&search=b', '/de/cities/?name=b&search=a'],
  ['letters of another case', '/de/cities/?name=a', '/de/cities/?name=A'],
  ['values in one', '/de/cities/?name=a&search=b', '/de/cities/?name=a%22%2C%22search%22%2C%22b'],
  ['another order', '/de/cities/?ordering=size', '/de/cities/?ordering=-size'],
  ['no order of its own', '/de/cities/?ordering=size', '/de/cities/'],
  ['repeated, and another one is last', '/de/cities/?name=a', '/de/cities/?name=a&name=b'],
  ['custom: another value', '/de/last/?shape=round', '/de/last/?shape=square'],
  ['custom: empty may mean something', '/de/last/', '/de/last/?shape='],
  ['custom: one value more', '/de/all/?tag=a', '/de/all/?tag=a&tag=b'],
  ['custom: all values, another first', '/de/all/?tag=a&tag=b', '/de/all/?tag=b&tag=a'],
  ['custom: all names', '/de/loop/?x=1', '/de/loop/?x=2'],
  ['custom: all names, each', '/de/each/?x=1', '/de/each/?x=1&y=1'],
  ['custom: the URL', '/de/url/?shape=a', '/de/url/?shape=b'],
  ['custom: a changed query', '/de/copy/?shape=a', '/de/copy/?shape=b'],
  ['custom: the query as text', '/de/text/?shape=a', '/de/text/'],
  ['a source that reads', '/de/source/?month=1', '/de/source/?month=2'],
  ['a handler that reads', '/de/handler/?month=1', '/de/handler/'],
]

const ADA = { 'x-user': '1' }
const BOB = { 'x-user': '2' }
const NO_USER = {}

describe.each(doors(app))('$name', (door) => {
  const asked = async (path: string, headers: Headers = {}) => {
    source.reads = 0
    const { status, text } = await door.send({ method: 'GET', path, headers })
    return { status, reads: source.reads, text }
  }
  const opens = async (made: string, used: string, by: readonly [Headers, Headers] = [{}, {}]) => {
    const cursor = await cursorAt(door, made, by[0])
    return asked(withCursor(used, cursor), by[1])
  }
  const refused = {
    status: 404,
    reads: 0,
    text: '{"detail":"This cursor is not valid for this list."}',
  }

  test.each(SAME)('it opens: %s', async (_what, made, used) => {
    expect(await opens(made, used)).toMatchObject({ status: 200, reads: 1 })
    // There and back.
    expect(await opens(used, made)).toMatchObject({ status: 200, reads: 1 })
  })

  test.each(OTHER)('404 and no query: %s', async (_what, made, used) => {
    expect(await opens(made, used)).toEqual(refused)
    expect(await opens(used, made)).toEqual(refused)
  })

  test.each<[string, string, Headers, Headers, boolean]>([
    ['bound: the same user', '/de/mine/', ADA, ADA, true],
    ['bound: another user', '/de/mine/', ADA, BOB, false],
    ['bound: a user, then none', '/de/mine/', ADA, NO_USER, false],
    ['bound: none, then a user', '/de/mine/', NO_USER, ADA, false],
    ['bound: requests without a user are one', '/de/mine/', NO_USER, NO_USER, true],
    ['not bound: another user', '/de/cities/', ADA, BOB, true],
    ['not bound: none', '/de/cities/', ADA, NO_USER, true],
  ])('bindTo %s', async (_what, path, first, then, isGood) => {
    const { status, reads } = await opens(path, path, [first, then])
    expect({ status, reads }).toEqual(
      isGood ? { status: 200, reads: 1 } : { status: 404, reads: 0 },
    )
  })

  test.each(['/de/cities/?search=x&name=a%20b&name=c', '/de/cities.json?_=1', '/de/each/?x=1'])(
    'links of %s keep the filters, and can be followed both ways',
    async (path) => {
      const { text } = await asked(path)
      const { next } = JSON.parse(text) as { next: string }
      const sent = new URLSearchParams(path.split('?')[1])
      const { pathname, search, searchParams } = new URL(next)
      expect(pathname).toBe(path.split('?')[0])
      for (const name of sent.keys()) expect(searchParams.getAll(name)).toEqual(sent.getAll(name))
      const second = JSON.parse((await asked(pathname + search)).text) as Record<string, string>
      for (const link of [second['next']!, second['previous']!]) {
        const url = new URL(link)
        expect((await asked(url.pathname + url.search)).status).toBe(200)
      }
    },
  )
})
