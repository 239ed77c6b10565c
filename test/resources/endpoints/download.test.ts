import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import {
  type DownloadOptions,
  type Form,
  NotFound,
  type UploadedFile,
  defineApi,
  download,
  pathUnder,
} from '../../../src/index.ts'
import type { DownloadSource } from '../../../src/types.ts'
import { client } from '../../../src/testing.ts'
import { type Expected, type Row, doors, throughDoors } from '../../behaviour/doors.ts'
import { quiet } from '../../behaviour/fixtures.ts'

const root = mkdtempSync(join(tmpdir(), 'downloads-'))
afterAll(() => rmSync(root, { recursive: true }))
const path = join(root, 'letters.txt')
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const CHANGED = new Date('2026-01-02T03:04:05.678Z')
writeFileSync(path, LETTERS)
utimesSync(path, CHANGED, CHANGED)
writeFileSync(join(root, 'empty'), '')
mkdirSync(join(root, 'folder'))
writeFileSync(join(root, 'folder', 'inside'), 'inside')
writeFileSync(join(root, 'fresh'), 'fresh')
const outside = mkdtempSync(join(tmpdir(), 'outside-'))
writeFileSync(join(outside, 'secret'), 'secret')
symlinkSync(join(outside, 'secret'), join(root, 'link'))
symlinkSync(outside, join(root, 'folder', 'out'))
symlinkSync(path, join(root, 'folder', 'within'))
execFileSync('mkfifo', [join(root, 'pipe')])
const LARGE = Buffer.alloc(300_000, 'abc')
writeFileSync(join(root, 'large'), LARGE)

const log: object[] = []
const urls = {
  file: '/file/',
  bytes: '/bytes/',
  sized: '/sized/',
  stream: '/stream/',
  named: '/named/',
  none: '/none/',
  under: '/under/',
  inline: '/inline/',
  after: '/after/',
  upload: '/upload/',
  tagged: '/tagged/',
  post: '/post/',
  large: '/large/',
  fresh: '/fresh/',
  empty: '/empty/',
  memory: '/memory/',
  memoryParts: '/memory-parts/',
} as const
const api = defineApi({ urls, logger: { error: (record) => void log.push(record) } })
const give = (name: keyof typeof urls, source: () => DownloadSource, options?: DownloadOptions) =>
  api.endpoint(name).get((request) => download(request, source(), options))
const streamOf = (text: string): ReadableStream<Uint8Array> => new Blob([text]).stream()
const app = api.serve(
  [
    give('file', () => path, { type: 'text/plain; charset=utf-8' }),
    give('bytes', () => Buffer.from(LETTERS), { name: 'a.bin', etag: 'v1', lastModified: CHANGED }),
    give('sized', () => ({
      size: 26,
      etag: 's1',
      lastModified: CHANGED,
      open: (start, end) => streamOf(LETTERS.slice(start, end)),
    })),
    give('stream', () => streamOf(LETTERS), { name: 'export.csv', type: 'text/csv' }),
    api.endpoint('named').get((request) =>
      download(request, Buffer.from('x'), {
        name: request.query.get('name')!,
        type: request.query.get('type') ?? 'image/png',
      }),
    ),
    api
      .endpoint('none')
      .get((request) => download(request, join(root, request.query.get('name')!))),
    api
      .endpoint('under')
      .get(async (request) => download(request, await pathUnder(root, request.query.get('name')!))),
    api.endpoint('inline').get((request) =>
      download(request, Buffer.from('<b>'), {
        type: request.query.get('type')!,
        inline: request.query.get('any') === null ? true : 'any',
      }),
    ),
    api.endpoint('after').get(async (request) => {
      await download(request, path)
      throw new NotFound()
    }),
    api.endpoint('upload').post(async (request) => {
      const file = ((await request.body()) as Form).get('f') as UploadedFile
      return download(request, file, { inline: true })
    }),
    give('tagged', () => path, {
      etag: 'own',
      lastModified: null,
      headers: { 'Cache-Control': 'max-age=60' },
    }),
    api.endpoint('post').post((request) => download(request, path)),
    give('large', () => join(root, 'large')),
    give('fresh', () => join(root, 'fresh')),
    give('empty', () => join(root, 'empty')),
    give('memory', () => new Uint8Array()),
    give('memoryParts', () => Buffer.from(LETTERS), { type: 'text/plain; charset=utf-8' }),
  ],
  quiet,
)

