import { describe, expect, test, vi } from 'vitest'
import {
  field,
  serializer,
  uniqueTogether,
  unique,
  arraySource,
  extend,
} from '../../../src/index.ts'
import type { ApiRequest } from '../../../src/core/ports/request.ts'
import { outcome, request } from './reading.ts'

const asked = { ...request, user: { id: 7 } } as ApiRequest
const owner = field.hidden(({ user }: { user: { id: number } }) => user.id)
const note = serializer({ title: field.text(), owner })
const read = async (data: unknown, how: object = {}, reader: object = note) =>
  outcome({ parse: (body: unknown) => (reader as typeof note).parse(body, asked, how) }, data)

describe('a hidden value', () => {
  test('is part of the input, whatever clients send', async () => {
    expect(await read({ title: 'a' })).toEqual({ title: 'a', owner: 7 })
    expect(await read({ title: 'a', owner: 1 })).toEqual({ title: 'a', owner: 7 })
  })

  test('is never shown, also not to those who ask OPTIONS', () => {
    expect(note.represent({ title: 'a', owner: 7 } as never, asked)).toEqual({ title: 'a' })
    expect(Object.keys(note.describe(asked))).toEqual(['title'])
  })

  test('stays as it is in a change', async () => {
    const existing = { title: 'a', owner: 3 }
    expect(await read({ title: 'b', owner: 1 }, { existing })).toEqual({ title: 'b', owner: 3 })
    expect(await read({ title: 'b', owner: 1 }, { existing, partial: true })).toEqual({
      title: 'b',
    })
  })

  test('unless it is always given', async () => {
    const editor = field.hidden(async ({ user }: { user: { id: number } }) => user.id, {
      always: true,
      source: 'edited_by',
    })
    const edited = extend(note, { editor })
    const existing = { title: 'a', owner: 3, edited_by: 3 }
    expect(await read({}, { existing, partial: true }, edited)).toEqual({ edited_by: 7 })
    expect(await read({ title: 'b' }, { existing }, edited)).toEqual({
      title: 'b',
      owner: 3,
      edited_by: 7,
    })
  })

  test('may be refused', async () => {
    const never = field.hidden(() => 1, { validators: [() => 'Not today.'] })
    expect(await read({}, {}, serializer({ never }))).toEqual({ codes: { never: ['invalid'] } })
  })
})

interface Book {
  id: number
  organisation: number
  title: string
  code: string | null
}
const rows: Book[] = [
  { id: 1, organisation: 7, title: 'Fjords', code: 'a' },
  { id: 2, organisation: 7, title: 'Lakes', code: null },
  { id: 3, organisation: 8, title: 'Fjords', code: 'a' },
]
const books = { key: 'id', source: arraySource<Book>(rows) }

