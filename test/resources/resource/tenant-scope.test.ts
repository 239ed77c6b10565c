import { beforeEach, describe, expect, test } from 'vitest'
import type { RequestOptions } from '../../../src/testing.ts'
import { type Desk, type Verb, ada, appOf, asking, bob, openDesk } from './desk.ts'

const desk: Desk = await openDesk()
const app = appOf(desk)
const asAda = asking(app, ada)
const asBob = asking(app, bob)
beforeEach(() => desk.reset())

const json = (value: object): RequestOptions => ({ json: value })
const v2 = { accept: 'application/json; version=v2' }
const html = { accept: 'text/html' }

/** What Bob tries; tickets 1 and 2, with comments 1 and 2, are Ada's, and 3 is his. */
const REFUSED: readonly [status: number, verb: Verb, path: string, options?: RequestOptions][] = [
  [404, 'get', '/tickets/1/'],
  [404, 'head', '/tickets/1/'],
  [404, 'get', '/tickets/1.json'],
  [404, 'get', '/tickets/1/', { headers: v2 }],
  [404, 'get', '/tickets/1/', { headers: html }],
  [404, 'get', '/tickets/1/?organisation=1'],
  [404, 'get', '/tickets/1/?search=cold'],
  [404, 'get', '/tickets/1/?ordering=title'],
  // inserts
  [403, 'post', '/tickets/', json({ title: 'x', organisation: 1 })],
  [403, 'post', '/tickets.json', json({ title: 'x', organisation: 1 })],
  [403, 'post', '/tickets/', { form: { title: 'x', organisation: '1' } }],
  [403, 'post', '/tickets/', { ...json({ title: 'x', organisation: 1 }), headers: v2 }],
  [403, 'post', '/tickets/', { form: { title: 'x', organisation: '1' }, headers: html }],
  [403, 'post', '/tickets/', json({ title: 'x', organisation: 99 })],
  [400, 'post', '/tickets/', json({ title: 'x', parent: 1 })],
  // changes, and moves
  [404, 'put', '/tickets/1/', json({ title: 'x' })],
  [404, 'put', '/tickets/1/', json({ title: 'x', organisation: 2 })],
  [404, 'put', '/tickets/1/', json({})],
  [404, 'patch', '/tickets/1/', json({ title: 'x' })],
  [404, 'patch', '/tickets/1/', json({ organisation: 2 })],
  [404, 'patch', '/tickets/1.json', json({ title: 'x' })],
  [404, 'patch', '/tickets/1/', { ...json({ title: 'x' }), headers: v2 }],
  [403, 'put', '/tickets/3/', json({ title: 'x', organisation: 1 })],
  [403, 'patch', '/tickets/3/', json({ organisation: 1 })],
  [403, 'patch', '/tickets/3/', { form: { organisation: '1' } }],
  [403, 'patch', '/tickets/3/', { ...json({ organisation: 1 }), headers: v2 }],
  [400, 'patch', '/tickets/3/', json({ parent: 1 })],
  [400, 'put', '/tickets/3/', json({ title: 'x', parent: 2 })],
  [404, 'delete', '/tickets/1/'],
  [404, 'delete', '/tickets/1.json'],
  [404, 'post', '/tickets/1/close/'],
  [404, 'post', '/tickets/1/close.json'],
  [403, 'put', '/tickets/3/close/', json({ organisation: 1 })],
  // what belongs to a foreign ticket
  [404, 'get', '/tickets/1/comments/'],
  [404, 'head', '/tickets/1/comments/'],
  [404, 'get', '/tickets/1/comments.json'],
  [404, 'get', '/tickets/1/comments/', { headers: v2 }],
  [404, 'get', '/tickets/1/comments/', { headers: html }],
  [404, 'get', '/tickets/1/comments/?search=cold'],
  [404, 'get', '/tickets/1/comments/?ticket=3'],
  [404, 'get', '/tickets/1/comments/?ordering=text'],
  [404, 'get', '/tickets/1/comments/?cursor=x'],
  [404, 'get', '/tickets/999/comments/'],
  [404, 'get', '/tickets/1/comments/1/'],
  [404, 'get', '/tickets/3/comments/1/'],
  [404, 'get', '/tickets/1/comments/3/'],
  [404, 'post', '/tickets/1/comments/', json({ text: 'x' })],
  [404, 'post', '/tickets/1/comments/', json({ text: 'x', ticket: 3 })],
  [404, 'post', '/tickets/1/comments/', json({})],
  [404, 'post', '/tickets/1/comments/', { form: { text: 'x' } }],
  [404, 'post', '/tickets/999/comments/', json({ text: 'x' })],
  [403, 'post', '/tickets/3/comments/', json({ text: 'x', ticket: 1 })],
  [403, 'put', '/tickets/3/comments/3/', json({ text: 'x', ticket: 1 })],
  [403, 'patch', '/tickets/3/comments/3/', json({ ticket: 1 })],
  [404, 'patch', '/tickets/1/comments/1/', json({ text: 'x' })],
  [404, 'patch', '/tickets/3/comments/1/', json({ text: 'x' })],
  [404, 'put', '/tickets/1/comments/3/', json({ text: 'x' })],
  [404, 'delete', '/tickets/1/comments/1/'],
  [404, 'delete', '/tickets/3/comments/1/'],
  [404, 'delete', '/tickets/1/comments/3/'],
  [404, 'post', '/tickets/1/comments/1/hide/'],
  [404, 'post', '/tickets/3/comments/1/hide/'],
  [404, 'get', '/tickets/1/comments/count/'],
  // one level further
  [404, 'get', '/tickets/1/comments/1/reactions/'],
  [404, 'get', '/tickets/3/comments/1/reactions/'],
  [404, 'get', '/tickets/1/comments/3/reactions/'],
  [404, 'get', '/tickets/3/comments/3/reactions/1/'],
  [404, 'post', '/tickets/3/comments/1/reactions/', json({ kind: 'x' })],
  [404, 'post', '/tickets/1/comments/1/reactions/', json({ kind: 'x' })],
  [403, 'post', '/tickets/3/comments/3/reactions/', json({ kind: 'x', comment: 1 })],
  [403, 'patch', '/tickets/3/comments/3/reactions/2/', json({ comment: 1 })],
  [404, 'delete', '/tickets/1/comments/1/reactions/1/'],
]