const from = (range: string, headers = {}) => ({ headers: { range, ...headers } })
const part = (start: number, end: number): Expected => ({
  status: 206,
  text: LETTERS.slice(start, end),
  headers: {
    'content-range': `bytes ${start}-${end - 1}/26`,
    'content-length': String(end - start),
    'accept-ranges': 'bytes',
  },
})
const whole: Expected = {
  status: 200,
  text: LETTERS,
  headers: { 'content-range': null, 'content-length': '26', 'accept-ranges': 'bytes' },
}
const outsideOf: Expected = {
  status: 416,
  text: /range is outside the file/,
  headers: { 'content-range': 'bytes */26', 'content-disposition': null },
}
const MODIFIED = 'Fri, 02 Jan 2026 03:04:05 GMT'

const ranges: Row[] = (['file', 'bytes', 'sized'] as const).flatMap((name): Row[] => [
  [`${name}: none`, `GET /${name}/`, whole],
  [`${name}: the beginning`, `GET /${name}/`, part(0, 3), from('bytes=0-2')],
  [`${name}: one byte`, `GET /${name}/`, part(0, 1), from('bytes=0-0')],
  [`${name}: the middle`, `GET /${name}/`, part(5, 8), from('bytes=5-7')],
  [`${name}: to the end`, `GET /${name}/`, part(20, 26), from('bytes=20-')],
  [`${name}: beyond the end`, `GET /${name}/`, part(20, 26), from('bytes=20-999')],
  [
    `${name}: beyond every number`,
    `GET /${name}/`,
    part(20, 26),
    from(`bytes=20-${'9'.repeat(400)}`),
  ],
  [`${name}: the whole as a part`, `GET /${name}/`, part(0, 26), from('bytes=0-')],
  [`${name}: the last bytes`, `GET /${name}/`, part(23, 26), from('bytes=-3')],
  [`${name}: more last bytes than there are`, `GET /${name}/`, part(0, 26), from('bytes=-99')],
  [`${name}: the unit in any case`, `GET /${name}/`, part(0, 3), from('Bytes= 0-2 ')],
  [`${name}: behind the end`, `GET /${name}/`, outsideOf, from('bytes=26-')],
  [`${name}: far behind the end`, `GET /${name}/`, outsideOf, from('bytes=100-200')],
  [`${name}: no last bytes`, `GET /${name}/`, outsideOf, from('bytes=-0')],
  [`${name}: several are answered with the whole`, `GET /${name}/`, whole, from('bytes=0-1,3-4')],
  [`${name}: backwards`, `GET /${name}/`, whole, from('bytes=5-2')],
  [`${name}: of nothing`, `GET /${name}/`, whole, from('bytes=-')],
  [`${name}: of another unit`, `GET /${name}/`, whole, from('lines=0-1')],
  [`${name}: of no number`, `GET /${name}/`, whole, from('bytes=a-b')],
  [`${name}: negative`, `GET /${name}/`, whole, from('bytes=--1')],
  [
    `${name}: HEAD knows none`,
    `HEAD /${name}/`,
    {
      status: 200,
      text: '',
      headers: { 'content-length': '26', 'content-range': null, 'accept-ranges': 'bytes' },
    },
    from('bytes=0-2'),
  ],
])

