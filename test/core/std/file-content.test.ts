import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  contentTypeOf,
  imageSizeOf,
  isTypeOfContents,
  safeFileName,
  typeOfContent,
} from '../../../src/core/std/file-content.ts'
import { GIF, JPEG, PDF, PNG, SVG, WEBP, bytes } from './images.ts'
import { installed } from '../../house/tarball.ts'
import { expectLinear } from '../../setup/linear.ts'
import { CHARACTER } from '../../setup/characters.ts'

const text = (content: string): Uint8Array => new TextEncoder().encode(content)

/** A file of the ISO family: its brand, others that it is compatible with, and the size of a picture. */
const iso = (
  brand: string,
  compatible = '',
  sizes: readonly (readonly [number, number])[] = [],
) => {
  const brands = `\0\0\0${String.fromCharCode(16 + compatible.length)}ftyp${brand}\0\0\0\0${compatible}`
  const boxes = sizes.flatMap(([width, height]) => [
    ...u32(20),
    ...text('ispe'),
    ...u32(0),
    ...u32(width),
    ...u32(height),
  ])
  return bytes(...text(brands), ...u32(12 + boxes.length), ...text('meta'), ...u32(0), ...boxes)
}
const u32 = (value: number): number[] => [
  value >>> 24,
  (value >> 16) & 255,
  (value >> 8) & 255,
  value & 255,
]
/** Two frames of sound, as decoders look for them. */
const sound = (second: number) =>
  bytes(0xff, second, 0x90, 0x64, ...Array.from({ length: 600 }, () => 0))
const ebml = (kind: string) =>
  bytes(
    0x1a,
    0x45,
    0xdf,
    0xa3,
    0x80 + 3 + kind.length,
    0x42,
    0x82,
    0x80 + kind.length,
    ...text(kind),
  )

describe('kinds that the package file-type knows are the same with us', async () => {
  const { fileTypeFromBuffer } = (await import(
    pathToFileURL(
      join(await installed('test/house/peers'), 'node_modules/file-type/source/index.js'),
    ).href
  )) as { fileTypeFromBuffer: (data: Uint8Array) => Promise<{ mime: string } | undefined> }
  /** Where it has another name for the same. */
  const names: Readonly<Record<string, string>> = {
    'image/heif': 'image/heic',
    'image/heif-sequence': 'image/heic',
    'image/heic-sequence': 'image/heic',
    'audio/x-m4a': 'audio/mp4',
    'image/icns': 'image/x-icon',
  }

  test.each<[expected: string, content: Uint8Array]>([
    ['audio/mpeg', sound(0xfb)],
    ['audio/mpeg', sound(0xfa)],
    ['audio/mpeg', sound(0xf3)],
    ['audio/mpeg', sound(0xf2)],
    ['audio/aac', sound(0xf1)],
    ['audio/aac', sound(0xf9)],
    ['image/avif', iso('avif')],
    ['image/avif', iso('avis')],
    ['image/heic', iso('heic')],
    ['image/heic', iso('heix')],
    ['image/heic', iso('hevc')],
    ['image/heic', iso('mif1')],
    ['image/heic', iso('msf1')],
    ['video/3gpp', iso('3gp5')],
    ['video/3gpp2', iso('3g2a')],
    ['audio/mp4', iso('M4A ')],
    ['video/mp4', iso('isom')],
    ['video/quicktime', iso('qt  ')],
    ['image/bmp', bytes(...text('BM'), 0x46, 0, 0, 0, 0, 0, 0, 0, 0x36, 0, 0, 0)],
    ['image/tiff', bytes(0x49, 0x49, 0x2b, 0, 8, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0)],
    ['image/jxl', bytes(0xff, 0x0a, 0, 0, 0, 0)],
    ['image/jxl', bytes(0, 0, 0, 0x0c, ...text('JXL '), 0x0d, 0x0a, 0x87, 0x0a)],
    ['font/woff', bytes(...text('wOFF'), 0, 1, 0, 0, 0, 0)],
    ['font/woff2', bytes(...text('wOF2'), 0, 1, 0, 0, 0, 0)],
    ['video/matroska', ebml('matroska')],
    ['video/webm', ebml('webm')],
  ])('%s', async (expected, content) => {
    expect(contentTypeOf(content)).toBe(expected)
    const theirs = (await fileTypeFromBuffer(content))?.mime
    expect(names[theirs!] ?? theirs).toBe(expected)
  })
})

test('a still picture whose brands have AVIF behind the name of the family is one', () => {
  expect(contentTypeOf(iso('mif1', 'miafavif'))).toBe('image/avif')
  expect(contentTypeOf(iso('mif1', 'miafheic'))).toBe('image/heic')
})

test.each(['MZ is my initials', 'ID3 is a standard', 'BMW, Audi', 'wOFF wOF2'])(
  'a text that begins like a file is a text: %s',
  (words) => {
    expect(contentTypeOf(text(words))).toBe('text/plain')
    expect(contentTypeOf(text(`${words}\0`))).not.toBe('text/plain')
  },
)