describe('what a stranger tries is refused, and nothing changes', () => {
  test.each([...REFUSED])('%i %s %s %j', async (status, verb, path, options?: RequestOptions) => {
    const before = await desk.rows()
    const answer = await asBob(verb, path, options)
    expect(answer.status).toBe(status)
    expect(answer.text).not.toMatch(/Cold|cold|Lost|lost/)
    expect(await desk.rows()).toEqual(before)
  })

  test('a reason for programs', async () => {
    const { data } = await asBob('post', '/tickets/', json({ title: 'x', organisation: 1 }))
    expect(data).toMatchObject({ detail: expect.stringContaining('outside') as unknown })
  })

  test('a foreign key of another tenant is an error at its field', async () => {
    const { data } = await asBob('post', '/tickets/', json({ title: 'x', parent: 1 }))
    expect(Object.keys(data as object)).toEqual(['parent'])
    const own = await asBob('post', '/tickets/', json({ title: 'x', parent: 3 }))
    expect(own.status).toBe(201)
  })
})

/** Lists show his alone, whatever they are asked. */
describe('lists', () => {
  test.each([
    ['/tickets/', [3]],
    ['/tickets.json', [3]],
    ['/tickets/?organisation=1', []],
    ['/tickets/?organisation=2', [3]],
    ['/tickets/?id=1', []],
    ['/tickets/?title=Cold+office', []],
    ['/tickets/?search=cold', []],
    ['/tickets/?search=o', [3]],
    ['/tickets/?ordering=title', [3]],
    ['/tickets/?ordering=-title', [3]],
    ['/tickets/3/comments/', [3]],
    ['/tickets/3/comments/?ticket=1', []],
    ['/tickets/3/comments/?search=cold', []],
    ['/tickets/3/comments/3/reactions/', [2]],
  ])('%s', async (path, ids) => {
    const { status, data } = await asBob('get', path)
    expect(status).toBe(200)
    const { results } = data as { results: { id: number }[] }
    expect(results.map(({ id }) => id)).toEqual(ids)
    expect(data).not.toMatchObject({ count: 3 })
  })

  test('a page that only others have is none', async () => {
    expect((await asAda('get', '/tickets/?page=1')).data).toMatchObject({ count: 2 })
    expect((await asBob('get', '/tickets/?page=1')).data).toMatchObject({ count: 1 })
    expect((await asBob('get', '/tickets/?page=2')).status).toBe(404)
  })

  test('a cursor leads through one parent only', async () => {
    await desk.comments.insert({ ticket: 1, text: 'Colder' })
    const first = await asAda('get', '/tickets/1/comments/')
    const { next } = first.data as { next: string }
    expect(next).toMatch(/^http:\/\/localhost\/tickets\/1\/comments\/\?cursor=/)
    const { search } = new URL(next)
    expect((await asAda('get', `/tickets/1/comments/${search}`)).data).toMatchObject({
      results: [{ text: 'Colder' }],
    })
    expect((await asAda('get', `/tickets/2/comments/${search}`)).status).toBe(404)
    expect((await asBob('get', `/tickets/1/comments/${search}`)).status).toBe(404)
    expect((await asBob('get', `/tickets/3/comments/${search}`)).status).toBe(404)
  })

  test('OPTIONS shows the fields of what may be written alone', async () => {
    const fields = async (path: string) => {
      const { data } = await asBob('options', path)
      return Object.keys((data as { actions?: object }).actions ?? {})
    }
    expect(await fields('/tickets/3/')).toEqual(['PUT'])
    expect(await fields('/tickets/1/')).toEqual([])
    expect(await fields('/tickets/3/comments/')).toEqual(['POST'])
    expect(await fields('/tickets/1/comments/')).toEqual([])
    expect(await fields('/tickets/3/comments/1/')).toEqual([])
  })
})

