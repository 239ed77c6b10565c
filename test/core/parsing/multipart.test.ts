import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ParseError } from '../../../src/core/errors/api-errors.ts'
import type { UploadedFile } from '../../../src/core/std/http/form.ts'
import { DEFAULTS } from '../../../src/preset/built-in.ts'
import type { Incoming } from '../../../src/core/ports/request.ts'
import { FileParser } from '../../../src/core/parsing/file.ts'
import type { FileTaker } from '../../../src/core/parsing/files.ts'
import { MultiPartParser } from '../../../src/core/parsing/multipart.ts'
import { aliveBytes } from '../../setup/alive.ts'
import { listsOf, parse, valuesOf } from './request.ts'
import { expectLinear } from '../../setup/linear.ts'

const parser = new MultiPartParser()

/** More than any stream holds back. */
const LONG = 'x'.repeat(300_000)

describe('B5 fields', () => {
  test.each<[title: string, lines: string[], values: object]>([
    [
      'have a list of values for every name',
      [...field('a', '1'), ...field('b', 'é 日本'), ...field('a', '2'), '--b--', ''],
      { a: ['1', '2'], b: ['é 日本'] },
    ],
    ['may be empty', [...field('a', ''), '--b--', ''], { a: [''] }],
    ['may be none', ['--b--', ''], {}],
    [
      'keep line breaks inside',
      [...field('a', '\r\n1\r\n\r\n2\r\n'), '--b--'],
      { a: ['\r\n1\r\n\r\n2\r\n'] },
    ],
    [
      'may hold the boundary where no line begins',
      [...field('a', '1--b--\r\n--\r\n-b\n--b'), '--b--'],
      { a: ['1--b--\r\n--\r\n-b\n--b'] },
    ],
    [
      'end at a line that begins with the boundary (RFC 2046 §5.1.1)',
      [...field('a', '1\r\n--bc'), '--b--'],
      { a: ['1'] },
    ],
    [
      'stand between a preamble and an epilogue',
      ['hello', ...field('a', '1'), '--b--', 'bye', ...field('c', '2')],
      { a: ['1'] },
    ],
    ['need no line break at the end', [...field('a', '1'), '--b--'], { a: ['1'] }],
    [
      'may have a type and other headers',
      [
        '--b',
        'Content-Type: text/plain',
        'X-Odd: 1',
        'content-disposition: Form-Data; NAME=a',
        '',
        '1',
        '--b--',
      ],
      { a: ['1'] },
    ],
    [
      'may have folded headers',
      ['--b', 'Content-Disposition: form-data;', ' name="a"', '', '1', '--b--'],
      { a: ['1'] },
    ],
    [
      'without a name are left out',
      ['--b', 'Content-Disposition: form-data', '', '1', ...field('a', '2'), '--b--'],
      { a: ['2'] },
    ],
    [
      'of another disposition are left out',
      ['--b', 'Content-Disposition: attachment; name=a', '', '1', '--b--'],
      {},
    ],
    ['without headers are left out', ['--b', '', 'x', ...field('a', '2'), '--b--'], { a: ['2'] }],
    [
      'without an end of their headers are left out',
      ['--b', 'foo', ...field('a', '2'), '--b--'],
      { a: ['2'] },
    ],
    [
      'of nothing at all are left out',
      ['--b', '--b', '', ...field('a', '2'), '--b--'],
      { a: ['2'] },
    ],
    [
      'that are left out may be long',
      [
        `--b\r\n\r\n${LONG}\r\n--b\r\n${LONG}`,
        `--b\r\nContent-Disposition: form-data\r\n\r\n${LONG}`,
        `--b\r\nContent-Disposition: attachment\r\n\r\n${LONG}`,
        ...field('a', '2'),
        '--b--',
      ],
      { a: ['2'] },
    ],
    [
      'may be long, and so may be what stands around them',
      [LONG, ...field('a', LONG), ...field('b', LONG), '--b--', LONG],
      { a: [LONG], b: [LONG] },
    ],
    [
      'with line breaks in their names are left out',
      [...field('x\ny', '1'), ...field('x\ry', '1'), ...field('a', '2'), '--b--'],
      { a: ['2'] },
    ],
    ['may have an empty name', [...field('', '1'), '--b--'], { '': ['1'] }],
    [
      'may be named like parts of a prototype',
      [...field('__proto__', '1'), ...field('constructor', '2'), '--b--'],
      { ['__proto__']: ['1'], constructor: ['2'] },
    ],
    [
      'may have headers that are named so',
      ['--b', '__proto__: x', 'constructor: y', ...field('a', '1').slice(1), '--b--'],
      { a: ['1'] },
    ],
  ])('%s', async (_, lines, values) => {
    expect(Object.entries(valuesOf(await read(lines)))).toEqual(Object.entries(values))
  })

  test('the charset of the body counts', async () => {
    const bytes = Buffer.from([...field('a', '\xe9'), '--b--'].join('\r\n'), 'latin1')
    const form = await parse(parser, bytes, { boundary: 'b', charset: 'iso-8859-1' })
    expect(valuesOf(form)).toEqual({ a: ['é'] })
  })
})