describe('a combination of values', () => {
  const both = serializer(
    { organisation: field.integer(), title: field.text({ source: 'title' }) },
    { validators: [uniqueTogether(books, ['organisation', 'title'])] },
  )
  const TAKEN = { codes: { non_field_errors: ['unique'] } }

  test.each<[title: string, data: object, how: object, expected: unknown]>([
    [
      'that is free',
      { organisation: 7, title: 'Rivers' },
      {},
      { organisation: 7, title: 'Rivers' },
    ],
    ['that is taken', { organisation: 7, title: 'Fjords' }, {}, TAKEN],
    [
      'of the row itself',
      { organisation: 7, title: 'Fjords' },
      { existing: rows[0] },
      { organisation: 7, title: 'Fjords' },
    ],
    ['of another row', { organisation: 7, title: 'Fjords' }, { existing: rows[1] }, TAKEN],
    ['half of which is changed', { title: 'Fjords' }, { existing: rows[1], partial: true }, TAKEN],
    [
      'half of which becomes free',
      { title: 'Seas' },
      { existing: rows[1], partial: true },
      { title: 'Seas' },
    ],
    ['that is not touched', {}, { existing: rows[1], partial: true }, {}],
  ])('%s', async (_title, data, how, expected) => {
    expect(await read(data, how, both)).toEqual(expected)
  })

  test('names the fields as clients know them', async () => {
    const named = serializer(
      { org: field.integer({ source: 'organisation' }), title: field.text() },
      { validators: [uniqueTogether(books, ['organisation', 'title'])] },
    )
    await expect(async () => named.parse({ org: 7, title: 'Fjords' }, asked)).rejects.toMatchObject(
      {
        detail: {
          non_field_errors: [
            { message: 'Another entry already has this combination of org, title.' },
          ],
        },
      },
    )
  })

  test('with a hidden value stands at the field that clients write', async () => {
    const mine = serializer(
      { organisation: owner, title: field.text() },
      { validators: [uniqueTogether(books, ['organisation', 'title'])] },
    )
    expect(await read({ title: 'Fjords' }, {}, mine)).toEqual({ codes: { title: ['unique'] } })
    expect(await read({ title: 'Rivers' }, {}, mine)).toEqual({ organisation: 7, title: 'Rivers' })
    const change = { existing: rows[1], partial: true }
    expect(await read({ title: 'Fjords' }, change, mine)).toEqual({ codes: { title: ['unique'] } })
  })

  test('with a value of a scope', async () => {
    const values = ({ user }: { user: { id: number } }) => ({ organisation: user.id })
    const scoped = serializer(
      { title: field.text() },
      { validators: [uniqueTogether(books, ['organisation', 'title'], { values })] },
    )
    expect(await read({ title: 'Fjords' }, {}, scoped)).toEqual({ codes: { title: ['unique'] } })
    expect(await read({ title: 'Rivers' }, {}, scoped)).toEqual({ title: 'Rivers' })
  })

  test('among the rows of a request', async () => {
    const others = { key: 'id', source: arraySource<Book>(rows.slice(1)) }
    const some = serializer(
      { title: field.text(), code: field.text({ validators: [unique(() => others, 'code')] }) },
      { validators: [uniqueTogether(() => others, ['title', 'code'])] },
    )
    expect(await read({ title: 'Fjords', code: 'b' }, {}, some)).toEqual({
      title: 'Fjords',
      code: 'b',
    })
    expect(await read({ title: 'Fjords', code: 'a' }, {}, some)).toEqual({
      codes: { code: ['unique'] },
    })
  })

  test('that has a null is not compared, as in SQL', async () => {
    const coded = serializer(
      { title: field.text(), code: field.text({ nullable: true, required: false }) },
      { validators: [uniqueTogether(books, ['title', 'code'])] },
    )
    expect(await read({ title: 'Lakes', code: null }, {}, coded)).toEqual({
      title: 'Lakes',
      code: null,
    })
    expect(await read({ title: 'Lakes' }, {}, coded)).toEqual({ title: 'Lakes' })
    expect(await read({ title: 'Fjords', code: 'a' }, {}, coded)).toEqual(TAKEN)
  })

  test('is not asked for where it cannot be taken', async () => {
    const where = vi.fn<() => unknown>(() => books.source)
    const source = { where, orderBy: () => source, count: () => 0, slice: () => [] } as never
    const coded = serializer(
      { title: field.text({ required: false }), code: field.text({ nullable: true }) },
      { validators: [uniqueTogether<keyof Book>({ key: 'id', source }, ['title', 'code'])] },
    )
    await read({ title: 'Lakes', code: null }, {}, coded)
    await read({ code: 'a' }, {}, coded)
    await read({}, { partial: true, existing: rows[0] }, coded)
    expect(where).not.toHaveBeenCalled()
    await read({ title: 'Lakes', code: 'a' }, {}, coded)
    expect(where).toHaveBeenCalled()
  })

  test('may ignore upper and lower case', async () => {
    const loose = (ignoreCase: readonly 'title'[]) =>
      serializer(
        { organisation: field.integer(), title: field.text() },
        { validators: [uniqueTogether(books, ['organisation', 'title'], { ignoreCase })] },
      )
    const data = { organisation: 7, title: 'FJORDS' }
    expect(await read(data, {}, loose([]))).toEqual(data)
    expect(await read(data, {}, loose(['title']))).toEqual(TAKEN)
  })

  test('stays checked in what is made of the serializer', async () => {
    const more = extend(both, { code: field.text({ required: false }) })
    expect(await read({ organisation: 7, title: 'Fjords' }, {}, more)).toEqual(TAKEN)
  })

  test('is complained about beside what validate finds', async () => {
    const checked = serializer(
      { organisation: field.integer(), title: field.text() },
      {
        validators: [uniqueTogether(books, ['organisation', 'title'])],
        validate: () => 'Not on Sundays.',
      },
    )
    expect(await read({ organisation: 7, title: 'Fjords' }, {}, checked)).toEqual({
      codes: { non_field_errors: ['unique', 'invalid'] },
    })
  })
})
