import { beforeEach, describe, expect, test } from 'vitest'
import { type ApiRequest, ConfigurationError, field, serializer } from '../../../src/index.ts'
import type { RequestOptions } from '../../../src/testing.ts'
import {
  type ScopedStore,
  type UntypedStore,
  parseFactsFor,
  scopedStores,
  lackingColumn,
  settledIn,
  tenantsOf,
} from '../../../src/resources/resource/tenant-scope.ts'
import type { Tenancy } from '../../../src/resources/serializers/tenant-references.ts'
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

/** A store that says what it was narrowed to. */
class Narrowed {
  readonly key = 'id'
  readonly parts: readonly object[]

  constructor(parts: readonly object[]) {
    this.parts = parts
  }

  within(values: object): Narrowed {
    return new Narrowed([...this.parts, values])
  }
}
const narrowing = (parts: readonly object[] = []) => new Narrowed(parts) as never as UntypedStore
const newRequest = () => ({ endpointName: 'book' }) as ApiRequest
const partsOf = (store: UntypedStore) => (store as never as Narrowed).parts

describe('the store of a request', () => {
  const all = narrowing()
  type Keeping = Parameters<typeof scopedStores>[0]
  const keeping = (given: Partial<Keeping>, nesting: Parameters<typeof scopedStores>[1] = null) =>
    scopedStores({ store: all, tenant: [], ...given }, nesting)
  const whole = { scope: {}, above: [], keys: {}, tenant: {}, isOpen: false, parent: undefined }

  test('is the one of all requests, where nothing narrows it', () => {
    const keep = keeping({})
    expect(keep(newRequest())).toEqual({ ...whole, store: all, all })
    expect(keep(newRequest())).toBe(keep(newRequest()))
  })

  test('is asked for once in a request, by the request', async () => {
    const asked: ApiRequest[] = []
    const keep = keeping({ store: async (request) => (asked.push(request), all) })
    const [one, other] = [newRequest(), newRequest()]
    for (const request of [one, one, other])
      expect(await keep(request)).toEqual({ ...whole, store: all, all })
    expect(asked).toEqual([one, other])
  })

  test.each([
    ['at once', (request: ApiRequest) => ({ by: request.endpointName })],
    ['later', async (request: ApiRequest) => ({ by: request.endpointName })],
  ])('is within its scope, which is known %s', async (_, scope) => {
    const kept = await keeping({ scope })(newRequest())
    expect(kept).toEqual({
      ...whole,
      store: narrowing([{ by: 'book' }]),
      all,
      scope: { by: 'book' },
    })
  })

  const parent = { id: 7 }
  const above = { scope: { shelf: 7 }, above: ['shelf'], keys: { shelf: 7 }, tenant: { org: 1 } }
  const nested = (isOpen: boolean) => ({
    belongs: async () => ({ ...above, row: parent, isOpen }),
  })

  test('is that of the rows that belong to the one of the address', async () => {
    const kept = await keeping({}, nested(false))(newRequest())
    expect(kept).toEqual({ ...above, isOpen: false, parent, all, store: narrowing([{ shelf: 7 }]) })
  })

  test('is within both', async () => {
    const scope = (_: ApiRequest, row: unknown) => ({ mine: row === parent })
    const kept = await keeping({ scope }, nested(false))(newRequest())
    const store = narrowing([{ shelf: 7 }, { mine: true }])
    expect(kept).toEqual({
      ...above,
      isOpen: false,
      parent,
      all,
      store,
      scope: { shelf: 7, mine: true },
    })
  })

  test.each([
    ['its scope restricts nothing', {}, [], null, true],
    ['its scope restricts nothing, beside a column of tenants', {}, ['org'], null, false],
    ['its scope restricts something', { org: 1 }, [], null, false],
    ['that of the rows above does not', { org: 1 }, ['org'], nested(true), true],
  ])('is open where %s', async (_, scope, tenant, nesting, isOpen) => {
    const kept = await keeping({ scope: () => scope, tenant }, nesting)(newRequest())
    expect(kept.isOpen).toBe(isOpen)
  })

  class Getters {
    get org(): number {
      return 1
    }
  }
  const NONE = 'its scope is no object of values. Give a plain one, such as { organisation: 7 }.'
  const unset = (name: string) =>
    `its scope gives undefined for "${name}". Give a value, null, or [] for no rows; leave the column out where any row will do.`

  test.each<[scope: unknown, problem: string | null]>([
    [{ org: null, site: [] }, null],
    [Object.assign(Object.create(null) as object, { org: 1 }), null],
    [null, NONE],
    [undefined, NONE],
    ['org', NONE],
    [[1], NONE],
    [new Getters(), NONE],
    [{ site: 1, org: undefined }, unset('org')],
    [{ org: [1, undefined] }, unset('org')],
  ])('cannot be within %o', (scope, problem) => {
    const keep = () => keeping({ scope: () => scope })(newRequest())
    if (problem === null) expect((keep() as ScopedStore).scope).toEqual(scope)
    else expect(keep).toThrow(new ConfigurationError(`endpoint book: ${problem}`))
  })

  test('cannot be narrowed without within()', () => {
    const keep = keeping({ store: { key: 'id' } as never, scope: () => ({ org: 1 }) })
    expect(() => keep(newRequest())).toThrow(
      new ConfigurationError(
        'endpoint book: scope and parent need a store with within(values), as sqlTable() makes it.',
      ),
    )
  })
})