describe('B5 files', () => {
  test('have a name, a type and their bytes', async () => {
    const bytes = Buffer.concat([
      Buffer.from(
        '--b\r\nContent-Disposition: form-data; name="f"; filename="ключ.png"\r\nContent-Type: Image/PNG; x=1\r\n\r\n',
      ),
      Buffer.of(0, 255, 13, 10, 45, 45),
      Buffer.from('\r\n--b--\r\n'),
    ])
    const [file] = valuesOf(await parse(parser, bytes, { boundary: 'b' }))['f'] as object[]
    expect(file).toMatchObject({ name: 'ключ.png', type: 'image/png', size: 6, path: null })
    expect([...(await (file as UploadedFile).bytes())]).toEqual([0, 255, 13, 10, 45, 45])
  })

  test.each<[title: string, parameters: string, filename: string | undefined]>([
    ['folders are cut off', 'filename="../../etc/passwd"', 'passwd'],
    ['also with backslashes', 'filename="C:\\\\dir\\\\x.txt"', 'x.txt'],
    ['also with backslashes that escape nothing', 'filename="C:\\dir\\x.txt"', 'x.txt'],
    ['quotes in names are escaped', 'filename="a\\"b.txt"', 'a"b.txt'],
    ['semicolons in names separate nothing', 'filename="a;b.txt"', 'a;b.txt'],
    ['RFC 8187 names may be extended', `filename*=UTF-8''na%C3%AFve.txt`, 'naïve.txt'],
    ['RFC 8187 folders are cut off these too', `filename*=UTF-8''a%2F..%2Fx.txt`, 'x.txt'],
    ['RFC 8187 bytes that are no text are replaced', `filename*=UTF-8''%E9`, '\ufffd'],
    ['a file input that nobody filled is nothing', 'filename=""', undefined],
    ['so is a name of folders alone', 'filename="a/.."', undefined],
  ])('%s', async (_, parameters, filename) => {
    const form = valuesOf(
      await read([
        '--b',
        `Content-Disposition: form-data; name=f; ${parameters}`,
        '',
        'x',
        '--b--',
      ]),
    )
    const [file] = (form['f'] ?? []) as UploadedFile[]
    expect(file?.name).toBe(filename)
    if (file) expect(file.type).toBe('text/plain')
  })

  test('have no type that is none', async () => {
    const [head = '', disposition = '', ...rest] = field('f', 'x')
    const lines = [head, `${disposition}; filename="x"`, 'Content-Type: <b>', ...rest, '--b--']
    expect(valuesOf(await read(lines))['f']).toMatchObject([{ type: 'application/octet-stream' }])
  })

  test('may be large and many', async () => {
    const file = ['--b', 'Content-Disposition: form-data; name="f"; filename="x"', '', LONG]
    const form = valuesOf(await read([...file, ...file, ...field('a', '1'), ...file, '--b--']))
    expect(form['a']).toEqual(['1'])
    const sizes = (form['f'] as UploadedFile[]).map(({ size }) => size)
    expect(sizes).toEqual([LONG.length, LONG.length, LONG.length])
  })
})

