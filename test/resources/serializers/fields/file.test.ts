import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type FileStore,
  ConfigurationError,
  Conflict,
  MultiPartParser,
  configurationOf,
  defineApi,
  defineUrls,
  directoryStore,
  field,
  many,
  serializer,
  toDirectory,
} from '../../../../src/index.ts'
import type { CheckedFile } from '../../../../src/types.ts'
import type { AnyField } from '../../../../src/resources/serializers/declaration.ts'
import { ChangedMeanwhile } from '../../../../src/core/errors/api-errors.ts'
import { partialUpdate } from '../../../../src/resources/endpoints/writing.ts'
import { client } from '../../../../src/testing.ts'
import { GIF, JPEG, PDF, PNG, SVG, WEBP } from '../../../core/std/images.ts'
import { outcome, request } from '../reading.ts'

const folder = mkdtempSync(join(tmpdir(), 'files-'))
const incoming = mkdtempSync(join(tmpdir(), 'incoming-'))
afterAll(() => [folder, incoming].forEach((each) => rmSync(each, { recursive: true })))

type Content = Uint8Array | string
const named = (content: Content, name = 'photo.png', type = 'image/png'): File =>
  new File([content as Uint8Array<ArrayBuffer>], name, { type })

const urls = defineUrls({ things: '/things/', file: '/files/:key<str>/' })
const parsers = {
  'in memory': new MultiPartParser(),
  'on disk': new MultiPartParser({ files: toDirectory(incoming) }),
}

/** What a service answers that reads a form into this field. */
function service(
  kind: AnyField,
  shows: (input: never) => unknown,
  how: keyof typeof parsers = 'in memory',
) {
  const thing = serializer({ title: field.text(), it: kind })
  const api = defineApi({ urls })
  const things = api
    .endpoint('things', { parsers: [parsers[how]] })
    .post(async (req) => shows((await thing.parse(await req.body(), req)) as never))
  const files = api.endpoint('file').get(() => null)
  const app = api.serve([things, files], { configuration: configurationOf() })
  return (it: File | readonly File[] | null, title = 'a') =>
    client(app).post('/things/', { multipart: { title, ...(it === null ? {} : { it }) } })
}

const facts = ({ it }: { it: CheckedFile }) => {
  const { name, type, size, width, height } = it
  return { name, type, size, width, height }
}

