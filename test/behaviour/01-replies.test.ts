import { beforeEach, describe, expect, test } from 'vitest'
import { NotFound, defineApi, reply } from '../../src/index.ts'
import { client } from '../../src/testing.ts'
import { type Row, throughDoors } from './doors.ts'
import { DETAIL, notebook, quiet, addresses } from './fixtures.ts'

const log = notebook()
const REPLIES: Readonly<Record<string, () => unknown>> = {
  newline: () => reply('x', { headers: { 'x-own': 'a\r\nSet-Cookie: b=c' } }),
  unicode: () => reply(null, { status: 302, headers: { Location: '/\u20ac' } }),
  nul: () => reply('x', { headers: { 'x-own': '\0' } }),
  second: () => reply('x', { headers: { 'x-own': ['fine', 'a\nb'] } }),
  several: () => reply('x', { headers: { 'Set-Cookie': ['a=1', 'b=2'] } }),
  name: () => reply('x', { headers: { 'x own': '1' } }),
  type: () => reply('x', { contentType: 'text/plain\n' }),
  zero: () => reply('x', { status: 0 }),
  informational: () => reply('x', { status: 101 }),
  large: () => reply('x', { status: 600 }),
  fraction: () => reply('x', { status: 200.5 }),
  latin: () => reply('x', { headers: { 'x-own': 'caf\u00e9' } }),
  teapot: () => reply('x', { status: 418 }),
}
const api = defineApi({
  urls: addresses([...Object.keys(REPLIES), 'mapped']),
  logger: log,
})
const circle: Record<string, unknown> = {}
circle['self'] = circle
const app = api.serve(
  [
    ...Object.entries(REPLIES).map(([name, handler]) => api.endpoint(name).get(handler)),
    api.endpoint('mapped', { exceptionHandler: () => reply(circle) }).get(() => {
      throw new NotFound()
    }),
  ],
  quiet,
)
const broken = { status: 500, data: DETAIL, headers: { 'set-cookie': null, 'x-own': null } }

describe('a reply that no door can send is a bug of the handler: 500', () => {
  const rows: Row[] = [
    ['a line break in a header', 'GET /newline/', broken],
    ['a character beyond ASCII in a header', 'GET /unicode/', broken],
    ['a NUL in a header', 'GET /nul/', broken],
    ['a line break in the second value of a header', 'GET /second/', broken],
    [
      'several values can be sent',
      'GET /several/',
      { status: 200, headers: { 'set-cookie': /^a=1, ?b=2$/ } },
    ],
    ['a space in the name of a header', 'GET /name/', broken],
    ['a line break in the content type', 'GET /type/', broken],
    ['status 0', 'GET /zero/', broken],
    ['status 101', 'GET /informational/', broken],
    ['status 600', 'GET /large/', broken],
    ['status 200.5', 'GET /fraction/', broken],
    ['an exception handler whose answer cannot be rendered', 'GET /mapped/', broken],
    ['so is Latin-1, which platforms write in different ways', 'GET /latin/', broken],
    ['any status of an answer can be sent', 'GET /teapot/', 418],
  ]
  throughDoors(app, rows)

  describe('and the log says why', () => {
    beforeEach(() => void log.records.splice(0))

    test.each([
      ['/newline/', 'x-own'],
      ['/name/', '"x own"'],
      ['/zero/', '200 to 599'],
    ])('%s', async (path, word) => {
      await client(app).get(path)
      expect(log.records.map(({ error }) => error)).toEqual([expect.stringContaining(word)])
    })
  })
})