describe('pictures of telephones', () => {
  test('have the largest of their sizes, which is no preview and no tile', () => {
    const sizes = [
      [512, 512],
      [4032, 3024],
      [320, 240],
    ] as const
    for (const brand of ['heic', 'avif'])
      expect(imageSizeOf(iso(brand, '', sizes))).toEqual({ width: 4032, height: 3024 })
  })

  test.each([
    iso('heic'),
    iso('heic').subarray(0, 20),
    iso('heic', '', [[0, 9]]),
    iso('avif', '', [[9, 9]]).subarray(0, 40),
  ])('that are damaged have none', (content) => expect(imageSizeOf(content)).toBeNull())
})

describe('what a file is', () => {
  test.each<[expected: string, content: Uint8Array]>([
    ['image/png', PNG(2, 3)],
    ['image/jpeg', JPEG(2, 3)],
    ['image/gif', GIF(2, 3)],
    ['image/webp', WEBP.lossy(2, 3)],
    ['image/avif', text('\0\0\0\x20ftypavif')],
    ['image/heic', text('\0\0\0\x20ftypheic')],
    ['video/mp4', text('\0\0\0\x20ftypisom')],
    ['application/pdf', PDF],
    ['application/zip', bytes(0x50, 0x4b, 3, 4, 20)],
    ['application/gzip', bytes(0x1f, 0x8b, 8, 0)],
    ['application/vnd.microsoft.portable-executable', bytes(0x4d, 0x5a, 0x90, 0)],
    ['audio/wav', text('RIFF0000WAVE')],
    ['application/octet-stream', text('RIFF0000RMID\0')],
    ['image/svg+xml', SVG],
    ['image/svg+xml', text('<?xml version="1.0"?>\n<!-- a -->\n<svg xmlns="x"/>')],
    ['image/svg+xml', text('\ufeff  <s:svg xmlns:s="x"/>'.replace('<s:svg', '<!-- --><s:svg'))],
    ['text/html', text('\n <!DOCTYPE HTML><p>')],
    ['text/html', text('<script>alert(1)</script>')],
    ['text/html', text('<!-- no page --><b>')],
    ['text/xml', text('<?xml version="1.0"?><feed/>')],
    ['text/plain', text('a,b\n1,2\n')],
    ['text/plain', text('ü'.repeat(40_000))],
    ['application/octet-stream', text('a\0b')],
    ['application/octet-stream', bytes(0xff, 0xfe, 0x3c, 0)],
    ['text/plain', bytes()],
    // Two signatures: the first bytes decide.
    ['image/gif', text('GIF89a/*<script>alert(1)</script>')],
  ])('%s', (expected, content) => {
    expect(contentTypeOf(content)).toBe(expected)
  })

  test.each<[content: string | Uint8Array, claimed: string, expected: string]>([
    ['a,b', 'text/csv', 'text/csv'],
    ['{}', 'application/json', 'application/json'],
    ['a', 'text/html', 'text/plain'],
    ['a', 'text/javascript', 'text/plain'],
    // Browsers take both for XML, which can hold programs.
    ['<feed xmlns="urn:a">', 'text/a+xml', 'text/plain'],
    ['<feed xmlns="urn:a">', 'text/xsl', 'text/plain'],
    ['a', 'application/javascript', 'text/plain'],
    ['a', 'image/svg+xml', 'text/plain'],
    ['a', 'image/png', 'text/plain'],
    ['<html>', 'text/csv', 'text/html'],
    ['<svg>', 'image/png', 'image/svg+xml'],
    [
      'PK\x03\x04',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ],
    ['PK\x03\x04', 'application/java-archive', 'application/zip'],
    ['a\0', 'application/x-parquet', 'application/x-parquet'],
    ['a\0', 'application/pdf', 'application/octet-stream'],
    ['a\0', 'application/xhtml+xml', 'application/octet-stream'],
    ['a\0', 'image/png', 'application/octet-stream'],
    ['a\0', 'application/gzip', 'application/octet-stream'],
    [PNG(1, 1), 'text/html', 'image/png'],
  ])('%j claimed to be %s', (content, claimed, expected) => {
    const head = typeof content === 'string' ? text(content) : content
    expect(typeOfContent(head, claimed)).toBe(expected)
  })
})

