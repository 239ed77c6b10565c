// A column of JSON holds the same value on every database, and what one of them cannot hold is refused on all alike.
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  configurationOf,
  defineApi,
  defineUrls,
  field,
  resource,
  resourceUrls,
  serializer,
} from 'colophon'
import {
  type TablesOf,
  column,
  createTable,
  defineMigrations,
  migration,
  sqlTable,
} from 'colophon/sql'
import { client } from 'colophon/testing'
import { NAMES, emptyPlace } from '../migrations/place.ts'

const migrations = defineMigrations([
  migration('0001_note', [
    createTable('note', {
      id: column.id(),
      it: column.json({ nullable: true }),
      words: column.json<readonly string[]>({ default: ['a "word"'] }),
    }),
  ]),
])

async function serving(name: (typeof NAMES)[number]) {
  const database = (await emptyPlace(name)).open(migrations)
  await database.migrate()
  const db = database.kysely<TablesOf<typeof migrations>>()
  const store = sqlTable({ database, db, table: 'note', key: 'id' })
  const note = serializer({
    id: field.integer({ readOnly: true }),
    it: field.json({ required: false, nullable: true }),
    words: field.list(field.text(), { readOnly: true }),
  })
  // Shows rows as objects, where the other writes them as bytes.
  const slow: typeof note = { ...note, represent: (row, request) => note.represent(row, request) }
  const urls = defineUrls({
    ...resourceUrls('note', '/notes/', ':id<int>'),
    ...resourceUrls('slow', '/slow/', ':id<int>'),
  })
  const api = defineApi({ urls })
  const app = api.serve(
    [
      ...resource(api, 'note', { store, serializer: note }),
      ...resource(api, 'slow', { store, serializer: slow }),
    ],
    { configuration: configurationOf() },
  )
  return { ...client(app), store, db, database }
}

type Service = Awaited<ReturnType<typeof serving>>
const everywhere = () => Promise.all(NAMES.map(serving))

const headers = { 'content-type': 'application/json' }

/** What clients get back for a text of JSON: from POST, PUT over another value, PATCH, one row and two lists. */
async function answersTo({ post, put, patch, get, store }: Service, text: string) {
  const body = `{"it":${text}}`
  const posted = await post('/notes/', { body, headers })
  if (posted.status !== 201) return { status: posted.status, texts: [posted.text] }
  const { id } = posted.data as { id: number }
  await patch(`/notes/${id}/`, { json: { it: { other: ['value'] } } })
  const answers = [
    posted,
    await put(`/notes/${id}/`, { body, headers }),
    await patch(`/slow/${id}/`, { body, headers }),
    await get(`/notes/${id}/`),
    await get('/notes/'),
    await get('/slow/'),
  ]
  await store.remove(id)
  return { status: 201, texts: answers.map((answer) => answer.text.replace(/^\[(.*)\]$/, '$1')) }
}

const itIn = (text: string): unknown => (JSON.parse(text) as { it: unknown }).it

/** Texts that look like something else, and members that objects have by nature. */
const odd = fc.constantFrom(
  'null',
  '1',
  '{"a":1}',
  '[]',
  '"',
  '\\',
  '\u2028',
  '1e5',
  'é😀',
  '\u0007',
)
const name = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('__proto__', 'constructor', 'toJSON', 'length', ''),
)
const { value: jsonValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.oneof(
      odd,
      fc.string({ unit: 'grapheme' }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    fc.jsonValue() as fc.Arbitrary<unknown>,
  ),
}))
/** What all databases keep. */
const kept = jsonValue.filter((value) => {
  const text = JSON.stringify(value)
  return !text.includes('\\u0000') && !/\\ud[89a-f]/.test(text)
})

test('every value of JSON comes back as it was sent, on all databases, however it is shown', async () => {
  const services = await everywhere()
  await fc.assert(
    fc.asyncProperty(kept, async (value) => {
      const text = JSON.stringify(value)
      for (const service of services) {
        const { status, texts } = await answersTo(service, text)
        expect(status).toBe(201)
        for (const each of texts) {
          const isSame = isDeepStrictEqual(itIn(each), JSON.parse(text))
          expect(isSame ? '' : `${service.database.dialect.name}: ${text} became ${each}`).toBe('')
        }
      }
    }),
    { numRuns: 50 },
  )
})