describe('a range', () => {
  throughDoors(app, ranges)

  test('of any content is its slice', async () => {
    const content = join(root, 'any')
    const one = defineApi({ urls: { a: '/' } })
    const endpoint = one.endpoint('a').get((request) => download(request, content))
    const ways = doors(one.serve([endpoint], quiet))
    const number = fc.integer({ min: 0, max: 300_000 })
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ max: 127, maxLength: 200 }),
        fc.integer({ min: 1, max: 2000 }),
        number,
        fc.option(number),
        fc.constantFrom(...ways),
        async (seed, times, start, last, door) => {
          const bytes = Buffer.concat(Array.from({ length: times }, () => Buffer.from(seed)))
          writeFileSync(content, bytes)
          const range = `bytes=${start}-${last ?? ''}`
          const answer = await door.send({ method: 'GET', path: '/', headers: { range } })
          const slice = bytes.subarray(start, last === null ? undefined : last + 1)
          const isBackwards = last !== null && last < start
          expect(answer.status).toBe(isBackwards ? 200 : start < bytes.length ? 206 : 416)
          if (answer.status === 206) {
            expect(answer.headers['content-length']).toBe(String(slice.length))
            expect(answer.text).toBe(slice.toString())
          }
        },
      ),
      { numRuns: 150 },
    )
  })
})

describe('what the client has already', () => {
  const fileTag = async () => (await client(app).get('/file/')).header('etag')!
  const known: Expected = {
    status: 304,
    text: '',
    headers: {
      etag: '"v1"',
      'last-modified': MODIFIED,
      'content-type': null,
      'content-range': null,
    },
  }
  throughDoors(app, [
    ['its tag', 'GET /bytes/', known, { headers: { 'if-none-match': '"v1"' } }],
    [
      'its tag among others',
      'GET /bytes/',
      known,
      { headers: { 'if-none-match': '"a,b", W/"v1" , "c"' } },
    ],
    ['any tag', 'GET /bytes/', known, { headers: { 'if-none-match': ' * ' } }],
    ['another tag', 'GET /bytes/', whole, { headers: { 'if-none-match': '"v2"' } }],
    ['no tag', 'GET /bytes/', whole, { headers: { 'if-none-match': 'v1' } }],
    ['its time', 'GET /bytes/', known, { headers: { 'if-modified-since': MODIFIED } }],
    [
      'a later time',
      'GET /bytes/',
      known,
      { headers: { 'if-modified-since': 'Fri, 02 Jan 2026 03:04:06 GMT' } },
    ],
    [
      'an earlier time',
      'GET /bytes/',
      whole,
      { headers: { 'if-modified-since': 'Fri, 02 Jan 2026 03:04:04 GMT' } },
    ],
    ['no time', 'GET /bytes/', whole, { headers: { 'if-modified-since': '2030' } }],
    [
      'no time of a calendar',
      'GET /bytes/',
      whole,
      { headers: { 'if-modified-since': 'Fri, 99 Foo 2026 03:04:05 GMT' } },
    ],
    [
      'the tag goes before the time',
      'GET /bytes/',
      whole,
      { headers: { 'if-none-match': '"v2"', 'if-modified-since': MODIFIED } },
    ],
    ['before a range', 'GET /bytes/', known, from('bytes=0-2', { 'if-none-match': '"v1"' })],
    ['by HEAD', 'HEAD /bytes/', known, { headers: { 'if-none-match': '"v1"' } }],
    [
      'as a page for people',
      'GET /bytes/',
      known,
      { headers: { accept: 'text/html', 'if-none-match': '"v1"' } },
    ],
    ['If-Range with its tag', 'GET /bytes/', part(0, 3), from('bytes=0-2', { 'if-range': '"v1"' })],
    ['If-Range with another', 'GET /bytes/', whole, from('bytes=0-2', { 'if-range': '"v2"' })],
    [
      'If-Range with a time that is none, of what has no time',
      'GET /memory-parts/',
      whole,
      from('bytes=0-2', { 'if-range': 'Mon, 99 Foo 2026 99:99:99 GMT' }),
    ],
    ['If-Range with a weak one', 'GET /bytes/', whole, from('bytes=0-2', { 'if-range': 'W/"v1"' })],
    [
      'If-Range with its time',
      'GET /bytes/',
      part(0, 3),
      from('bytes=0-2', { 'if-range': MODIFIED }),
    ],
    [
      'If-Range with another time',
      'GET /bytes/',
      whole,
      from('bytes=0-2', { 'if-range': 'Fri, 02 Jan 2026 03:04:06 GMT' }),
    ],
    [
      'If-Range and nothing of the kind',
      'GET /tagged/',
      whole,
      from('bytes=0-2', { 'if-range': MODIFIED }),
    ],
    [
      'a tag of its own',
      'GET /tagged/',
      {
        status: 200,
        headers: { etag: '"own"', 'last-modified': null, 'cache-control': 'max-age=60' },
      },
    ],
    [
      'POST is never known',
      'POST /post/',
      { status: 200, text: LETTERS },
      { headers: { 'if-none-match': '*' } },
    ],
    ['POST has no part', 'POST /post/', { status: 200, text: LETTERS }, from('bytes=0-2')],
  ])

  test('a file has a strong tag, which another content does not have', async () => {
    const before = await fileTag()
    expect(before).toMatch(/^"[0-9a-z]+-[0-9a-z]+"$/)
    expect((await client(app).get('/file/', { headers: { 'if-none-match': before } })).status).toBe(
      304,
    )
    writeFileSync(path, LETTERS.toUpperCase())
    expect(await fileTag()).not.toBe(before)
    writeFileSync(path, LETTERS)
    utimesSync(path, CHANGED, CHANGED)
    expect(await fileTag()).toBe(before)
  })

  test('the time of a file that has just changed is no condition for a part', async () => {
    writeFileSync(join(root, 'fresh'), 'fresh')
    const ask = client(app)
    const time = (await ask.get('/fresh/')).header('last-modified')!
    const headers = { range: 'bytes=0-1', 'if-range': time }
    expect((await ask.get('/fresh/', { headers })).status).toBe(200)
  })

  test('a time to come is the present', async () => {
    const future = new Date(Date.now() + 1e9)
    utimesSync(join(root, 'fresh'), future, future)
    const time = (await client(app).get('/fresh/')).header('last-modified')!
    expect(Date.parse(time)).toBeLessThanOrEqual(Date.now())
  })

  test('answers do not vary by it', async () => {
    const headers = { range: 'bytes=0-1', 'if-none-match': '"x"', 'if-range': '"y"' }
    expect((await client(app).get('/bytes/', { headers })).header('vary')).toBe('Accept')
  })
})