describe('what is one’s own', () => {
  test('the organisation and the parent are filled in, or named as they are', async () => {
    for (const named of [{}, { organisation: 2 }]) {
      const { status, data } = await asBob('post', '/tickets/', json({ title: 'Hum', ...named }))
      expect([status, data]).toMatchObject([201, { organisation: 2 }])
    }
    for (const named of [{}, { ticket: 3 }]) {
      const made = await asBob('post', '/tickets/3/comments/', json({ text: 'Hm', ...named }))
      expect([made.status, made.data]).toMatchObject([201, { ticket: 3 }])
    }
    const renamed = await asBob('patch', '/tickets/3/', json({ title: 'Hum', organisation: 2 }))
    expect([renamed.status, renamed.data]).toMatchObject([200, { title: 'Hum', organisation: 2 }])
    const said = await asBob('put', '/tickets/3/comments/3/', json({ text: 'Hm', ticket: 3 }))
    expect([said.status, said.data]).toMatchObject([200, { text: 'Hm', ticket: 3 }])
    expect((await asBob('delete', '/tickets/3/comments/3/reactions/2/')).status).toBe(204)
  })

  test('links carry the keys of the parents', async () => {
    const made = await asBob('post', '/tickets/3/comments/', json({ text: 'Hm' }))
    const url = 'http://localhost/tickets/3/comments/4/'
    expect(made.data).toMatchObject({ url })
    expect(made.header('location')).toBe(url)
    expect((await asBob('get', new URL(url).pathname)).data).toEqual(made.data)
    const { data } = await asBob('get', '/tickets/3/comments/3/reactions/')
    const link = 'http://localhost/tickets/3/comments/3/reactions/2/'
    expect(data).toMatchObject({ results: [{ url: link }] })
    expect((await asBob('get', new URL(link).pathname)).data).toMatchObject({ kind: 'wave' })
  })

  test('actions get the row and that of the parent', async () => {
    expect((await asBob('post', '/tickets/3/close/')).data).toEqual({ closed: 'Broken lamp' })
    expect((await asBob('post', '/tickets/3/comments/3/hide/')).data).toEqual([
      'Dark here',
      'Broken lamp',
    ])
    expect((await asBob('get', '/tickets/3/comments/count/')).data).toBe(1)
  })

  test('what the database refuses to an action is a mistake of the client', async () => {
    const { status, data } = await asBob('patch', '/tickets/3/close/')
    expect([status, data]).toEqual([400, { non_field_errors: ['This value is already in use.'] }])
  })

  test('actions are handed the store within its scope', async () => {
    const taken = json({ id: 1, title: 'Mine' })
    expect((await asBob('put', '/tickets/3/close/', taken)).data).toEqual({ done: null })
    expect((await asBob('delete', '/tickets/3/close/?key=1')).data).toEqual({ done: false })
    const own = await asBob('put', '/tickets/3/close/', json({ title: 'Lamp' }))
    expect(own.data).toMatchObject({ done: { organisation: 2, title: 'Lamp' } })
    expect((await desk.tickets.find(1))?.title).toBe('Cold office')
  })
})
