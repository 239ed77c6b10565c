import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  FileParser,
  type FileTaker,
  type Form,
  JSONParser,
  MultiPartParser,
  type UploadedFile,
  configurationOf,
  defineApi,
  reply,
  toDirectory,
} from '../../src/index.ts'
import type { Permission } from '../../src/types.ts'
import { client } from '../../src/testing.ts'
import { type More, type Row, throughDoors } from './doors.ts'
import { DETAIL, quiet } from './fixtures.ts'

const spool = mkdtempSync(join(tmpdir(), 'uploads-'))
const kept = mkdtempSync(join(tmpdir(), 'kept-'))
const log: object[] = []
const api = defineApi({
  urls: {
    taken: '/taken/',
    stored: '/stored/',
    moved: '/moved/',
    late: '/late/',
    failing: '/failing/',
    unread: '/unread/',
    raw: '/raw/',
    rawStored: '/raw-stored/',
    ignored: '/ignored/',
    refused: '/refused/',
    throttled: '/throttled/',
    memory: '/memory/',
    small: '/small/',
    huge: '/huge/',
    few: '/few/',
    group: '/group/',
  },
  logger: { error: (record) => void log.push(record) },
})

/** Reads a file piece by piece and gives back what it has seen. */
const seen: FileTaker = async ({ field, name, stream }) => {
  let text = ''
  for await (const chunk of stream) text += Buffer.from(chunk).toString('latin1')
  return { field, name, length: text.length, begin: text.slice(0, 5) }
}
const taking = (files: FileTaker) => ({ parsers: [new MultiPartParser({ files })] })
const show = async ({ body }: { body(): Promise<unknown> }) => {
  const form = (await body()) as Form
  const shown: Record<string, unknown> = {}
  for (const name of form.names())
    shown[name] = form
      .getAll(name)
      .map((value) => (typeof value === 'string' ? value : facts(value)))
  return shown
}
const facts = ({ name, type, size, kept: own, path }: UploadedFile) => ({
  name,
  type,
  size,
  ...(own === undefined ? {} : { kept: own }),
  stored: path !== null,
})
const nothing: Permission = { hasPermission: () => false }
const group = api.group({ maxBodySize: 100_000, parsers: [new JSONParser()] })
const size = async ({ body }: { body(): Promise<unknown> }) => JSON.stringify(await body()).length

const endpoints = [
  api.endpoint('taken', { ...taking(seen), maxFileSize: 200_000 }).post(show),
  api.endpoint('stored', taking(toDirectory(spool))).post(async (request) => {
    const form = (await request.body()) as Form
    const file = form.get('f') as UploadedFile
    return {
      there: readdirSync(spool).length,
      text: Buffer.from(await file.bytes()).toString(),
      again: await new Response(file.stream()).text(),
    }
  }),
  api.endpoint('moved', taking(toDirectory(spool))).post(async (request) => {
    const file = ((await request.body()) as Form).get('f') as UploadedFile
    await file.moveTo(join(kept, 'moved'))
    return {
      now: file.path === join(kept, 'moved'),
      text: await new Response(file.stream()).text(),
    }
  }),
  api
    .endpoint(
      'late',
      taking(({ stream }) => stream),
    )
    .post(async (request) => {
      const file = ((await request.body()) as Form).get('f') as UploadedFile
      return new Response(file.kept as ReadableStream).text()
    }),
  api
    .endpoint(
      'failing',
      taking(() => {
        throw new Error('the bucket is away')
      }),
    )
    .post(show),
  api
    .endpoint(
      'unread',
      taking(() => 'not read'),
    )
    .post(show),
  api
    .endpoint('raw', { parsers: [new FileParser()], maxBodySize: 1_000_000 })
    .put(async ({ body }) =>
      new Response((await body()) as ReadableStream).text().then((text) => text.length),
    ),
  api
    .endpoint('rawStored', {
      parsers: [new FileParser({ mediaType: 'image/*', files: toDirectory(spool) })],
    })
    .put(async ({ body }) => facts((await body()) as UploadedFile)),
  api.endpoint('ignored', { parsers: [new FileParser()] }).put(async ({ body }) => {
    await body()
    return 'not read'
  }),
  api.endpoint('refused', { ...taking(toDirectory(spool)), permissions: [nothing] }).post(show),
  api.endpoint('memory', { maxFileSize: 10 }).post(show),
  api.endpoint('small', { maxBodySize: 10 }).post(size),
  api.endpoint('huge', { maxBodySize: 4 * 2 ** 20 }).post(size),
  api.endpoint('few', { maxFiles: 2, maxFields: 3 }).post(show),
  group.endpoint('group').post(size),
  group.endpoint('throttled', { maxBodySize: 200_000 }).post(size),
]
const app = api.serve(endpoints, quiet)
const operated = api.serve(endpoints, {
  configuration: configurationOf({
    DATA_UPLOAD_MAX_MEMORY_SIZE: 50,
    ALLOWED_HOSTS: ['localhost', '127.0.0.1'],
  }),
})