describe('B5 bodies', () => {
  test.each([
    ['no boundary', {}],
    ['an empty boundary', { boundary: '' }],
    ['a boundary of control characters', { boundary: 'a\r\nb' }],
    ['a boundary beyond ASCII', { boundary: 'é' }],
    ['a boundary that ends with a blank', { boundary: 'b ' }],
    ['an endless boundary', { boundary: 'b'.repeat(201) }],
  ])('are refused with %s', async (_, parameters: Record<string, string>) => {
    await expect(parse(parser, '--b--', parameters)).rejects.toThrow(ParseError)
  })

  test.each([`'`, 'a b', 'a;b="c"', String.raw`a\"b`, '(x+y)=*?/:,._-', 'b'.repeat(200)])(
    'may have the boundary %j',
    async (boundary) => {
      const lines = [`--${boundary}`, ...field('a', '1').slice(1), `--${boundary}--`]
      const form = await parse(parser, lines.join('\r\n'), { boundary })
      expect(valuesOf(form)).toEqual({ a: ['1'] })
    },
  )

  test.each(['', 'x', '--c\r\n', '-', '--', '\r\n-b'])(
    '%j has no boundary: empty',
    async (body) => {
      expect(valuesOf(await parse(parser, body, { boundary: 'b' }))).toEqual({})
    },
  )

  test.each([
    ['that end in a value', field('a', '1').join('\r\n')],
    ['that end in headers', '--b\r\nContent-Disposition: form-data; name=a\r\n'],
    ['that end before the last boundary', [...field('a', '1'), '--b', ''].join('\r\n')],
    ['that end in a file', `${fileHead()}x`],
    ['that end in a long file', `${fileHead()}${LONG}`],
    ['that end in a part left out', `--b\r\n\r\n${LONG}`],
    ['that end in a boundary', '--b'],
    ['that end in the last boundary', [...field('a', '1'), '--b-'].join('\r\n')],
    ['in which the boundary begins no line', 'x--b--'],
  ])('are refused %s', async (_, body) => {
    await expect(parse(parser, body, { boundary: 'b' })).rejects.toThrow(ParseError)
  })

  test.each(['--b--', '--b\r\nfoo\r\n--b--\r\n', '--b\r\n--b--', '--b\r\n\r\n--b--\r\n'])(
    '%j has no part with a name: empty',
    async (body) => {
      expect(valuesOf(await parse(parser, body, { boundary: 'b' }))).toEqual({})
    },
  )

  test('1,000 parts are read, more are refused', async () => {
    const parts = (count: number) =>
      Array.from({ length: count }, (_, n) => field(`f${n}`, '1')).flat()
    expect(Object.keys(valuesOf(await read([...parts(1000), '--b--'])))).toHaveLength(1000)
    await expect(read([...parts(1001), '--b--'])).rejects.toThrow(ParseError)
  })

  test('fields written are read back, whatever is in them', async () => {
    const pair = fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }))
    await fc.assert(
      fc.asyncProperty(fc.array(pair, { maxLength: 5 }), async (pairs) => {
        const lines = pairs.flatMap(([name, value]) => field(name.replace(/["\\]/g, '\\$&'), value))
        const form = await parse(parser, [...lines.map(unlikely), '--boundary--'].join('\r\n'), {
          boundary: 'boundary',
        })
        expect(valuesOf(form)).toEqual(listsOf(pairs))
      }),
    )
  })

  test('any bytes are a form or a ParseError', async () => {
    const piece = fc.constantFrom(
      '--b',
      '\r\n',
      '--',
      '\n',
      ' ',
      ':',
      'Content-Disposition: form-data; name="a"',
      '; filename="x"',
      'Content-Type: text/plain',
      '\r\n\r\n',
      '"',
      '\\',
      '__proto__:',
      '\0',
      'é',
      '\r\n--b--\r\n',
      fileHead(),
      LONG,
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 25 }), async (pieces) => {
        for (const body of [pieces.join(''), `--b\r\n${pieces.join('')}`]) {
          try {
            valuesOf(await parse(parser, body, { boundary: 'b' }))
          } catch (error) {
            expect(error).toBeInstanceOf(ParseError)
          }
        }
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    ['boundaries that are none', '\r\n--bb'],
    ['line breaks', '\r\n'],
    ['blanks behind a boundary', ' '],
    ['parts', '\r\n--b\r\n\r\n'],
    ['half boundaries', '\r\n--'],
  ])('of %s are read in linear time', async (_, unit) => {
    await expectLinear(
      async (length) => {
        const body = Buffer.from(`--b\r\n\r\nx\r\n--b${unit.repeat(length / unit.length)}`)
        await expect(parse(parser, body, { boundary: 'b' })).rejects.toThrow(ParseError)
      },
      { size: 200_000 },
    )
  })
})

function field(name: string, value: string): string[] {
  return ['--b', `Content-Disposition: form-data; name="${name}"`, '', value]
}

function fileHead(): string {
  return '--b\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\n'
}

function unlikely(line: string): string {
  return line === '--b' ? '--boundary' : line
}

async function read(lines: readonly string[]): Promise<unknown> {
  return parse(parser, lines.join('\r\n'), { boundary: 'b' })
}

test.each([
  ['a form', (files: FileTaker) => new MultiPartParser({ files }), 'multipart/form-data'],
  ['a whole body', (files: FileTaker) => new FileParser({ files }), 'text/plain'],
])('of %s, no more is read than is taken', async (_, parserOf, type) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let sent = 0
  let taken = 0
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(fileHead())
    for (; sent < 50; sent++) yield Buffer.alloc(1000, 'x')
    yield Buffer.from('\r\n--b--\r\n')
  }
  const one = parserOf(async ({ stream }) => {
    for await (const chunk of stream) {
      taken += chunk.length
      await promise
    }
  })
  const request = { settings: DEFAULTS, header: () => null, onEnd: () => undefined }
  const contentType = { type, parameters: { boundary: 'b' } }
  const reading = one.parseStream!(chunks(), contentType, request as unknown as Incoming)
  await new Promise((later) => setTimeout(later, 50))
  expect(sent).toBeLessThan(4)
  resolve()
  await reading
  expect(taken).toBeGreaterThanOrEqual(50_000)
})