describe.each(['in memory', 'on disk'] as const)('a file %s', (how) => {
  const read = (kind: AnyField, ...sent: Parameters<typeof named>) =>
    service(kind, facts, how)(named(...sent))

  test.each<[title: string, sent: Parameters<typeof named>, expected: object]>([
    [
      'an image',
      [PNG(2, 3)],
      { name: 'photo.png', type: 'image/png', size: 29, width: 2, height: 3 },
    ],
    [
      'one with a lie for a name',
      [JPEG(4, 5), 'a.html', 'text/html'],
      { name: 'a.jpg', type: 'image/jpeg', width: 4, height: 5 },
    ],
    [
      'a document',
      [PDF, 'a.png'],
      { name: 'a.pdf', type: 'application/pdf', width: null, height: null },
    ],
    ['a kind of text', ['a,b', 'a.csv', 'text/csv'], { name: 'a.csv', type: 'text/csv' }],
    ['a page', ['<html>', 'a.txt', 'text/plain'], { name: 'a.html', type: 'text/html' }],
    [
      'two things at once',
      ['GIF89a/*<script>', 'a.js', 'text/javascript'],
      { name: 'a.gif', type: 'image/gif' },
    ],
  ])('%s', async (_title, sent, expected) => {
    expect((await read(field.file(), ...sent)).data).toMatchObject(expected)
  })

  test.each<[title: string, kind: AnyField, sent: Content, message: string]>([
    ['an empty file', field.file(), '', 'This file is empty.'],
    ['a large file', field.file({ maxSize: 4 }), 'abcde', 'Send a file of at most 4 bytes.'],
    [
      'another type',
      field.file({ types: ['application/pdf', 'text/*'] }),
      PNG(1, 1),
      'Files of this type are not accepted. Send one of these types: application/pdf, text/*.',
    ],
    [
      'SVG as an image',
      field.image(),
      SVG,
      'Files of this type are not accepted. Send one of these types: image/png, image/jpeg, image/gif, image/webp.',
    ],
    [
      'SVG in a range',
      field.file({ types: ['image/*'] }),
      SVG,
      'Files of this type are not accepted. Send one of these types: image/*.',
    ],
    ...['<html><script>', '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">'].map(
      (content): [string, AnyField, string, string] => [
        `${content} in a range`,
        field.file({ types: ['text/*'] }),
        content,
        'Files of this type are not accepted. Send one of these types: text/*.',
      ],
    ),
    [
      'another image',
      field.image({ types: ['image/png'] }),
      GIF(1, 1),
      'Files of this type are not accepted. Send one of these types: image/png.',
    ],
    ['a damaged image', field.image(), PNG(0, 1), 'This file is not an image, or it is damaged.'],
    [
      'a wide image',
      field.image({ maxWidth: 9 }),
      PNG(10, 1),
      'The image must be at most 9 pixels wide.',
    ],
    [
      'a high image',
      field.image({ maxHeight: 9 }),
      WEBP.lossy(1, 10),
      'The image must be at most 9 pixels high.',
    ],
    [
      'a narrow image',
      field.image({ minWidth: 9 }),
      GIF(8, 9),
      'The image must be at least 9 pixels wide.',
    ],
    [
      'a flat image',
      field.image({ minHeight: 9 }),
      GIF(9, 8),
      'The image must be at least 9 pixels high.',
    ],
    [
      'a huge image',
      field.image(),
      PNG(10_001, 10_000),
      'The image must have at most 100000000 pixels.',
    ],
    [
      'more pixels than allowed',
      field.image({ maxPixels: 99 }),
      PNG(10, 10),
      'The image must have at most 99 pixels.',
    ],
  ])('%s is refused', async (_title, kind, content, message) => {
    const { status, data } = await read(kind, content)
    expect({ status, data }).toEqual({ status: 400, data: { it: [message] } })
  })

  test.each<[title: string, kind: AnyField, sent: Content]>([
    [
      'an image at its limits',
      field.image({ maxWidth: 9, maxHeight: 9, minWidth: 9, minHeight: 9, maxPixels: 81 }),
      PNG(9, 9),
    ],
    ['SVG where it is named', field.file({ types: ['image/svg+xml'] }), SVG],
    ['a range', field.file({ types: ['image/*'], maxSize: 29 }), PNG(1, 1)],
  ])('%s is taken', async (_title, kind, content) => {
    expect((await read(kind, content)).status).toBe(200)
  })

  test('what is wrong with an image is reported together', async () => {
    const { data } = await read(field.image({ maxWidth: 1, maxHeight: 1 }), PNG(2, 2))
    expect((data as { it: unknown[] }).it).toHaveLength(2)
  })

  test('a header behind a long preview is found', async () => {
    const [start, rest] = [JPEG(7, 9).subarray(0, 2), JPEG(7, 9).subarray(2)]
    const segment = new Uint8Array(65_537)
    segment.set([0xff, 0xe1, 0xff, 0xff])
    const content = new Uint8Array([...start, ...segment, ...segment, ...segment, ...rest])
    expect((await read(field.image(), content)).data).toMatchObject({ width: 7, height: 9 })
  })

  test('content is there for the handler', async () => {
    const content = async ({ it }: { it: CheckedFile }) =>
      new TextDecoder().decode(await it.bytes())
    const { data } = await service(
      field.file(),
      content,
      how,
    )(named('hello', 'a.txt', 'text/plain'))
    expect(data).toBe('hello')
  })
})

test.each(['a.png', 7, {}, [], { stream: 'x' }])('%j of JSON is no file', async (it) => {
  expect(await outcome(serializer({ it: field.file() }), { it })).toEqual({
    codes: { it: ['invalid'] },
  })
})

test('a file may be missing where it is not required', async () => {
  const post = service(field.file({ required: false, nullable: true }), (input) => input)
  expect((await post(null)).data).toEqual({ title: 'a' })
  expect((await service(field.file(), facts)(null)).data).toEqual({
    it: ['This field is missing.'],
  })
})

test('OPTIONS has the kind, the limit and the types', () => {
  const { it, pic } = serializer({ it: field.file({ maxSize: 9 }), pic: field.image() }).describe(
    request,
  )
  expect(it).toEqual({
    type: 'file upload',
    required: true,
    read_only: false,
    label: 'It',
    max_size: 9,
  })
  expect(pic).toMatchObject({
    type: 'image upload',
    media_types: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
  })
})