const disposition = (value: string): Expected => ({
  status: 200,
  headers: { 'content-disposition': value, 'x-content-type-options': 'nosniff' },
})
const named = (name: string): string =>
  `GET /named/?name=${encodeURIComponent(name).replaceAll("'", '%27')}`

describe('a name', () => {
  throughDoors(app, [
    ['of a path is its last step', 'GET /file/', disposition('attachment; filename="letters.txt"')],
    ['of a stream is not known', 'GET /sized/', disposition('attachment')],
    ['of ASCII', named('a b.txt'), disposition('attachment; filename="a b.txt"')],
    [
      'beyond ASCII goes twice',
      named('naïve €.txt'),
      disposition(
        `attachment; filename="na_ve _.txt"; filename*=UTF-8''na%C3%AFve%20%E2%82%AC.txt`,
      ),
    ],
    [
      'with quotes',
      named('a"b\'(c)*.txt'),
      disposition(`attachment; filename="a_b'(c)*.txt"; filename*=UTF-8''a%22b%27%28c%29%2A.txt`),
    ],
    [
      'with a percent sign',
      named('100%41.txt'),
      disposition(`attachment; filename="100_41.txt"; filename*=UTF-8''100%2541.txt`),
    ],
    [
      'with line breaks',
      named('a\r\nX-Evil: 1.txt'),
      disposition('attachment; filename="aX-Evil: 1.txt"'),
    ],
    ['with folders', named('../../etc/passwd'), disposition('attachment; filename="passwd"')],
    ['with folders of Windows', named('C:\\a\\b.txt'), disposition('attachment; filename="b.txt"')],
    ['with NUL', named('a\0.txt'), disposition('attachment; filename="a.txt"')],
    ['of folders alone', named('../..'), disposition('attachment; filename="file"')],
    [
      'that turns text around',
      named('a\u202Egpj.exe'),
      disposition('attachment; filename="agpj.exe"'),
    ],
  ])

  test('with half a character is sent', async () => {
    const half = client(
      (() => {
        const one = defineApi({ urls: { a: '/' } })
        const endpoint = one
          .endpoint('a')
          .get((request) => download(request, Buffer.from('x'), { name: 'a\ud800' }))
        return one.serve([endpoint], quiet)
      })(),
    )
    expect((await half.get('/')).header('content-disposition')).toContain(
      "filename*=UTF-8''a%EF%BF%BD",
    )
  })
})