describe('how large an image is', () => {
  const sizes = fc.integer({ min: 1, max: 16_383 })

  test('as its header has it', () => {
    fc.assert(
      fc.property(sizes, sizes, (width, height) => {
        for (const image of [PNG, JPEG, GIF, WEBP.lossy, WEBP.lossless, WEBP.extended])
          expect(imageSizeOf(image(width, height))).toEqual({ width, height })
      }),
    )
  })

  test('beyond what other forms can hold', () => {
    expect(imageSizeOf(PNG(2 ** 31, 1))).toEqual({ width: 2 ** 31, height: 1 })
    expect(imageSizeOf(WEBP.extended(2 ** 24, 2 ** 17))).toEqual({
      width: 2 ** 24,
      height: 2 ** 17,
    })
  })

  test.each<[title: string, content: Uint8Array]>([
    ['no width', PNG(0, 3)],
    ['no height', GIF(3, 0)],
    ['another first chunk', PNG(2, 3).with(12, 0x4a)],
    ['no frame before the picture', bytes(0xff, 0xd8, 0xff, 0xda, 0, 2)],
    ['its end', bytes(0xff, 0xd8, 0xff, 0xd9)],
    ['a damaged lossy frame', WEBP.lossy(2, 3).with(23, 0)],
    ['a damaged lossless frame', WEBP.lossless(2, 3).with(20, 0)],
    ['an unknown kind of WebP', WEBP.lossy(2, 3).with(15, 0x39)],
    ['no image', PDF],
    ['a document', SVG],
  ])('null: %s', (_title, content) => {
    expect(imageSizeOf(content)).toBe(null)
  })

  test('null, and no error, for every piece of a header and for anything behind a signature', () => {
    const images = [PNG, JPEG, GIF, WEBP.lossy, WEBP.lossless, WEBP.extended].map((make) =>
      make(7, 9),
    )
    for (const image of images)
      for (let length = 0; length < image.length; length += 1)
        expect([null, { width: 7, height: 9 }]).toContainEqual(
          imageSizeOf(image.subarray(0, length)),
        )
    const starts = fc.constantFrom(
      new Uint8Array(),
      ...images.map((image) => image.subarray(0, 12)),
    )
    fc.assert(
      fc.property(starts, fc.uint8Array({ maxLength: 300 }), (start, rest) => {
        const head = new Uint8Array([...start, ...rest])
        expect(typeof contentTypeOf(head)).toBe('string')
        const size = imageSizeOf(head)
        expect(size === null || (size.width > 0 && size.height > 0)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  test('a million segments cost what their bytes cost', () =>
    expectLinear(
      (size) => {
        const bare = new Uint8Array(size).fill(0xff)
        bare[1] = 0xd8
        expect(imageSizeOf(bare)).toBe(null)
      },
      { size: 2 ** 17 },
    ))
})

describe('a safe name', () => {
  test.each<[name: string, content: Uint8Array, expected: string]>([
    ['photo.PNG', PNG(1, 1), 'photo.png'],
    ['photo.jpeg', JPEG(1, 1), 'photo.jpeg'],
    ['photo.jpg', PNG(1, 1), 'photo.png'],
    ['page.html', PNG(1, 1), 'page.png'],
    ['shell.php.png', PNG(1, 1), 'shell-php.png'],
    ['../../etc/passwd', text('root'), 'passwd.txt'],
    ['..\\..\\boot.ini', text('a'), 'boot.ini'],
    ['.htaccess', text('Deny'), 'file.txt'],
    ['..', text('a'), 'file.txt'],
    ['', text('a'), 'file.txt'],
    ['CON.txt', text('a'), 'CON-file.txt'],
    ['Übersicht 2024.pdf', PDF, 'Übersicht-2024.pdf'],
    ['U\u0308ber.pdf', PDF, 'Über.pdf'],
    ['gnp\u202e.png', PDF, 'gnp.pdf'],
    ['a"; filename="b.txt', text('a'), 'a-filename-b.txt'],
    ['data.csv', text('a,b'), 'data.csv'],
    ['evil.js', text('alert(1)'), 'evil.txt'],
    ['evil.php', text('a\0'), 'evil.bin'],
    ['data.parquet', text('a\0'), 'data.parquet'],
    ['data.png', text('a\0'), 'data.bin'],
    ['report.docx', bytes(0x50, 0x4b, 3, 4), 'report.docx'],
    [`${'x'.repeat(300)}.txt`, text('a'), `${'x'.repeat(40)}.txt`],
  ])('%j', (name, content, expected) => {
    expect(safeFileName(name, content)).toBe(expected)
  })

  test('whatever the client names', () => {
    const contents = fc.constantFrom(PNG(1, 1), PDF, SVG, text('a'), text('a\0'))
    fc.assert(
      fc.property(fc.string({ unit: CHARACTER, maxLength: 200 }), contents, (name, content) => {
        const safe = safeFileName(name, content)
        expect(safe).toMatch(/^[\p{L}\p{N}\p{M}_-]+\.[a-z\d]{1,10}$/u)
        expect(Buffer.byteLength(safe)).toBeLessThan(200)
      }),
      { numRuns: 1000 },
    )
  })
})

test('what a file is taken for is one of the types that can be asked for', () => {
  const heads = fc.oneof(
    fc.constantFrom(PNG(1, 1), PDF, SVG, text('a'), text('a\0'), text('<p>'), text('PK\x03\x04')),
    fc.uint8Array({ maxLength: 20 }),
  )
  const claims = fc.constantFrom('text/csv', 'application/json', 'application/vnd.x', 'image/jpg')
  fc.assert(
    fc.property(heads, claims, (head, claimed) => {
      expect(isTypeOfContents(typeOfContent(head, claimed))).toBe(true)
    }),
  )
})