test('an image of which the size is not known is no image here', () => {
  expect(() => field.image({ types: ['image/svg+xml' as 'image/png'] })).toThrow(ConfigurationError)
})

describe('a store', () => {
  beforeEach(() =>
    readdirSync(folder).forEach((each) => rmSync(join(folder, each), { recursive: true })),
  )
  const store = directoryStore(folder, { url: '/media' })
  const kept = (): string[] => readdirSync(folder)

  test.each(['in memory', 'on disk'] as const)('keeps what was %s', async (how) => {
    const post = service(field.image({ store }), (input) => input, how)
    const { data } = await post(named(PNG(2, 3), 'My photo.html'))
    const { it } = data as { it: string }
    expect(it).toMatch(/^[\w-]{22}-My-photo\.png$/)
    expect(kept()).toEqual([it])
    expect(new Uint8Array(readFileSync(join(folder, it)))).toEqual(PNG(2, 3))
  })

  test.each(['in memory', 'on disk'] as const)(
    'is read by those who read the directory, %s',
    async (how) => {
      for (const [mode, expected] of [
        [0o755, 0o644],
        [0o750, 0o640],
        [0o700, 0o600],
      ] as const) {
        const directory = mkdtempSync(join(tmpdir(), 'kept-'))
        chmodSync(directory, mode)
        const post = service(
          field.file({ store: directoryStore(directory) }),
          (input) => input,
          how,
        )
        await post(named('abc'))
        const [name] = readdirSync(directory)
        expect(statSync(join(directory, name!)).mode & 0o777).toBe(expected)
      }
    },
  )

  test('keeps nothing of a body of which another part is refused', async () => {
    const post = service(field.image({ store }), (input) => input)
    expect((await post(named(PNG(2, 3)), '')).status).toBe(400)
    expect(kept()).toEqual([])
  })

  test('takes back what it kept where the request is refused after all', async () => {
    const refuse = (): never => {
      expect(kept()).toHaveLength(1)
      throw new Conflict()
    }
    expect((await service(field.image({ store }), refuse)(named(PNG(2, 3)))).status).toBe(409)
    expect(kept()).toEqual([])
  })

  test('takes back a file beside one that cannot be kept', async () => {
    const slow: FileStore = {
      ...store,
      async save(key, file, to) {
        if (file.size === 1) throw new Conflict()
        await new Promise((resolve) => setTimeout(resolve, 20))
        return store.save(key, file, to)
      },
    }
    const post = service(field.list(field.file({ store: slow })), (input) => input)
    expect((await post([named(PDF), named('1')])).status).toBe(409)
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(kept()).toEqual([])
  })

  test('validators see the file, and the whole object has its key', async () => {
    const seen: unknown[] = []
    const kind = field.image({
      store,
      validators: [({ width, name }) => void seen.push(width, name)],
    })
    const thing = serializer(
      { it: kind },
      { validate: ({ it }) => void seen.push(typeof it, kept().length) },
    )
    const api = defineApi({ urls: defineUrls({ things: '/things/' }) })
    const things = api.endpoint('things').post(async (req) => thing.parse(await req.body(), req))
    const app = api.serve([things], { configuration: configurationOf() })
    await client(app).post('/things/', { multipart: { it: named(PNG(2, 3)) } })
    expect(seen).toEqual([2, 'photo.png', 'string', 0])
  })

  test('may be a function, and keys may be of its own', async () => {
    const saved: unknown[] = []
    const save: FileStore['save'] = (key, { type }) => void saved.push(key, type)
    const key = ({ name }: CheckedFile) => `2024/${name}`
    const { data } = await service(field.file({ store: save, key }), (input) => input)(named(PDF))
    expect(data).toEqual({ title: 'a', it: '2024/photo.pdf' })
    expect(saved).toEqual(['2024/photo.pdf', 'application/pdf'])
  })

  test('makes folders, and none outside of its own', async () => {
    const post = (key: string) =>
      service(field.file({ store, key: () => key }), (input) => input)(named(PDF))
    expect((await post('a/b/c.pdf')).status).toBe(200)
    expect(readdirSync(join(folder, 'a', 'b'))).toEqual(['c.pdf'])
    const saved = async (key: string) => store.save(key, {} as CheckedFile, request)
    for (const key of ['../x', 'a/../../x', '/x', 'a//b', '.', 'a\\..\\x', 'a\0b'])
      await expect(saved(key)).rejects.toThrow('leads out of its directory')
    expect(kept()).toEqual(['a'])
  })

  test('keeps the files of a list, and of objects in one', async () => {
    const post = service(field.list(field.file({ store }), { maxLength: 2 }), (input) => input)
    const { data } = await post([named(PDF, 'a.pdf'), named(PDF, 'b.pdf')])
    expect((data as { it: string[] }).it.toSorted()).toEqual(kept().toSorted())
    expect((await post([named(PDF), named('')])).data).toEqual({
      it: { 1: ['This file is empty.'] },
    })
    expect(kept()).toHaveLength(2)
  })

  test('keeps a file once, however often its body is read', async () => {
    let saved = 0
    const counting: FileStore = {
      ...store,
      save(key, file, to) {
        saved += 1
        return store.save(key, file, to)
      },
    }
    const thing = serializer({ it: field.file({ store: counting }) })
    let left = 2
    const api = defineApi({ urls: defineUrls({ things: '/things/' }) })
    const things = api.endpoint('things').patch(
      partialUpdate({
        find: () => ({ id: 1, it: 'old' }),
        serializer: thing,
        save({ it }) {
          left -= 1
          if (left >= 0) throw new ChangedMeanwhile()
          return { it: it ?? 'none' }
        },
      }),
    )
    const app = api.serve([things], { configuration: configurationOf() })
    const { data } = await client(app).patch('/things/', { multipart: { it: named(PDF) } })
    expect([saved, kept().length]).toEqual([1, 1])
    expect(data).toEqual({ it: `http://localhost/media/${kept()[0]}` })
  })

  test.each(['image/jpg', 'pdf', '.pdf', '*/*', '*', 'Image/PNG', 'model/*', ''])(
    'no file can be "%s"',
    (type) => {
      expect(() => field.file({ types: ['image/png', type] })).toThrow(
        `no content is taken for "${type}"`,
      )
    },
  )

  test.each([
    'image/*',
    'text/csv',
    'text/*',
    'application/json',
    'application/msword',
    'audio/ogg',
  ])('a file can be "%s"', (type) => {
    expect(() => field.file({ types: [type] })).not.toThrow()
  })

  test('has to be there', () => {
    expect(() => directoryStore(join(folder, 'missing'))).toThrow(
      'there is no such directory, or it is not writable',
    )
  })

  test('many objects with files cannot come as a form', async () => {
    const body = many(serializer({ it: field.file({ store }) }))
    expect(await outcome(body, [{ it: 'x' }])).toEqual({ codes: { 0: { it: ['invalid'] } } })
  })
})

