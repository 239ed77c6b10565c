import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  Form,
  FormParser,
  type FormValue,
  type Incoming,
  JSONParser,
  MultiPartParser,
  configurationOf,
  defineApi,
} from '../../src/index.ts'
import { toListener } from '../../src/node.ts'
import { type More, type Row, sendTo, throughDoors } from './doors.ts'
import { DETAIL, quiet } from './fixtures.ts'

const api = defineApi({ urls: { all: '/all/', json: '/json/', first: '/first/', get: '/get/' } })
const show = async (request: Incoming) => {
  const data = await request.body()
  if (!(data instanceof Form)) return { got: data }
  const form: Record<string, unknown> = {}
  for (const name of data.names()) form[name] = await Promise.all(data.getAll(name).map(showValue))
  return { form }
}
const showValue = async (value: FormValue): Promise<unknown> =>
  typeof value === 'string'
    ? value
    : { file: value.name, type: value.type, text: Buffer.from(await value.bytes()).toString() }
const endpoints = [
  api.endpoint('all').post(show),
  api
    .endpoint('json', { parsers: [new JSONParser()] })
    .post(show)
    .put(show),
  api.endpoint('first', { parsers: [new MultiPartParser(), new FormParser()] }).post(show),
  api.endpoint('get').get(show),
]
const app = api.serve(endpoints, quiet)
const small = api.serve(endpoints, {
  configuration: configurationOf({ DATA_UPLOAD_MAX_MEMORY_SIZE: 10 }),
})

const rawApi = defineApi({
  urls: { raw: '/raw/' },
  parsers: [
    { mediaType: '*/*', parse: (bytes) => `${bytes.constructor.name} ${bytes.toString()}` },
  ],
})
const raw = rawApi.serve(
  [rawApi.endpoint('raw').post(async ({ body }) => ({ got: await body() }))],
  quiet,
)

const typed = (type: string, body: string | Uint8Array): More => ({
  headers: { 'content-type': type },
  body,
})
const json = (body: string | Uint8Array) => typed('application/json', body)
const form = (body: string) => typed('application/x-www-form-urlencoded', body)
const got = (value: unknown) => ({ status: 200, data: { got: value } })
const fields = (value: object) => ({ status: 200, data: { form: value } })
const malformed = { status: 400, data: DETAIL }
const unsupported = { status: 415, data: DETAIL }

const selection: Row[] = [
  ['B1 the type in any case', 'POST /all/', got({ a: 1 }), typed('Application/JSON', '{"a":1}')],
  [
    'B1 parameters do not matter',
    'POST /all/',
    got({ a: 1 }),
    typed('application/json; profile="x; y"', '{"a":1}'),
  ],
  ['B1 no parser', 'POST /all/', { status: 415, text: /text\/csv/ }, typed('text/csv', 'a,b')],
  ['B1 a list of the endpoint', 'POST /json/', unsupported, form('a=1')],
  ['B1 another', 'POST /first/', unsupported, json('{}')],
  ['B2 no type', 'POST /all/', unsupported, { body: 'x' }],
  ['B2 a type that is none', 'POST /all/', unsupported, typed('json', '{}')],
  ['B2 an empty type', 'POST /all/', unsupported, typed('', '{}')],
  [
    "B2 a vendor's JSON is not JSON",
    'POST /all/',
    unsupported,
    typed('application/vnd.api+json', '{}'),
  ],
  [
    'B2 the type of a 415 is not echoed at length',
    'POST /all/',
    { status: 415, text: /^.{0,200}$/ },
    typed('x'.repeat(5000), '{}'),
  ],
]
const jsons: Row[] = [
  ['any value: a list', 'POST /all/', got([1, 2]), json('[1,2]')],
  ['any value: a number', 'POST /all/', got(7), json(' 7 ')],
  ['any value: null', 'POST /all/', got(null), json('null')],
  ['the last of equal members', 'POST /all/', got({ a: 2 }), json('{"a":1,"a":2}')],
  ['UTF-8', 'POST /all/', got('ü€😀'), json('"ü€😀"')],
  [
    'another charset',
    'POST /all/',
    got('ü'),
    typed('application/json; charset=iso-8859-1', Buffer.from('"ü"', 'latin1')),
  ],
  [
    'a charset that nobody knows is UTF-8',
    'POST /all/',
    got('ü'),
    typed('application/json; charset=klingon', '"ü"'),
  ],
  [
    '__proto__ is a member like any other',
    'POST /all/',
    { status: 200, text: '{"got":{"__proto__":{"a":1}}}' },
    json('{"__proto__":{"a":1}}'),
  ],
  ...[
    ['syntax', '{'],
    ['a trailing comma', '[1,]'],
    ['single quotes', "'a'"],
    ['white space only', '  '],
    ['NaN', 'NaN'],
    ['Infinity', '[Infinity]'],
    ['two values', '1 2'],
    ['a comment', '/**/1'],
    ['a byte order mark', '\ufeff1'],
    ['very deep nesting', '['.repeat(100_000)],
    ['deep nesting, closed', `${'['.repeat(5000)}${']'.repeat(5000)}`],
  ].map(([title, body]): Row => [`400: ${title}`, 'POST /all/', malformed, json(body!)]),
  ['400: invalid UTF-8', 'POST /all/', malformed, json(Buffer.from([0x22, 0xff, 0x22]))],
  ['PUT likewise', 'PUT /json/', malformed, json('{')],
]
const forms: Row[] = [
  [
    'B4 names with all their values',
    'POST /all/',
    fields({ a: ['1', '2'], b: [''] }),
    form('a=1&b=&a=2'),
  ],
  ['B4 plus and percent', 'POST /all/', fields({ 'a b': ['ü &'] }), form('a+b=%C3%BC+%26')],
  [
    'B4 broken escapes do no harm',
    'POST /all/',
    fields({ a: ['%zz%'], b: ['\ufffd'] }),
    form('a=%zz%&b=%FF'),
  ],
  ['B4 a name without a value', 'POST /all/', fields({ a: [''] }), form('a')],
  ['R34 a form of nothing is a form', 'POST /all/', fields({}), form('')],
  [
    'B5 fields and files',
    'POST /all/',
    fields({ a: ['1'], f: [{ file: 'x.txt', type: 'text/plain', text: 'hi' }] }),
    typed(
      'multipart/form-data; boundary=B',
      '--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--B\r\nContent-Disposition: form-data; name="f"; filename="x.txt"\r\nContent-Type: text/plain\r\n\r\nhi\r\n--B--\r\n',
    ),
  ],
  ['B5 no boundary', 'POST /all/', malformed, typed('multipart/form-data', 'x')],
  [
    'B5 a boundary that is none',
    'POST /all/',
    malformed,
    typed('multipart/form-data; boundary=""', 'x'),
  ],
  [
    'B5 a body without its boundary is empty',
    'POST /all/',
    fields({}),
    typed('multipart/form-data; boundary=B', 'nothing of the kind'),
  ],
]
const limits: Row[] = [
  ['I12 (instead of B7) exactly the limit', 'POST /all/', got('12345678'), json('"12345678"')],
  [
    'I12 (instead of B7) one byte more',
    'POST /all/',
    {
      status: 413,
      data: DETAIL,
      headers: { 'content-type': 'application/json', allow: 'POST, OPTIONS' },
    },
    json('"123456789"'),
  ],
  ['I12 of a form', 'POST /all/', 413, form('a=123456789')],
  [
    'I12 of no stated length',
    'POST /all/',
    413,
    {
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      body: '"123456789"',
    },
  ],
  ['R9 405 comes before 413', 'PUT /all/', 405, json('"123456789"')],
]

