// Links there and back under every scheme, as objects and as text.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { field, many, serializer } from '../../../src/index.ts'
import { toJSONText } from '../../../src/core/representations/json.ts'
import { SCHEMES, note } from '../../behaviour/linked-services.ts'
import { textOf } from './reading.ts'
import { requestsTo } from './requests.ts'
import { CHARACTER } from '../../setup/characters.ts'

/** A request in version v2 under each scheme. */
const asked = await Promise.all(
  SCHEMES.map(async ({ ask, urls: table, versioning }) => {
    const [path, headers] = ask('/lost/', 'v2')
    const { host = 'localhost', ...others } = (headers ?? {}) as Record<string, string>
    const sent = new Request(`http://${host}${path}`, { headers: others })
    return (await requestsTo({ urls: table, versioning }, [sent]))[0]!
  }),
)
const key = fc.nat({ max: Number.MAX_SAFE_INTEGER })
const name = fc.oneof(fc.string({ unit: CHARACTER, minLength: 1 }), fc.string({ minLength: 1 }))

describe.each(SCHEMES.map((scheme, index) => [scheme.name, asked[index]!] as const))(
  '%s',
  (_, to) => {
    const article = serializer({
      id: field.integer({ readOnly: true }),
      author: field.hyperlink('user-detail', { source: 'author_id', nullable: true }),
      editor: field.hyperlink('user-detail', { source: 'editor_id', nullable: true }),
      url: field.identity('note-detail'),
      tag: field.hyperlink({
        route: 'tag-detail',
        param: 'name',
        key: field.text({ trim: false }),
      }),
      title: field.text({ readOnly: true }),
      readers: field.list(field.hyperlink('user-detail'), { source: 'reader_ids' }),
    })
    const row = fc.record({
      id: key,
      author_id: fc.option(key),
      editor_id: fc.option(key),
      reader_ids: fc.array(key, { maxLength: 3 }),
      title: fc.string({ unit: CHARACTER }),
      tag: name.filter((text) => text !== '.' && text !== '..' && !text.includes('\0')),
    })

    test('keys are what databases give', () => {
      const { represent } = serializer({
        tag: field.identity({ route: 'tag-detail', param: 'name' }, { source: 'key' }),
      })
      const start = represent({ key: 'KEY' }, to).tag.split('KEY', 1)[0]!
      for (const one of [7, 7n, 2n ** 64n]) {
        expect(represent({ key: one }, to).tag.startsWith(`${start}${one}`)).toBe(true)
      }
      const author = serializer({ author: field.identity('user-detail') })
      expect(author.represent({ id: 7n }, to)).toEqual(author.represent({ id: 7 }, to))
    })

    test('following a link leads to its key', async () => {
      await fc.assert(
        fc.asyncProperty(row, async (one) => {
          const { author_id, editor_id, reader_ids, tag } = one
          const input = await article.parse(article.represent(one, to), to)
          expect(input).toEqual({ author_id, editor_id, reader_ids, tag })
        }),
      )
    })

    test('the text is that of the object, byte for byte', () => {
      fc.assert(
        fc.property(fc.array(row, { maxLength: 3 }), (rows) => {
          const objects = rows.map((one) => article.represent(one, to))
          const texts = rows.map((one) => textOf(article, one, to))
          expect(`[${texts.join()}]`).toBe(toJSONText(objects))
          expect(textOf(many(article), rows, to)).toBe(toJSONText(objects))
        }),
      )
    })

    test('whatever text comes instead of a link is refused, and nothing breaks', async () => {
      const text = fc.oneof(fc.webUrl(), fc.string(), fc.webPath(), fc.string({ unit: CHARACTER }))
      await fc.assert(
        fc.asyncProperty(
          text,
          fc.constantFrom('', '/users/', to.origin, `${to.origin}/users/`),
          async (end, start) => {
            // An empty text is no link, where there need not be one.
            fc.pre(start + end !== '')
            const read = async () => note.parse({ author: start + end }, to)
            await expect(read()).rejects.toMatchObject({ status: 400 })
          },
        ),
      )
    })
  },
)