describe('what serializers know of a request', () => {
  const [all, store] = [narrowing(), narrowing([{ org: 1 }])]
  const kept = { store, all, scope: { shelf: 7, org: 1 }, keys: {}, above: [], parent: undefined }
  const keep = () => ({ ...kept, tenant: { site: 2 }, isOpen: false })
  const known = (row?: object) => {
    const request = newRequest()
    const around = parseFactsFor(keep, ['org'], 'shelf')(request, row as never)
    expect(request['~around']).toBe(around)
    return { request, around: around as Required<Awaited<typeof around>> }
  }
  const tenancyOf = (row?: object) => known(row).around['~tenancy'] as Tenancy

  test('its scope, and its own rows in place of all', () => {
    const { scope, narrowed } = known().around
    const other = narrowing()
    expect(scope).toEqual({ shelf: 7, org: 1 })
    expect(narrowed(all as object)).toBe(store)
    expect(narrowed(other as object)).toBe(other)
  })

  test('of its tenant, what is no key of a row above', () => {
    expect(tenancyOf().shownIn(undefined)).toEqual({ site: 2, org: 1 })
    const find = () => ({ org: 1, site: 2 })
    const tenancy = tenancyOf({ org: 3 })
    void tenancy.at('author').find(1, { find, scope: undefined }, newRequest())
    expect(tenancy.strays({}, null)).toEqual(['author'])
    expect(tenancyOf().strays({}, null)).toEqual([])
  })

  test('and what it refers to decides where it writes', () => {
    const settled = (seen: object | undefined, orgs: readonly number[]) => {
      const { request, around } = known()
      const tenancy = around['~tenancy'] as Tenancy
      for (const [at, org] of orgs.entries())
        void tenancy
          .at(`${at}`)
          .find(at, { find: () => ({ org, site: 2 }), scope: undefined }, request)
      return settledIn({ store }, request, seen as never)
    }
    expect(settledIn({ store }, newRequest())).toBe(store)
    expect(settled(undefined, [])).toBe(store)
    expect(partsOf(settled(undefined, [1, 1]))).toEqual([{ org: 1 }, { org: 1 }])
    expect(partsOf(settled({ org: 3 }, [1]))).toEqual([{ org: 1 }, { org: [3, 1] }])
    expect(partsOf(settled({ site: 3 }, [1]))).toEqual([{ org: 1 }, { org: 1 }])
  })
})

