import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ParseError } from '../../src/errors/client-errors.ts'
import { MultiPartParser } from '../../src/parsing/multipart.ts'
import { listsOf, parse, valuesOf } from './request.ts'

const parser = new MultiPartParser()

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
      'may hold what begins like the boundary',
      [...field('a', '1\r\n--bc\r\n--'), '--b--'],
      { a: ['1\r\n--bc\r\n--'] },
    ],
    [
      'stand between a preamble and an epilogue',
      ['hello', ...field('a', '1'), '--b--', 'bye', ...field('c', '2')],
      { a: ['1'] },
    ],
    [
      'may have blanks behind their boundary',
      ['--b \t', ...field('a', '1').slice(1), '--b--'],
      { a: ['1'] },
    ],
    ['need no line break at the end', [...field('a', '1'), '--b--'], { a: ['1'] }],
    [
      'may have a type and other headers',
      [
        '--b',
        'Content-Type: text/plain',
        'X-Odd',
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
  ])('%s', (_, lines, values) => {
    expect(Object.entries(valuesOf(read(lines)))).toEqual(Object.entries(values))
  })

  test('the charset of the body counts', () => {
    const bytes = Buffer.from([...field('a', '\xe9'), '--b--'].join('\r\n'), 'latin1')
    const form = parse(parser, bytes, { boundary: 'b', charset: 'iso-8859-1' })
    expect(valuesOf(form)).toEqual({ a: ['é'] })
  })
})

describe('B5 files', () => {
  test('have a name, a type and their bytes', () => {
    const bytes = Buffer.concat([
      Buffer.from(
        '--b\r\nContent-Disposition: form-data; name="f"; filename="ключ.png"\r\nContent-Type: Image/PNG; x=1\r\n\r\n',
      ),
      Buffer.of(0, 255, 13, 10, 45, 45),
      Buffer.from('\r\n--b--\r\n'),
    ])
    const [file] = valuesOf(parse(parser, bytes, { boundary: 'b' }))['f'] as object[]
    expect(file).toMatchObject({ filename: 'ключ.png', mediaType: 'image/png' })
    expect([...(file as { bytes: Uint8Array }).bytes]).toEqual([0, 255, 13, 10, 45, 45])
  })

  test.each<[title: string, parameters: string, filename: string | undefined]>([
    ['folders are cut off', 'filename="../../etc/passwd"', 'passwd'],
    ['also with backslashes', 'filename="C:\\\\dir\\\\x.txt"', 'x.txt'],
    ['quotes in names are escaped', 'filename="a\\"b.txt"', 'a"b.txt'],
    ['semicolons in names separate nothing', 'filename="a;b.txt"', 'a;b.txt'],
    [
      'RFC 8187 the extended name is preferred',
      `filename="x"; filename*=UTF-8''na%C3%AFve.txt`,
      'naïve.txt',
    ],
    ['RFC 8187 unless it is malformed', `filename="x"; filename*=UTF-8''%E9`, 'x'],
    ['RFC 8187 or in another charset', `filename="x"; filename*=latin1''%E9`, 'x'],
    ['a file input that nobody filled is nothing', 'filename=""', undefined],
    ['so is a name of folders alone', 'filename="a/.."', undefined],
  ])('%s', (_, parameters, filename) => {
    const form = valuesOf(
      read(['--b', `Content-Disposition: form-data; name=f; ${parameters}`, '', 'x', '--b--']),
    )
    const [file] = (form['f'] ?? []) as { filename: string; mediaType: string }[]
    expect(file?.filename).toBe(filename)
    if (file) expect(file.mediaType).toBe('application/octet-stream')
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
  ])('are refused with %s', (_, parameters: Record<string, string>) => {
    expect(() => parse(parser, '--b--', parameters)).toThrow(ParseError)
  })

  test.each(['', 'x', '--c\r\n', '-', '--', '--b', 'x--b--'])(
    '%j has no boundary: empty',
    (body) => {
      expect(valuesOf(parse(parser, body, { boundary: 'b' }))).toEqual({})
    },
  )

  test.each([
    ['that end in a value', field('a', '1').join('\r\n')],
    ['that end in headers', '--b\r\nContent-Disposition: form-data; name=a\r\n'],
    ['that end before the last boundary', [...field('a', '1'), '--b', ''].join('\r\n')],
    ['with a part that has no end of its headers', '--b\r\nfoo\r\n--b--\r\n'],
    ['with a part that is nothing at all', '--b\r\n--b--\r\n'],
    ['with a part that lacks its line break', '--b\r\n\r\n--b--\r\n'],
  ])('are refused %s', (_, body) => {
    expect(() => parse(parser, body, { boundary: 'b' })).toThrow(ParseError)
  })

  test('1,000 parts are read, more are refused', () => {
    const parts = (count: number) =>
      Array.from({ length: count }, (_, n) => field(`f${n}`, '1')).flat()
    expect(Object.keys(valuesOf(read([...parts(1000), '--b--'])))).toHaveLength(1000)
    expect(() => read([...parts(1001), '--b--'])).toThrow(ParseError)
  })

  test('fields written are read back, whatever is in them', () => {
    const pair = fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }))
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 5 }), (pairs) => {
        const lines = pairs.flatMap(([name, value]) => field(name.replace(/["\\]/g, '\\$&'), value))
        const form = parse(parser, [...lines.map(unlikely), '--boundary--'].join('\r\n'), {
          boundary: 'boundary',
        })
        expect(valuesOf(form)).toEqual(listsOf(pairs))
      }),
    )
  })

  test('any bytes are a form or a ParseError', () => {
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
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        for (const body of [pieces.join(''), `--b\r\n${pieces.join('')}`]) {
          try {
            valuesOf(parse(parser, body, { boundary: 'b' }))
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
  ])('of %s are read in linear time', (_, unit) => {
    const time = (length: number) => {
      const body = Buffer.from(`--b\r\n\r\nx\r\n--b${unit.repeat(length / unit.length)}`)
      const times = Array.from({ length: 5 }, () => {
        const start = performance.now()
        expect(() => parse(parser, body, { boundary: 'b' })).toThrow(ParseError)
        return performance.now() - start
      })
      return Math.min(...times)
    }
    expect(time(1_600_000)).toBeLessThan(Math.max(time(200_000), 0.5) * 40)
  })
})

function field(name: string, value: string): string[] {
  return ['--b', `Content-Disposition: form-data; name="${name}"`, '', value]
}

function unlikely(line: string): string {
  return line === '--b' ? '--boundary' : line
}

function read(lines: readonly string[]): unknown {
  return parse(parser, lines.join('\r\n'), { boundary: 'b' })
}