const part = (name: string, content: string, filename?: string, type?: string): string =>
  [
    '--b',
    `Content-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}`,
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    '',
    content,
    '',
  ].join('\r\n')
const form = (...parts: string[]): More => ({
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
  body: `${parts.join('')}--b--\r\n`,
})
const put = (body: string, headers = {}): More => ({
  headers: { 'content-type': 'application/octet-stream', ...headers },
  body,
})
const unstated = ({ headers, body }: More): More => ({
  headers: { ...headers, 'transfer-encoding': 'chunked' },
  body: body!,
})
const LONG = 'x'.repeat(150_000)
const ok = (data: unknown) => ({ status: 200, data })
const malformed = { status: 400, data: DETAIL }
const tooLarge = { status: 413, data: DETAIL }
const text = (length: number): More => ({ json: 'x'.repeat(length - 2) })

const takers: Row[] = [
  [
    'files beside fields, each by its name',
    'POST /taken/',
    ok({
      a: ['1'],
      f: [
        {
          name: 'x.txt',
          type: 'text/plain',
          size: 5,
          kept: { field: 'f', name: 'x.txt', length: 5, begin: 'hello' },
          stored: false,
        },
      ],
      b: ['2'],
    }),
    form(part('a', '1'), part('f', 'hello', 'x.txt', 'text/plain'), part('b', '2')),
  ],
  [
    'two files of one name',
    'POST /taken/',
    { status: 200, text: /"length":3,.*"length":150000,/ },
    form(part('f', 'one', 'a'), part('f', LONG, 'b')),
  ],
  ['an empty file', 'POST /taken/', { status: 200, text: /"size":0/ }, form(part('f', '', 'a'))],
  ['a file input that was not filled', 'POST /taken/', ok({}), form(part('f', 'x', ''))],
  ['no file at all', 'POST /taken/', ok({ a: ['1'] }), form(part('a', '1'))],
  ['nothing at all', 'POST /taken/', ok({}), { headers: form().headers! }],
  [
    'one byte more than a file may have',
    'POST /taken/',
    tooLarge,
    form(part('f', 'x'.repeat(200_001), 'a')),
  ],
  [
    'exactly that',
    'POST /taken/',
    { status: 200, text: /"size":200000,/ },
    form(part('f', 'x'.repeat(200_000), 'a')),
  ],
  [
    'a form that ends too soon',
    'POST /taken/',
    malformed,
    { ...form(), body: part('f', LONG, 'a') },
  ],
  [
    'no boundary',
    'POST /taken/',
    malformed,
    { headers: { 'content-type': 'multipart/form-data' }, body: 'x' },
  ],
  ['a body without its boundary', 'POST /taken/', malformed, { ...form(), body: LONG }],
  ['fields larger than memory', 'POST /taken/', 413, form(part('a', 'x'.repeat(2_621_440)))],
  [
    'a taker that fails',
    'POST /failing/',
    { status: 500, data: DETAIL },
    form(part('f', LONG, 'a'), part('g', LONG, 'b')),
  ],
  [
    'a taker that does not read',
    'POST /unread/',
    { status: 200, text: /"size":150000,"kept":"not read"/ },
    form(part('f', LONG, 'a')),
  ],
  [
    'a taker that reads too late',
    'POST /late/',
    { status: 500, data: DETAIL },
    form(part('f', LONG, 'a')),
  ],
]

describe('files that a function takes', () => {
  throughDoors(app, takers)
})