describe('a value', () => {
  test.each<[what: string, sent: string, shown?: string]>([
    ['a text that is JSON', '"{\\"a\\":1}"'],
    ['the text null', '"null"'],
    ['null, which is NULL', 'null'],
    ['null within', '[null,{"a":null}]'],
    ['an empty text', '""'],
    ['an integer beyond 2^53', '{"id":12345678901234567891,"ids":[9007199254740993]}'],
    ['such an integer alone', '12345678901234567891'],
    ['a decimal with more digits than a number has', '{"a":0.12345678901234567890123}'],
    ['such a decimal alone', '-0.12345678901234567890123'],
    ['zero with a sign', '-0', '0'],
    ['the largest number', '1.7976931348623157e308'],
    ['the smallest number', '5e-324'],
    ['a member __proto__', '{"__proto__":{"a":9007199254740993}}'],
    ['a member toJSON', '{"toJSON":1}'],
    ['31 levels', `${'['.repeat(31)}${']'.repeat(31)}`],
    ['a long text', JSON.stringify('word '.repeat(20_000))],
  ])('%s', async (_what, sent, shown = sent) => {
    for (const service of await everywhere()) {
      const { texts } = await answersTo(service, sent)
      for (const text of texts) {
        const [, found = ''] = /"it":(.*),"words":\["a \\"word\\""\]\}$/s.exec(text) ?? []
        const isNumber = /^-?[\d.e-]+$/.test(shown) && !/\d{20}/.test(shown)
        if (isNumber) expect(Number(found)).toBe(Number(shown))
        else expect(found.replaceAll(': ', ':').replaceAll(', ', ',')).toBe(shown)
      }
    }
  })

  test.each<[what: string, sent: string, message: string]>([
    ['U+0000', '"a\\u0000"', 'The text must not contain null characters.'],
    ['U+0000 in a name', '[{"a\\u0000":1}]', 'The text must not contain null characters.'],
    ['half of a pair', '{"a":["\\ud800"]}', 'The text must not contain unpaired surrogates.'],
    [
      '32 levels',
      `${'['.repeat(32)}${']'.repeat(32)}`,
      'This JSON is nested too deeply: at most 31 levels.',
    ],
  ])('%s is refused', async (_what, sent, message) => {
    for (const service of await everywhere()) {
      const { status, texts } = await answersTo(service, sent)
      expect([status, JSON.parse(texts[0]!)]).toEqual([400, { it: [message] }])
    }
  })
})

test('numbers in lists and dictionaries of field.json keep their digits', async () => {
  const api = defineApi({ urls: defineUrls(resourceUrls('note', '/notes/', ':id<int>')) })
  const configuration = configurationOf()
  for (const { store } of await everywhere())
    for (const [it, text] of [
      [field.list(field.json()), '[12345678901234567891,"1",{"a":[9007199254740993]}]'],
      [field.dictionary(field.json()), '{"a":-0.12345678901234567890123}'],
    ] as const) {
      const note = serializer({ id: field.integer({ readOnly: true }), it })
      const own = { store, serializer: note } as never
      const { post, get } = client(api.serve([...resource(api, 'note', own)], { configuration }))
      const posted = await post('/notes/', { body: `{"it":${text}}`, headers })
      expect(posted.text).toContain(`"it":${text}`)
      expect((await get('/notes/')).text).toContain(`"it":${text}`)
      await store.remove((posted.data as { id: number }).id)
    }
})

test('rows of Kysely have the values too, and are given texts', async () => {
  for (const { db, store } of await everywhere()) {
    const it = JSON.stringify(['text', { a: '"' }])
    await db.insertInto('note').values({ it }).execute()
    const rows = await db.selectFrom('note').select(['it', 'words']).execute()
    expect(rows).toEqual([{ it: ['text', { a: '"' }], words: ['a "word"'] }])
    const { id } = await store.insert({ it: '{"a":1}', words: [] })
    expect(await store.find(id)).toMatchObject({ it: '{"a":1}', words: [] })
    expect(await store.insert({ it: null })).toMatchObject({ it: null })
  }
})

test('lists are neither filtered nor ordered by JSON: databases would not agree', async () => {
  const [{ store }] = (await everywhere()) as [Service]
  const note = serializer({
    id: field.integer({ readOnly: true }),
    it: field.json({ nullable: true }),
  })
  const api = defineApi({ urls: defineUrls(resourceUrls('note', '/notes/', ':id<int>')) })
  for (const option of [{ orderingFields: ['it'] }, { filterFields: ['it'] }] as const)
    expect(() =>
      api.serve([...resource(api, 'note', { store, serializer: note, ...option })], {
        configuration: configurationOf(),
      }),
    ).toThrow('JSON')
})

test('an index over JSON is refused where it is written', () => {
  expect(() =>
    createTable('a', { id: column.id(), it: column.json() }, { indexes: [['it']] }),
  ).toThrow('"a": "it" holds JSON')
})