describe('clients see', () => {
  const show = async (kind: AnyField, key: string) => {
    const thing = serializer({ it: kind })
    const api = defineApi({ urls })
    const things = api.endpoint('things').get((req) => thing.represent({ it: key } as never, req))
    const files = api.endpoint('file').get(() => null)
    const app = api.serve([things, files], { configuration: configurationOf() })
    const { data } = await client(app).get('/things/')
    return (data as { it: unknown }).it
  }
  const at = (url: string) => field.file({ store: directoryStore(folder, { url }) })

  test.each<[title: string, kind: AnyField, key: string, expected: unknown]>([
    [
      'a path of this service',
      at('/media/'),
      'a b/ü.png',
      'http://localhost/media/a%20b/%C3%BC.png',
    ],
    [
      'another host',
      at('https://files.example.com/x'),
      'a?.png',
      'https://files.example.com/x/a%3F.png',
    ],
    ['the key', field.file({ store: directoryStore(folder) }), 'a.png', 'a.png'],
    ['the key where nothing stores', field.image(), 'a.png', 'a.png'],
    [
      'a link',
      field.file({ link: { route: 'file', param: 'key' } }),
      'a.png',
      'http://localhost/files/a.png/',
    ],
    ['null for no file', at('/media/'), '', null],
  ])('%s', async (_title, kind, key, expected) => {
    expect(await show(kind, key)).toBe(expected)
  })

  test('no link that leads nowhere', () => {
    const thing = serializer({ it: field.file({ link: 'nowhere' }) })
    const api = defineApi({ urls: defineUrls({ things: '/things/' }) })
    const things = api.endpoint('things').get((req) => thing.represent({ it: 'a' }, req))
    expect(() => api.serve([things], { configuration: configurationOf() })).not.toThrow()
    expect(thing.check(request.settings, { routes: [] })).toContain('links to "nowhere"')
  })
})