const names: Row[] = [
  ['folders', '../../etc/passwd', 'passwd'],
  ['NUL', 'a\0b.txt', 'ab.txt'],
  ['RFC 2231 with a slash', undefined, 'x', "filename*=UTF-8''..%2F..%2Fx"],
  ['marks that turn text around', 'a\u202Egnp.exe', 'agnp.exe'],
  ['blanks alone', '  ', 'file'],
  ['more than a file system takes', 'x'.repeat(1000), 'x'.repeat(255)],
].map(([title, filename, name, parameter]): Row => [
  title!,
  'POST /taken/',
  { status: 200, text: new RegExp(`^\\{"f":\\[\\{"name":${JSON.stringify(name)},`) },
  {
    ...form(),
    body: `--b\r\nContent-Disposition: form-data; name="f"; ${parameter ?? `filename="${filename!}"`}\r\n\r\nx\r\n--b--\r\n`,
  },
])

describe('names of files', () => {
  throughDoors(app, names)
  throughDoors(app, [
    [
      'a part whose name holds a line break is left out',
      'POST /taken/',
      ok({}),
      {
        ...form(),
        body: "--b\r\nContent-Disposition: form-data; name=f; filename*=UTF-8''a%0D%0AX-Evil:%201\r\n\r\nx\r\n--b--",
      },
    ],
  ])
})

const directory: Row[] = [
  [
    'are there while the request lasts, and can be read again',
    'POST /stored/',
    ok({ there: 1, text: 'hello', again: 'hello' }),
    form(part('f', 'hello', 'x')),
  ],
  ['can be moved away', 'POST /moved/', ok({ now: true, text: LONG }), form(part('f', LONG, 'x'))],
  [
    'a whole body',
    'PUT /raw-stored/',
    ok({ name: 'a b.png', type: 'image/png', size: 5, stored: true }),
    put('hello', {
      'content-type': 'image/png',
      'content-disposition': 'attachment; filename="/tmp/a b.png"',
    }),
  ],
  ['of another type', 'PUT /raw-stored/', { status: 415, data: DETAIL }, put('hello')],
  [
    'a form that ends too soon',
    'POST /stored/',
    malformed,
    { ...form(), body: part('f', LONG, 'x') },
  ],
  [
    'a form that is too large',
    'POST /stored/',
    tooLarge,
    unstated(form(part('f', 'x'.repeat(3_000_000), 'x'))),
  ],
  [
    'a form that is refused',
    'POST /refused/',
    { status: 403, data: DETAIL },
    form(part('f', LONG, 'x')),
  ],
]