const shown = (type: string, headers = {}): Expected => ({
  status: 200,
  headers: { 'content-disposition': 'inline', 'content-type': type, ...headers },
})
const saved = (type: string): Expected => ({
  status: 200,
  headers: {
    'content-disposition': 'attachment',
    'content-type': type,
    'x-content-type-options': 'nosniff',
  },
})

describe('a type', () => {
  throughDoors(app, [
    [
      'is bytes by default',
      'GET /large/',
      { status: 200, headers: { 'content-type': 'application/octet-stream' } },
    ],
    [
      'may have a charset',
      'GET /file/',
      { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } },
    ],
    [
      'that is none is bytes',
      'GET /named/?name=a&type=nonsense',
      { status: 200, headers: { 'content-type': 'application/octet-stream' } },
    ],
    [
      'with a line break is bytes',
      'GET /named/?name=a&type=text/html%0D%0AX-Evil:1',
      { status: 200, headers: { 'content-type': 'application/octet-stream', 'x-evil': null } },
    ],
    ['that runs nothing is shown', 'GET /inline/?type=image/png', shown('image/png')],
    ['PDF is shown', 'GET /inline/?type=application/pdf', shown('application/pdf')],
    [
      'keeps a charset in quotes',
      'GET /inline/?type=text/plain;charset=%22utf-8%22',
      shown('text/plain; charset=utf-8'),
    ],
    ...['x, text/html', 'x; text/html', 'x\\"y', 'utf-8 ', ''].map(
      (charset) =>
        [
          `loses the charset ${JSON.stringify(charset)}`,
          `GET /inline/?type=${encodeURIComponent(`text/plain; charset="${charset}"`)}`,
          shown('text/plain'),
        ] as const,
    ),
    ['HTML is saved', 'GET /inline/?type=text/html', saved('text/html')],
    ['HTML in capitals is saved', 'GET /inline/?type=TEXT/HTML', saved('text/html')],
    ['SVG is saved', 'GET /inline/?type=image/svg%2Bxml', saved('image/svg+xml')],
    ['XML is saved', 'GET /inline/?type=text/xml', saved('text/xml')],
    ['JavaScript is saved', 'GET /inline/?type=text/javascript', saved('text/javascript')],
    [
      'HTML is shown where it is asked for, with the policy of pages',
      'GET /inline/?any=1&type=text/html',
      shown('text/html', { 'content-security-policy': /./, 'x-frame-options': 'DENY' }),
    ],
    [
      'SVG is shown where it is asked for, and runs nothing',
      'GET /inline/?any=1&type=image/svg%2Bxml',
      shown('image/svg+xml', { 'content-security-policy': /sandbox/ }),
    ],
  ])
})