describe('B1, B2 the parser', () => {
  throughDoors(app, selection)
  throughDoors(raw, [['own: a buffer', 'POST /raw/', got('Buffer a b'), typed('a/b', 'a b')]])
})
describe('B3 JSON', () => {
  throughDoors(app, jsons)
})
describe('B4, B5 forms', () => {
  throughDoors(app, forms)
})
const encoded = (encoding: string, body: string | Uint8Array, type = 'application/json'): More => ({
  headers: { 'content-type': type, 'content-encoding': encoding },
  body,
})
const packed = {
  status: 415,
  text: /Content-Encoding/,
  headers: { 'accept-encoding': 'identity' },
} as const
const bomb = gzipSync(Buffer.alloc(50_000_000))

// RFC 9110 §15.5.16
describe('a body that is packed', () => {
  throughDoors(app, [
    ['gzip', 'POST /all/', packed, encoded('gzip', gzipSync('{"a":1}'))],
    ['gzip that is none', 'POST /all/', packed, encoded('gzip', '{"a":1}')],
    ['a bomb', 'POST /all/', packed, encoded('GZip', bomb)],
    ['deflate', 'POST /all/', packed, encoded('deflate', deflateSync('{"a":1}'))],
    ['br', 'POST /all/', packed, encoded('br', brotliCompressSync('{"a":1}'))],
    ['zstd', 'POST /all/', packed, encoded('zstd', zstdCompressSync('{"a":1}'))],
    ['twice', 'POST /all/', packed, encoded('identity, gzip', '{"a":1}')],
    ['a form', 'POST /all/', packed, encoded('gzip', 'a=1', 'application/x-www-form-urlencoded')],
    [
      'files, which are read as they come',
      'POST /first/',
      packed,
      encoded('gzip', gzipSync('--b--'), 'multipart/form-data; boundary=b'),
    ],
    ['of a parser of its own', 'POST /all/', packed, encoded('x'.repeat(5000), 'x')],
    ['not at all', 'POST /all/', got({ a: 1 }), encoded(' Identity ,', '{"a":1}')],
    ['and no body', 'POST /all/', got({}), { headers: { 'content-encoding': 'gzip' } }],
    ['whose bytes would be another body', 'POST /all/', packed, encoded('gzip', '{"admin":true}')],
  ])

  test('behind a parser that has read it: the same', async () => {
    const own = toListener(app)
    const server = createServer((request, response) => {
      request.resume().once('end', () => own(request, response))
    }).listen(0)
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const sent = { method: 'POST', path: '/all/', headers, body: gzipSync('{"a":1}') }
    const { status, headers: answered } = await sendTo((server.address() as AddressInfo).port, sent)
    expect([status, answered['accept-encoding']]).toEqual([415, 'identity'])
  })
})
describe('I12 the limit', () => {
  throughDoors(small, limits)
})