describe('files in a directory', () => {
  throughDoors(app, directory)

  test('nothing is left of them, but what was moved', () => {
    expect(readdirSync(spool)).toEqual([])
    expect(readFileSync(join(kept, 'moved'), 'utf8')).toBe(LONG)
    expect(log.filter((record) => !/bucket|too late|in time/.test(JSON.stringify(record)))).toEqual(
      [],
    )
  })

  test('what a process left behind goes a day later, and nothing else', async () => {
    const old = new Date(Date.now() - 25 * 60 * 60 * 1000)
    for (const name of ['colophon-upload-old', 'colophon-upload-new', 'other'])
      writeFileSync(join(spool, name), 'x')
    for (const name of ['colophon-upload-old', 'other']) utimesSync(join(spool, name), old, old)
    const fresh = defineApi({ urls: { a: '/' } })
    const reading = fresh.endpoint('a', taking(toDirectory(spool))).post(async ({ body }) => {
      await body()
      return readdirSync(spool).toSorted()
    })
    const { data } = await client(fresh.serve([reading], quiet)).post('/', {
      multipart: { f: new File(['x'], 'x') },
    })
    const left = (data as string[]).filter((name) => !/upload-[0-9a-f]{32}$/.test(name))
    expect(left).toEqual(['colophon-upload-new', 'other'])
  })

  test('is too large, whatever a library makes of the error of its stream', async () => {
    const bucket: FileTaker = async ({ stream }) => {
      try {
        for await (const chunk of stream) void chunk
      } catch {
        throw new Error('The upload failed.')
      }
    }
    const wrapping = defineApi({ urls: { whole: '/whole/', form: '/form/' }, maxBodySize: 1000 })
    const read = async ({ body }: { body(): Promise<unknown> }) => void (await body())
    const whole = wrapping
      .endpoint('whole', { parsers: [new FileParser({ mediaType: 'text/plain', files: bucket })] })
      .put(read)
    const inForm = wrapping.endpoint('form', taking(bucket)).post(read)
    const service = wrapping.serve([whole, inForm], quiet)
    // A stream states no length.
    const body = new Blob(['x'.repeat(5000)]).stream()
    const init = { method: 'PUT', headers: { 'content-type': 'text/plain' }, duplex: 'half' }
    const answer = await service.fetch(new Request('http://localhost/whole/', { ...init, body }))
    expect(answer.status).toBe(413)
    const f = new File(['x'.repeat(5000)], 'x')
    expect((await client(service).post('/form/', { multipart: { f } })).status).toBe(413)
  })

  test('what cannot be removed stops no upload, and what is found later goes later', async () => {
    const shared = mkdtempSync(join(tmpdir(), 'swept-'))
    const stuck = join(shared, 'colophon-upload-stuck')
    mkdirSync(stuck)
    utimesSync(stuck, 0, 0)
    const fresh = defineApi({ urls: { a: '/' } })
    const reading = fresh.endpoint('a', taking(toDirectory(shared))).post(async ({ body }) => {
      await body()
      return null
    })
    const { post } = client(fresh.serve([reading], quiet))
    const upload = () => post('/', { multipart: { f: new File(['x'], 'x') } })
    for (let times = 0; times < 2; times++) expect((await upload()).status).toBe(200)
    // Left behind by a process that ended after this one began to sweep.
    writeFileSync(join(shared, 'colophon-upload-killed'), 'x')
    vi.useFakeTimers({ now: Date.now() + 25 * 60 * 60 * 1000, toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    expect((await upload()).status).toBe(200)
    expect(readdirSync(shared)).toEqual(['colophon-upload-stuck'])
  })

  test('a directory that is none refuses to start', () => {
    expect(() => toDirectory(join(spool, 'none'))).toThrow(
      /toDirectory\(.*none.*Make the directory/,
    )
    expect(() => toDirectory(join(kept, 'moved'))).toThrow(/it is no directory/)
  })
})

const bodies: Row[] = [
  ['a stream', 'PUT /raw/', ok(150_000), put(LONG)],
  ['a stream of no stated length', 'PUT /raw/', ok(150_000), unstated(put(LONG))],
  ['an empty stream', 'PUT /raw/', ok(0), { headers: put('').headers! }],
  ['one that says it is too large', 'PUT /raw/', tooLarge, put('x'.repeat(1_000_001))],
  ['one that does not say so', 'PUT /raw/', tooLarge, unstated(put('x'.repeat(1_000_001)))],
  ['one that is not read', 'PUT /ignored/', ok('not read'), put(LONG)],
  [
    'one that is not read, of no stated length',
    'PUT /ignored/',
    ok('not read'),
    unstated(put(LONG)),
  ],
]

describe('bodies that are streams', () => {
  throughDoors(app, bodies)
})

const sizes: Row[] = [
  ['of an endpoint, smaller: the limit', 'POST /small/', ok(10), text(10)],
  ['of an endpoint, smaller: beyond', 'POST /small/', tooLarge, text(11)],
  ['of an endpoint, larger: beyond the default', 'POST /huge/', ok(3_000_000), text(3_000_000)],
  ['of an endpoint, larger: beyond', 'POST /huge/', tooLarge, text(4 * 2 ** 20 + 1)],
  [
    'of no stated length',
    'POST /small/',
    tooLarge,
    unstated({ body: `"${LONG}"`, headers: { 'content-type': 'application/json' } }),
  ],
  ['of a group: the limit', 'POST /group/', ok(100_000), text(100_000)],
  ['of a group: beyond', 'POST /group/', tooLarge, text(100_001)],
  ['of an endpoint in a group', 'POST /throttled/', ok(200_000), text(200_000)],
  [
    'of one file',
    'POST /memory/',
    { status: 200, text: /"size":10,/ },
    form(part('f', '0123456789', 'x')),
  ],
  [
    'of one file, beyond',
    'POST /memory/',
    { status: 413, text: /file/ },
    form(part('f', '0123456789a', 'x')),
  ],
  ['a field is no file', 'POST /memory/', { status: 200 }, form(part('f', '0123456789a'))],
  ['files: the most', 'POST /few/', { status: 200 }, form(part('f', '', 'x'), part('f', '', 'y'))],
  [
    'files: one more',
    'POST /few/',
    { status: 400, text: /2 files/ },
    form(part('f', '', 'x'), part('f', '', 'y'), part('g', '', 'z')),
  ],
  [
    'fields: the most',
    'POST /few/',
    { status: 200 },
    form(part('a', ''), part('a', ''), part('a', '')),
  ],
  [
    'fields: one more',
    'POST /few/',
    { status: 400, text: /3 fields/ },
    form(...Array.from({ length: 4 }, () => part('a', ''))),
  ],
  [
    'fields of a plain form',
    'POST /few/',
    { status: 400, text: /3 fields/ },
    { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=1&b=2&c=3&d=4' },
  ],
  [
    'parts without names count too',
    'POST /few/',
    { status: 400, text: /5 parts/ },
    { ...form(), body: `${'--b\r\n\r\nx\r\n'.repeat(6)}--b--` },
  ],
  [
    '10,000 parts',
    'POST /taken/',
    { status: 400, text: /parts|fields/ },
    form(...Array.from({ length: 10_000 }, () => part('a', ''))),
  ],
  [
    '10,000 files',
    'POST /taken/',
    { status: 400, text: /100 files/ },
    form(...Array.from({ length: 10_000 }, () => part('a', '', 'x'))),
  ],
  [
    'endless headers of a part',
    'POST /taken/',
    malformed,
    { ...form(), body: `--b\r\nContent-Disposition: form-data; x=${'y'.repeat(1_000_000)}` },
  ],
]

describe('sizes', () => {
  throughDoors(app, sizes)
})
describe('sizes by key', () => {
  throughDoors(operated, [
    ['between api and endpoint', 'POST /group/', ok(100_000), text(100_000)],
    ['where nothing is nearer', 'POST /few/', 413, form(part('a', 'x'.repeat(60)))],
  ])
})

describe('what is wrong refuses to start', () => {
  test.each<[object, RegExp]>([
    [{ maxBodySize: -1 }, /"maxBodySize" must be a number of bytes/],
    [{ maxBodySize: '5 MB' }, /"maxBodySize" must be a number of bytes, but is "5 MB"/],
    [{ maxBodySize: null }, /"maxBodySize"/],
    [{ maxFileSize: 0.5 }, /"maxFileSize" must be a number of bytes, or null/],
    [{ maxFiles: -1 }, /"maxFiles" must be a whole number/],
    [{ maxFields: null }, /"maxFields"/],
  ])('%j', (setting, message) => {
    const wrong = defineApi({ urls: { a: '/' } })
    const endpoint = wrong.endpoint('a', setting).post(() => reply(null))
    expect(() => wrong.serve([endpoint], quiet)).toThrow(message)
    expect(() => wrong.serve([endpoint], quiet)).toThrow(/endpoint a/)
  })

  test('options of parsers', () => {
    expect(() => new MultiPartParser({ files: '/var/spool' as 'memory' })).toThrow(
      /"files" must be "memory"/,
    )
    expect(() => new FileParser({ files: 'memory' as 'stream' })).toThrow(
      /"files" must be "stream"/,
    )
  })
})

describe('the end of a request', () => {
  const ended: unknown[] = []
  const lines: object[] = []
  const ending = defineApi({
    urls: { a: '/' },
    logger: { error: (line) => void lines.push(line) },
  })
  const endpoint = ending.endpoint('a').post(async ({ onEnd, body }) => {
    onEnd((status) => void ended.push(['first', status]))
    onEnd(() => Promise.reject(new Error('cannot let go')))
    onEnd(async (status) => void ended.push(['last', status]))
    return body()
  })
  const asked = client(ending.serve([endpoint], quiet))

  test('is known with its status, last task first, whatever a task throws', async () => {
    expect((await asked.post('/', { json: 1 })).status).toBe(200)
    const headers = { 'content-type': 'application/json' }
    expect((await asked.post('/', { body: '{', headers })).status).toBe(400)
    expect(ended).toEqual([
      ['last', 200],
      ['first', 200],
      ['last', 400],
      ['first', 400],
    ])
    expect(lines).toMatchObject([{ event: 'request.end_failed' }, { event: 'request.end_failed' }])
  })
})