describe('what is known of a resource when it starts', () => {
  const columned = (...columns: readonly string[]) =>
    Object.assign(narrowing(), { find: () => null, columns: async () => columns }) as never
  const books = columned('id', 'title', 'author', 'org')
  const authors = columned('id', 'name', 'org')
  const title = field.text({ maxLength: 9 })
  const by = (scope?: object | null, options: object = {}, store = authors) =>
    field.related({ store, ...(scope !== undefined && { scope }) } as never, options)
  const naming = (fields: object, more: object = {}) =>
    ({ store: books, serializer: serializer(fields as { title: typeof title }), ...more }) as never

  test.each<
    [title: string, fields: object, isScoped: boolean, refersTo: object[], anywhere: boolean]
  >([
    ['nothing', { title }, false, [], false],
    ['rows of its tenant', { author: by() }, true, [], false],
    ['rows without a scope', { author: by() }, false, [authors], true],
    ['rows of any tenant', { author: by(null) }, true, [authors], false],
    ['rows of any tenant, without a scope', { author: by(null) }, false, [authors], false],
    ['rows that are only shown', { author: by(null, { readOnly: true }) }, false, [], false],
    ['rows that are looked up', { author: field.related({ find: () => null }) }, false, [], true],
  ])('it refers to %s', (_, fields, isScoped, refersTo, refersAnywhere) => {
    const facts = { store: books, isScoped, refersTo, refersAnywhere, writes: [], isRuled: false }
    expect(tenantsOf(naming(fields), isScoped)).toEqual(facts)
  })

  test('its rule, and a store that only a request can tell', () => {
    const ruled = naming({ title }, { store: () => books, validateInTransaction: () => undefined })
    expect(tenantsOf(ruled, true)).toMatchObject({ store: null, isRuled: true })
    const unknown = naming({ title }, { serializer: () => serializer({ title }) })
    expect(tenantsOf(unknown, false)).toMatchObject({
      refersTo: [],
      writes: [],
      refersAnywhere: false,
    })
  })

  test('what scopes narrow by is shown to the store, which may refuse it', async () => {
    const asked: unknown[] = []
    const columns = (scoped?: readonly string[]) => {
      asked.push(scoped)
      return ['id', 'org', 'author', 'title']
    }
    const store = { ...(books as object), columns }
    await lackingColumn(naming({ title }, { store, by: 'author', tenant: 'org' }), [])
    expect(asked).toEqual([['author', 'org']])
  })

  const LACKS = 'which the table does not have.'
  const SAY = "Say which it is (scope: { org: '…' }), or let it take any row (scope: null)."
  const lacking = (name: string, column: string, more = '') =>
    `The scope of the field "${name}" names the column "${column}", ${LACKS}${more} ${SAY}`
  const elsewhere = (scope?: object | null) => by(scope, {}, columned('id', 'orgs'))
  const tenant = 'org'
  const found = field.related({ find: () => null })
  const near = ' Did you mean "orgs"?'

  test.each<[title: string, fields: object, more: object, problem: string | null]>([
    ['none', { title, author: by() }, { by: 'author', tenant: ['org'] }, null],
    [
      'in "by"',
      { title },
      { by: 'authr' },
      `"by" names the column "authr", ${LACKS} Did you mean "author"?`,
    ],
    [
      'in "tenant"',
      { title },
      { tenant: 'organisation' },
      `"tenant" names the column "organisation", ${LACKS}`,
    ],
    [
      'in one of several',
      { title },
      { tenant: ['org', 'city'] },
      `"tenant" names the column "city", ${LACKS}`,
    ],
    [
      'in a field',
      { title, place: field.text({ source: 'city', maxLength: 9 }) },
      {},
      `The field "place" of the serializer names the column "city", ${LACKS}`,
    ],
    [
      'in what a field refers to',
      { author: elsewhere() },
      { tenant },
      lacking('author', 'org', near),
    ],
    [
      'there under another name',
      { author: elsewhere({ org: 'organisation_id' }) },
      { tenant },
      lacking('author', 'organisation_id'),
    ],
    [
      'there beside another one',
      { author: elsewhere({ o: 'o' }) },
      { tenant },
      lacking('author', 'org', near),
    ],
    [
      'none where the column counts for nothing',
      { author: elsewhere({ org: null }) },
      { tenant },
      null,
    ],
    [
      'none under the right name',
      { author: elsewhere({ org: 'orgs' }) },
      { tenant: ['org'] },
      null,
    ],
    ['none without tenants', { author: elsewhere() }, {}, null],
    [
      'behind rows of any tenant',
      { author: elsewhere(null), title: elsewhere() },
      { tenant },
      lacking('title', 'org', near),
    ],
    [
      'behind rows that are looked up',
      { author: found, title: elsewhere() },
      { tenant },
      lacking('title', 'org', near),
    ],
    [
      'behind its own',
      { author: elsewhere() },
      { tenant, by: 'elsewhere' },
      `"by" names the column "elsewhere", ${LACKS}`,
    ],
    [
      'of a table whose columns are not known',
      { title },
      { store: narrowing(), by: 'elsewhere' },
      null,
    ],
    [
      'behind a store that a request decides',
      { author: elsewhere() },
      { store: () => books, tenant },
      lacking('author', 'org', near),
    ],
    ['of a store that is not known', { title }, { store: () => books, by: 'elsewhere' }, null],
  ])('a misspelt column: %s', async (_, fields, more, problem) => {
    expect(await lackingColumn(naming(fields, more), [])).toBe(problem)
  })

  test.each<[scope: Record<string, string | null> | undefined, problem: string | null]>([
    [undefined, lacking('author', 'org', near).replace('field', 'relation')],
    [{ org: null }, null],
    [{ org: 'orgs' }, null],
  ])('a misspelt column in the scope %j of a relation that lists name', async (scope, problem) => {
    const related = [{ field: 'author', store: columned('id', 'orgs'), scope }]
    expect(await lackingColumn(naming({ title }, { tenant }), related)).toBe(problem)
    expect(await lackingColumn(naming({ title }), related)).toBe(null)
  })
})