describe('a file', () => {
  throughDoors(app, [
    ['that is not there', 'GET /none/?name=none', 404],
    ['that is a directory', 'GET /none/?name=folder', 404],
    ['below a file', 'GET /none/?name=large/x', 404],
    ['of too long a name', `GET /none/?name=${'x'.repeat(5000)}`, 404],
    ['with NUL in its name', 'GET /none/?name=a%00', 404],
    ['that is a pipe', 'GET /none/?name=pipe', 404],
    ['of no bytes', 'GET /empty/', { status: 200, text: '', headers: { 'content-length': '0' } }],
    ['of no bytes, its last ones', 'GET /empty/', { status: 200, text: '' }, from('bytes=-5')],
    ['of no bytes, its first', 'GET /empty/', 416, from('bytes=0-')],
    [
      'of no bytes in memory',
      'GET /memory/',
      { status: 200, text: '', headers: { 'content-length': '0' } },
    ],
    [
      'that is large',
      'GET /large/',
      { status: 200, text: LARGE.toString(), headers: { 'content-length': '300000' } },
    ],
    ['by HEAD', 'HEAD /large/', { status: 200, text: '', headers: { 'content-length': '300000' } }],
    [
      'shown to people is still the file',
      'GET /file/',
      whole,
      { headers: { accept: 'text/html' } },
    ],
    ['that a handler gives up', 'GET /after/', 404],
    [
      'a stream has no parts',
      'GET /stream/',
      {
        status: 200,
        text: LETTERS,
        headers: { 'accept-ranges': null, 'content-length': null, etag: null },
      },
      from('bytes=0-2'),
    ],
    ['a stream by HEAD', 'HEAD /stream/', { status: 200, text: '' }],
  ])

  test('of a form goes back with its name and type', async () => {
    const f = new File(['hello'], 'ä.png', { type: 'image/png' })
    const answer = await client(app).post('/upload/', { multipart: { f } })
    expect(answer.text).toBe('hello')
    expect(answer.header('content-type')).toBe('image/png')
    expect(answer.header('content-disposition')).toBe(
      `inline; filename="_.png"; filename*=UTF-8''%C3%A4.png`,
    )
  })

  test('an etag that cannot be sent is a mistake of the program', async () => {
    const request = { method: 'GET', header: () => null, onEnd: () => undefined }
    await expect(download(request, path, { etag: 'a"b' })).rejects.toThrow(TypeError)
  })
})

describe('a path under a directory', () => {
  const under = (name: string) => `GET /under/?name=${encodeURIComponent(name)}`
  throughDoors(app, [
    ['of its files', under('letters.txt'), { status: 200, text: LETTERS }],
    ['of its folders', under('folder/inside'), { status: 200, text: 'inside' }],
    ['by a link that stays within', under('folder/within'), { status: 200, text: LETTERS }],
    ...[
      '../outside',
      'folder/../../etc/passwd',
      'folder/../letters.txt',
      '..',
      '.',
      './letters.txt',
      '',
      '/etc/passwd',
      '//etc/passwd',
      'folder//inside',
      'link',
      'folder/out/secret',
      'a\0b',
      'letters.txt\0.png',
      '..\\letters.txt',
      'none',
      'letters.txt/x',
      'x'.repeat(5000),
      'folder',
      'folder/',
    ].map((name): Row => [`not ${JSON.stringify(name.slice(0, 30))}`, under(name), 404]),
  ])

  test('the directory itself must be there', async () => {
    await expect(pathUnder(join(root, 'none'), 'a')).rejects.toThrow(/ENOENT/)
  })

  test('a directory whose name begins like it is another', async () => {
    mkdirSync(`${root}-other`)
    symlinkSync(`${root}-other`, join(root, 'other'))
    writeFileSync(`${root}-other/a`, 'x')
    await expect(pathUnder(root, 'other/a')).rejects.toThrow(NotFound)
    rmSync(`${root}-other`, { recursive: true })
  })
})

test('none of this was a failure of ours', () => {
  expect(log).toEqual([])
})