test('nothing is kept of the chunks that were taken', async () => {
  const CHUNKS = 50_000
  let [before, after] = [0, 0]
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(fileHead())
    for (let sent = 0; sent < CHUNKS; sent++) {
      if (sent === 1000) before = aliveBytes()
      yield Buffer.from('x')
    }
    after = aliveBytes()
    yield Buffer.from('\r\n--b--\r\n')
  }
  const one = new MultiPartParser({
    files: async ({ stream }) => {
      for await (const chunk of stream) void chunk
    },
  })
  const request = { settings: DEFAULTS, header: () => null, onEnd: () => undefined }
  const contentType = { type: 'multipart/form-data', parameters: { boundary: 'b' } }
  await one.parseStream!(chunks(), contentType, request as unknown as Incoming)
  expect((after - before) / CHUNKS).toBeLessThan(50)
})

test('it does not matter how a form is cut into chunks', async () => {
  const one = new MultiPartParser({
    files: ({ stream }) => new Response(stream).text(),
  })
  const contentType = { type: 'multipart/form-data', parameters: { boundary: 'b' } }
  const request = { settings: DEFAULTS, header: () => null, onEnd: () => undefined }
  const outcome = async (body: Buffer, length: number): Promise<string> => {
    async function* chunks(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < body.length; at += length) yield body.subarray(at, at + length)
    }
    try {
      const form = await one.parseStream!(chunks(), contentType, request as unknown as Incoming)
      return JSON.stringify(valuesOf(form))
    } catch (error) {
      return String(error)
    }
  }
  const piece = fc.constantFrom(
    '--b',
    '\r\n',
    '--',
    '\n',
    '\r',
    'x',
    fileHead(),
    '\r\n--b--\r\n',
    '\r\n--b\r\n',
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 14 }),
      fc.integer({ min: 1, max: 9 }),
      async (pieces, length) => {
        const body = Buffer.from(fileHead() + pieces.join(''))
        expect(await outcome(body, length)).toBe(await outcome(body, body.length))
      },
    ),
    { numRuns: 300 },
  )
})
