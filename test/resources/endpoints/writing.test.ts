import { describe, expect, test } from 'vitest'
import {
  ChangedMeanwhile,
  byVersion,
  configurationOf,
  create,
  defineApi,
  destroy,
  field,
  many,
  partialUpdate,
  QueryParameterVersioning,
  serializer,
  update,
} from '../../../src/index.ts'
import type { Permission, Serializer } from '../../../src/types.ts'
import { ConstraintViolation, type ViolationKind } from '../../../src/sql.ts'
import { client } from '../../../src/testing.ts'
import { notebook } from '../../behaviour/fixtures.ts'

interface Note {
  readonly id: number
  readonly body: string
}
const note = serializer({
  id: field.integer({ readOnly: true }),
  text: field.text({ source: 'body' }),
})
const brief: Serializer<Note, object> = { represent: ({ id }) => ({ id }) }
const one: Note = { id: 1, body: 'one' }
const quiet = { configuration: configurationOf() }

function api() {
  const logger = notebook()
  return Object.assign(defineApi({ urls: { note: '/note/' }, logger }), { logger })
}
const json = { text: 'x' }

describe('create', () => {
  test('201, shown by the serializer that read it', async () => {
    const endpoint = api()
      .endpoint('note')
      .post(create({ serializer: note, save: ({ body }) => ({ id: 7, body }) }))
    const answer = await client(api().serve([endpoint], quiet)).post('/note/', { json })
    expect(answer.status).toBe(201)
    expect(answer.data).toEqual({ id: 7, text: 'x' })
  })

  test('what only changes need is not asked for', async () => {
    const shared = { find: () => null, serializer: note, save: async () => one }
    const endpoint = api().endpoint('note').post(create(shared)).put(update(shared))
    const to = client(api().serve([endpoint], quiet))
    expect((await to.post('/note/', { json })).status).toBe(201)
    expect((await to.put('/note/', { json })).status).toBe(404)
  })

  test('shown by another one', async () => {
    const endpoint = api()
      .endpoint('note')
      .post(create({ serializer: note, save: async () => one, output: brief }))
    const answer = await client(api().serve([endpoint], quiet)).post('/note/', { json })
    expect(answer.data).toEqual({ id: 1 })
  })

  test.each([
    ['an address of this service', 'http://localhost/note/', 'http://localhost/note/'],
    ['a path of it', '/note/', 'http://localhost/note/'],
    ['another service', 'https://e.example/note/', null],
    ['a path that leads nowhere', '/nothing/', null],
    ['a broken line', '/note/\r\nSet-Cookie: a=b', null],
    ['no text', 7, null],
    ['null', null, null],
  ])('G1 Location: %s', async (_title, url, expected) => {
    const endpoint = api()
      .endpoint('note')
      .post(create({ serializer: note, save: () => one, output: { represent: () => ({ url }) } }))
    const answer = await client(api().serve([endpoint], quiet)).post('/note/', { json })
    expect(answer.status).toBe(201)
    expect(answer.header('location')).toBe(expected)
  })

  const refusals: readonly (readonly [ViolationKind, readonly string[], number, unknown])[] = [
    ['unique', ['body'], 400, { text: [expect.any(String)] }],
    // A combination is told at the only field of it that clients write.
    ['unique', ['body', 'other'], 400, { text: [expect.any(String)] }],
    ['does_not_exist', ['body', 'other'], 400, { non_field_errors: [expect.any(String)] }],
    ['unique', [], 400, { non_field_errors: [expect.any(String)] }],
    ['unique', ['owner'], 400, { non_field_errors: [expect.any(String)] }],
    ['does_not_exist', ['body'], 400, { text: [expect.any(String)] }],
    ['null', ['body'], 400, { text: [expect.any(String)] }],
    ['required', ['body'], 400, { text: [expect.any(String)] }],
    ['max_length', ['body', 'owner'], 400, { text: [expect.any(String)] }],
    ['invalid', ['body'], 400, { text: [expect.any(String)] }],
    ['invalid', [], 400, { non_field_errors: [expect.any(String)] }],
    ['protected', [], 409, { detail: expect.any(String) }],
    // What no client writes is a mistake of the program.
    ['null', ['owner'], 500, { detail: expect.any(String) }],
    ['max_length', ['owner'], 500, { detail: expect.any(String) }],
    ['required', ['id'], 500, { detail: expect.any(String) }],
  ]
  test.each(refusals)('a violation %s of %j is %i', async (kind, columns, status, data) => {
    const endpoint = api()
      .endpoint('note')
      .post(
        create({
          serializer: note,
          save: (): Note => {
            throw new ConstraintViolation(kind, { table: 'note', columns })
          },
        }),
      )
    const answer = await client(api().serve([endpoint], quiet)).post('/note/', { json })
    expect([answer.status, answer.data]).toEqual([status, data])
  })

  const taken = [expect.any(String)]
  test.each<readonly [ViolationKind, readonly string[], readonly string[], number, unknown]>([
    ['unique', ['body'], ['a', 'b', 'a', 'b'], 400, { 2: { text: taken } }],
    ['unique', ['body', 'owner'], ['a', 'a'], 400, { 1: { text: taken } }],
    // It is the value of a row that there was, of none that clients write, or of any of them.
    ['unique', ['body'], ['a', 'b'], 400, { non_field_errors: taken }],
    ['unique', ['owner'], ['a', 'a'], 400, { non_field_errors: taken }],
    ['max_length', ['body'], ['a', 'a'], 400, { non_field_errors: taken }],
    ['max_length', ['owner'], ['a', 'a'], 500, { detail: expect.any(String) }],
  ])(
    'E25 of a list, %s of %j is told at the item that repeats one before: %j',
    async (kind, columns, texts, status, data) => {
      const save = () => Promise.reject(new ConstraintViolation(kind, { table: 'note', columns }))
      const endpoint = api()
        .endpoint('note')
        .post(create({ serializer: many(note), save }))
      const sent = texts.map((text) => ({ text }))
      const answer = await client(api().serve([endpoint], quiet)).post('/note/', { json: sent })
      expect([answer.status, answer.data]).toEqual([status, data])
    },
  )

  test('codes are those of the database', async () => {
    const begun = defineApi({
      urls: { note: '/note/' },
      exceptionHandler: (error) => ({
        status: 400,
        headers: {},
        data: (error as { codes?: unknown }).codes,
      }),
    })
    const endpoint = begun.endpoint('note').post(
      create({
        serializer: note,
        save: (): Note => {
          throw new ConstraintViolation('unique', { table: 'note', columns: ['body'] })
        },
      }),
    )
    const answer = await client(begun.serve([endpoint], quiet)).post('/note/', { json })
    expect(answer.data).toEqual({ text: ['unique'] })
  })

  test('what else goes wrong stays what it is', async () => {
    const begun = api()
    const endpoint = begun.endpoint('note').post(
      create({
        serializer: note,
        save: (): Note => {
          throw new Error('the disk')
        },
      }),
    )
    const answer = await client(begun.serve([endpoint], quiet)).post('/note/', { json })
    expect(answer.status).toBe(500)
    expect(begun.logger.records.length).toBe(1)
  })

  test('chosen by version, checked at start-up', async () => {
    const begun = defineApi({
      urls: { note: '/note/' },
      versioning: new QueryParameterVersioning(),
      allowedVersions: ['v1', 'v2'],
      defaultVersion: 'v1',
    })
    const second = serializer({ id: field.integer({ readOnly: true }), body: field.text() })
    const both = byVersion({ v1: note, v2: second })
    const endpoint = begun
      .endpoint('note')
      .post(create({ serializer: both, save: ({ body }) => ({ id: 7, body }) }))
    const { post } = client(begun.serve([endpoint], quiet))
    expect((await post('/note/?version=v2', { json: { body: 'y' } })).data).toEqual({
      id: 7,
      body: 'y',
    })
    expect((await post('/note/', { json })).data).toEqual({ id: 7, text: 'x' })

    const wrong = serializer({ body: field.text({ since: 'v9' }) })
    const bad = byVersion({ v1: wrong, v2: wrong })
    const refused = begun
      .endpoint('note')
      .post(create({ serializer: bad, save: () => ({ body: 'x' }) }))
    expect(() => begun.serve([refused], quiet)).toThrow(/"v9"/)
  })
})

describe('update, partialUpdate, destroy', () => {
  /** A row that somebody else changes as often as said, just before it is written. */
  function contended(times: number) {
    let [row, left] = [one, times]
    const write = <T>(seen: Note, done: () => T): T => {
      if (left-- > 0) row = { ...row, id: row.id + 1 }
      if (row !== seen) throw new ChangedMeanwhile()
      return done()
    }
    return {
      now: () => row,
      find: () => row,
      save: (input: Partial<Note>, seen: Note) => write(seen, () => (row = { ...row, ...input })),
      remove: (seen: Note) => write(seen, () => true),
    }
  }

  test('whatever was read from a row that has changed is read again', async () => {
    const asked: number[] = []
    const permission: Permission<Note> = {
      hasObjectPermission: (_request, { id }) => (asked.push(id), true),
    }
    const rows = contended(3)
    const begun = defineApi({ urls: { note: '/note/' }, permissions: [permission] })
    const endpoint = begun.endpoint('note').put(
      update({
        find: rows.find,
        serializer: note,
        save: (input, _request, row) => rows.save(input, row),
      }),
    )
    const answer = await client(begun.serve([endpoint], quiet)).put('/note/', { json })
    expect([answer.status, answer.data]).toEqual([200, { id: 4, text: 'x' }])
    expect(asked).toEqual([1, 2, 3, 4])
  })

  test('a row that is written without pause is 409', async () => {
    const rows = contended(Infinity)
    const begun = api()
    const endpoint = begun
      .endpoint('note')
      .patch(
        partialUpdate({
          find: rows.find,
          serializer: note,
          save: (input, _request, row) => rows.save(input, row),
        }),
      )
      .delete(destroy({ find: rows.find, remove: rows.remove }))
    const { patch, delete: remove } = client(begun.serve([endpoint], quiet))
    expect((await patch('/note/', { json })).status).toBe(409)
    expect((await remove('/note/')).status).toBe(409)
  })

  test('a row that goes away meanwhile is 404', async () => {
    const begun = api()
    const endpoint = begun
      .endpoint('note')
      .put(update({ find: () => one, serializer: note, save: () => null }))
      .delete(destroy({ find: () => one, remove: () => false }))
    const { put, delete: remove } = client(begun.serve([endpoint], quiet))
    expect((await put('/note/', { json })).status).toBe(404)
    expect((await remove('/note/')).status).toBe(404)
  })

  test('a remove that says nothing has removed', async () => {
    const begun = api()
    const endpoint = begun
      .endpoint('note')
      .delete(destroy({ find: () => one, remove: () => undefined }))
    expect((await client(begun.serve([endpoint], quiet)).delete('/note/')).status).toBe(204)
  })

  test('validators see the row', async () => {
    const seen: unknown[] = []
    const watched = serializer(
      { text: field.text({ source: 'body' }) },
      { validate: (_input, { existing, partial }) => void seen.push(existing, partial) },
    )
    const begun = api()
    const save = (): Note => one
    const endpoint = begun
      .endpoint('note')
      .post(create({ serializer: watched, save }))
      .put(update({ find: () => one, serializer: watched, save }))
      .patch(partialUpdate({ find: () => one, serializer: watched, save }))
    const { post, put, patch } = client(begun.serve([endpoint], quiet))
    await post('/note/', { json })
    await put('/note/', { json })
    await patch('/note/', { json: {} })
    expect(seen).toEqual([null, false, one, false, one, true])
  })
})

describe('permissions of one verb', () => {
  const no: Permission = { hasPermission: () => false, code: 'no' }
  const noObject: Permission = { hasObjectPermission: () => false }
  test('are asked for this verb alone, and by OPTIONS', async () => {
    const begun = api()
    const writing = create({ serializer: note, save: () => one })
    const endpoint = begun
      .endpoint('note')
      .get(() => 'ok')
      .post({ ...writing, permissions: [no] })
      .put({
        ...update({ find: () => one, serializer: note, save: () => one }),
        permissions: [noObject],
      })
    const { get, post, put, options } = client(begun.serve([endpoint], quiet))
    expect((await get('/note/')).status).toBe(200)
    expect((await post('/note/', { json })).status).toBe(403)
    expect((await put('/note/', { json })).status).toBe(403)
    expect((await options('/note/')).data).not.toHaveProperty('actions')
  })

  test('HEAD is GET', async () => {
    const begun = api()
    const endpoint = begun.endpoint('note').get({ handle: () => 'ok', permissions: [no] })
    expect((await client(begun.serve([endpoint], quiet)).head('/note/')).status).toBe(403)
  })

  test('something that is no permission does not start', () => {
    const begun = api()
    const endpoint = begun.endpoint('note').get({ handle: () => 'ok', permissions: [{}] })
    expect(() => begun.serve([endpoint], quiet)).toThrow(/GET of endpoint note.*permissions/)
  })
})
