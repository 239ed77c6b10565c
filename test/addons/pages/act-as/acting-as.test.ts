// Seeing a page as another user: never more than either may see, whatever permissions and handlers say.
import fc from 'fast-check'
import type { Generated } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  CursorPagination,
  JSONRenderer,
  LimitOffsetPagination,
  NotFound,
  PageNumberPagination,
  QueryParameterVersioning,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  list,
  arraySource,
  reply,
  resource,
  resourceUrls,
  serializer as serializerOf,
} from '../../../../src/index.ts'
import { actingAs } from '../../../../src/browsable.ts'
import type { ApiRequest } from '../../../../src/core/ports/request.ts'
import type { Reply } from '../../../../src/core/ports/representations.ts'
import { type SqlSource, sqlSource, sqlTable } from '../../../../src/sql.ts'
import { client } from '../../../../src/testing.ts'
import type { Authenticator, Permission } from '../../../../src/types.ts'
import { temporarySqlite } from '../../../contract/temporary.ts'

/** Shows the data as JSON, as a page would show it as HTML. */
class Page extends JSONRenderer {
  override readonly mediaType = 'text/html'
  override readonly format = 'api'
  prepare(): object {
    return {}
  }
  override render({ data }: Reply): string {
    return JSON.stringify(data)
  }
}

const names = ['ada', 'bob', 'eve'] as const
type Name = (typeof names)[number]
interface Person {
  readonly username: Name
}
const nameOf = ({ user }: ApiRequest): Name => (user as Person).username

const log = { info: [] as unknown[], handled: [] as string[], permits: true }
beforeEach(() => void Object.assign(log, { info: [], handled: [], permits: true }))

/** `X-User` is who asks, `X-As` whose view is wanted. */
const scheme: Authenticator = {
  authenticate(request) {
    const [user, as] = [request.header('x-user'), request.header('x-as')]
    const acting =
      as && actingAs({ name: as, user: { username: as }, auth: null, permits: () => log.permits })
    return user === null ? null : { user: { username: user }, auth: null, acting: acting || null }
  },
}

type Allowed = Readonly<Record<string, boolean>>
/** Says yes to `user method version`, and about objects to `user id`. */
const by = (request: Allowed, object: Allowed): Permission<{ id: number }> => ({
  hasPermission: (asked) => request[`${nameOf(asked)} ${asked.method} ${asked.version}`] ?? true,
  hasObjectPermission: (asked, { id }) => object[`${nameOf(asked)} ${id}`] ?? true,
})

interface Row {
  readonly id: number
  readonly owner: Name
  readonly secret: string
}
const rows: Row[] = names.flatMap((owner, at) => [
  { id: 2 * at + 1, owner, secret: `of ${owner}` },
  { id: 2 * at + 2, owner, secret: 'shared' },
])
const seen = ({ id, owner, secret }: Row, asking: Name, version: string | null) => ({
  id,
  ...(version === '2' && { owner }),
  ...((asking === owner || secret === 'shared') && { secret }),
  asked: asking,
})

function serve(permissions: readonly Permission[], visible: Allowed = {}) {
  const api = defineApi({
    urls: { all: '/all/', one: '/one/:id<int>/', me: '/me/', cookie: '/cookie/', odd: '/odd/' },
    authentication: [scheme],
    permissions,
    renderers: [new JSONRenderer(), new Page()],
    versioning: new QueryParameterVersioning(),
    defaultVersion: '1',
    allowedVersions: ['1', '2'],
    pagination: null,
    logger: { error: () => {}, info: (record: unknown) => void log.info.push(record) },
  })
  const may = (name: Name, { id }: Row): boolean => visible[`${name} ${id}`] ?? true
  const write = (request: ApiRequest) => {
    log.handled.push(request.method)
    return reply(null, { status: 204 })
  }
  const one = async (request: ApiRequest) => {
    const row = rows.find(({ id }) => id === Number(request.params['id']))
    if (row === undefined || !may(nameOf(request), row)) throw new NotFound()
    await request.checkObjectPermissions(row)
    return seen(row, nameOf(request), request.version)
  }
  return client(
    api.serve(
      [
        api.endpoint('all').get(
          list({
            source: (request) => arraySource(rows.filter((row) => may(nameOf(request), row))),
            serializer: {
              represent: (row: Row, request: ApiRequest) =>
                seen(row, nameOf(request), request.version),
            },
          }),
        ),
        api.endpoint('one').get(one).post(write).put(write).patch(write).delete(write),
        api.endpoint('me').get(({ user }) => user),
        api
          .endpoint('odd')
          .get((request) =>
            nameOf(request) === 'eve' ? { secret: 1 } : reply({ secret: 1 }, { status: 404 }),
          ),
        api
          .endpoint('cookie')
          .get((request) => reply({}, { headers: { 'Set-Cookie': nameOf(request), ETag: '"1"' } })),
      ],
      { configuration: configurationOf() },
    ),
  )
}

const many: Row[] = Array.from({ length: 12 }, (_, at) => ({
  id: at + 1,
  owner: names[at % names.length]!,
  secret: at % 2 === 0 ? 'shared' : `of ${names[at % names.length]}`,
}))
async function inDatabase(): Promise<SqlSource<Row, keyof Row>> {
  const database = temporarySqlite()
  const run = (sql: string, ...parameters: unknown[]) => database.write({ sql, parameters })
  await run('create table row (id integer primary key, owner text, secret text)')
  for (const { id, owner, secret } of many)
    await run('insert into row values (?, ?, ?)', id, owner, secret)
  const query = database.kysely<{ row: Row }>().selectFrom('row').selectAll()
  return sqlSource({ database, query, key: ['owner', 'id'] })
}

const asked = (user: Name, as: Name | null = null, accept = 'text/html') => ({
  headers: { accept, 'x-user': user, ...(as && { 'x-as': as }) },
})

/** Everything that an answer says, by where it stands: of rows by their id. */
function leaves(data: unknown, at = ''): string[] {
  if (Array.isArray(data))
    return data.flatMap((row) => leaves(row, `${at}/${(row as { id?: number }).id ?? '-'}`))
  if (typeof data !== 'object' || data === null) return [`${at}=${JSON.stringify(data)}`]
  return Object.entries(data).flatMap(([name, value]) => leaves(value, `${at}.${name}`))
}
const read = (text: string): unknown => (text === '' ? null : JSON.parse(text))

const METHODS = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete'] as const
const [people, versions, ids] = [fc.constantFrom(...names), ['1', '2'], rows.map(({ id }) => id)]
const denials = (keys: readonly string[]) =>
  fc.subarray([...keys]).map((some): Allowed => Object.fromEntries(some.map((key) => [key, false])))
const perObject = names.flatMap((name) => ids.map((id) => `${name} ${id}`))
const perRequest = names.flatMap((name) =>
  METHODS.flatMap((method) =>
    versions.map((version) => `${name} ${method.toUpperCase()} ${version}`),
  ),
)

test('never shows more than either would be shown: users × permissions × methods × versions', async () => {
  const anyCase = fc.record({
    user: people,
    other: people,
    method: fc.constantFrom(...METHODS),
    version: fc.constantFrom(...versions),
    path: fc.constantFrom('/all/', '/one/1/', '/one/2/', '/one/4/', '/me/'),
    request: denials(perRequest),
    object: denials(perObject),
    visible: denials(perObject),
  })
  let shown = 0
  await fc.assert(
    fc.asyncProperty(anyCase, async ({ user, other, method, version, path, ...rules }) => {
      const { request, object, visible } = rules
      const ask = serve([by(request, object)], visible)[method]
      const url = `${path}?version=${version}`
      log.handled = []
      const both = await ask(url, asked(user, other))
      expect(log.handled).toEqual([])
      if (both.status >= 400) return
      expect(['get', 'head', 'options']).toContain(method)
      const [own, theirs] = [await ask(url, asked(user)), await ask(url, asked(other))]
      expect([own.status, theirs.status]).toEqual([both.status, both.status])
      const said = leaves(read(both.text)).filter((leaf) => leaf !== '=null')
      expect(leaves(read(own.text))).toEqual(expect.arrayContaining(said))
      expect(leaves(read(theirs.text))).toEqual(expect.arrayContaining(said))
      shown += said.length
    }),
    { numRuns: 400 },
  )
  expect(shown).toBeGreaterThan(200)
})

const PAGED = ['numbered', 'windows', 'cursors', 'unkeyed', 'kept'] as const

/** The same rows in pages of two: by number, by offset, by cursor, without a key, and from a database. */
function servePages(visible: Allowed, kept: SqlSource<Row, keyof Row>) {
  const api = defineApi({
    urls: {
      numbered: '/numbered/',
      windows: '/windows/',
      cursors: '/cursors/',
      unkeyed: '/unkeyed/',
      kept: '/kept/',
    },
    authentication: [scheme],
    renderers: [new JSONRenderer(), new Page()],
    logger: { error: console.error, info: () => {} },
  })
  const own = (request: ApiRequest): Row[] =>
    many.filter(({ id }) => visible[`${nameOf(request)} ${id}`] ?? true)
  const serializer = {
    represent: (row: Row, request: ApiRequest) => seen(row, nameOf(request), '2'),
  }
  const cursors = new CursorPagination({ pageSize: 2, ordering: 'id' })
  const endpoints = [
    api
      .endpoint('numbered', { pagination: new PageNumberPagination({ pageSize: 2 }) })
      .get(list({ source: (request) => arraySource(own(request), { key: 'id' }), serializer })),
    api
      .endpoint('windows', { pagination: new LimitOffsetPagination({ defaultLimit: 2 }) })
      .get(list({ source: (request) => arraySource(own(request), { key: 'id' }), serializer })),
    api
      .endpoint('cursors', { pagination: cursors })
      .get(list({ source: (request) => arraySource(own(request), { key: 'id' }), serializer })),
    api
      .endpoint('unkeyed', { pagination: new PageNumberPagination({ pageSize: 2 }) })
      .get(list({ source: (request) => arraySource(own(request)), serializer })),
    api.endpoint('kept', { pagination: cursors }).get(
      list({
        source: (request) =>
          kept.where([{ field: 'id', operator: 'in', value: own(request).map(({ id }) => id) }]),
        serializer,
      }),
    ),
  ]
  return client(api.serve(endpoints, { configuration: configurationOf() }))
}

interface Listed {
  readonly count?: number
  readonly next?: string | null
  readonly results: readonly { readonly id: number }[]
}

test('shows the page of the other without the rows that one may not see: users × rows × styles × pages', async () => {
  const kept = await inDatabase()
  const anyCase = fc.record({
    user: people,
    other: people,
    style: fc.constantFrom(...PAGED),
    turns: fc.nat(4),
    visible: denials(names.flatMap((name) => many.map(({ id }) => `${name} ${id}`))),
  })
  const met = { fartherThanOwn: 0, hidden: 0, whole: 0 }
  await fc.assert(
    fc.asyncProperty(anyCase, async ({ user, other, style, turns, visible }) => {
      const { get } = servePages(visible, kept)
      const may = ({ id }: { id: number }) => visible[`${user} ${id}`] ?? true
      let url = `/${style}/`
      let theirs = (await get(url, asked(other, null, 'application/json'))).data as Listed
      for (let turn = 0; turn < turns && theirs.next; turn++) {
        url = new URL(theirs.next).pathname + new URL(theirs.next).search
        theirs = (await get(url, asked(other, null, 'application/json'))).data as Listed
      }
      const both = await get(url, asked(user, other))
      expect(both.status).toBe(200)
      const shown = read(both.text) as Listed
      // Exactly the rows of that page which the user may see, and of them only what both see.
      expect(shown.results.map(({ id }) => id)).toEqual(
        theirs.results.filter(may).map(({ id }) => id),
      )
      const everything = many.filter(may).map((row) => seen(row, user, '2'))
      expect(leaves(everything)).toEqual(expect.arrayContaining(leaves(shown.results)))
      expect(leaves(theirs.results)).toEqual(expect.arrayContaining(leaves(shown.results)))
      const own = await get(url, asked(user, null, 'application/json'))
      const said = own.status === 200 ? (own.data as Listed) : null
      if (shown.count !== undefined) expect(shown.count).toBe(said?.count)
      const isWhole = theirs.results.every(may)
      if (shown.next) expect(isWhole || shown.next === said?.next).toBe(true)
      if (isWhole) expect(shown.next).toBe(theirs.next)
      met.fartherThanOwn += Number(own.status === 404)
      met.hidden += Number(!isWhole)
      met.whole += Number(isWhole && turns > 0)
    }),
    { numRuns: 300 },
  )
  expect(Math.min(...Object.values(met))).toBeGreaterThan(0)
})

test('knows rows by a key of bytes', async () => {
  const api = defineApi({
    urls: { all: '/all/' },
    authentication: [scheme],
    renderers: [new JSONRenderer(), new Page()],
    logger: { error: console.error, info: () => {} },
  })
  const keyed = rows.map((row) => ({ ...row, key: Uint8Array.of(row.id) }))
  const own = (request: ApiRequest) =>
    keyed.filter(({ owner }) => owner === 'eve' || owner === nameOf(request))
  const serializer = { represent: ({ id }: Row) => ({ id }) }
  const pagination = new LimitOffsetPagination({ defaultLimit: 3 })
  const all = api
    .endpoint('all', { pagination })
    .get(list({ source: (request) => arraySource(own(request), { key: 'key' }), serializer }))
  const app = client(api.serve([all], { configuration: configurationOf() }))
  const { text } = await app.get('/all/', asked('ada', 'bob'))
  expect(read(text)).toMatchObject({ results: [{ id: 5 }] })
})

/** Ada sees each project, and others their own; tasks and notes have no scope but the rows above. */
async function projects() {
  const database = temporarySqlite()
  const run = (sql: string) => database.write({ sql, parameters: [] })
  await run('create table project (id integer primary key, owner text)')
  await run('create table task (id integer primary key, project integer)')
  await run('create table note (id integer primary key, task integer)')
  await run(`insert into project values (1, 'eve'), (2, 'bob')`)
  await run('insert into task values (1, 1), (2, 2)')
  await run('insert into note values (1, 1), (2, 2)')
  const db = database.kysely<{
    project: { id: Generated<number>; owner: string }
    task: { id: Generated<number>; project: number }
    note: { id: Generated<number>; task: number }
  }>()
  const only = serializerOf({ id: field.integer({ readOnly: true }) })
  const api = defineApi({
    urls: defineUrls({
      ...resourceUrls('project', '/projects/', ':id<int>'),
      ...resourceUrls('task', '/projects/:project<int>/tasks/', ':id<int>'),
      ...resourceUrls('note', '/projects/:project<int>/tasks/:task<int>/notes/', ':id<int>'),
    }),
    authentication: [scheme],
    renderers: [new JSONRenderer(), new Page()],
    logger: { error: console.error, info: () => {} },
  })
  const project = resource(api, 'project', {
    store: sqlTable({ database, db, table: 'project', key: 'id' }),
    serializer: only,
    scope: (request) => (nameOf(request) === 'ada' ? {} : { owner: nameOf(request) }),
    performCreate: (_input, request, store) => store.insert({ owner: nameOf(request) }),
  })
  const tasks = sqlTable({ database, db, table: 'task', key: 'id' })
  const task = resource(api, 'task', {
    store: tasks,
    serializer: only,
    parent: project,
    by: 'project',
  })
  const notes = sqlTable({ database, db, table: 'note', key: 'id' })
  const note = resource(api, 'note', { store: notes, serializer: only, parent: task, by: 'task' })
  const app = api.serve([...project, ...task, ...note], { configuration: configurationOf() })
  return client(app)
}

const below = ['', 'tasks/', 'tasks/ID/', 'tasks/ID/notes/', 'tasks/ID/notes/ID/']
describe.each(['GET', 'HEAD', 'OPTIONS'])('%s below a row that one of them sees', (method) => {
  test.each(below)('says nothing that the other is not answered: %s', async (path) => {
    const app = await projects()
    const saying = async (id: number) => {
      const url = `/projects/${id}/${path.replaceAll('ID', String(id))}`
      const of = async (user: Name, as: Name | null) => {
        const { status, text } = await app.request(method, url, asked(user, as))
        return method === 'OPTIONS' ? text.includes('"actions"') : status === 200
      }
      return [await of('ada', null), await of('bob', null), await of('ada', 'bob')]
    }
    expect([await saying(1), await saying(2)]).toEqual([
      [true, false, false],
      [true, true, true],
    ])
  })
})

describe('acting', () => {
  const app = () => serve([by({}, {})], { 'bob 3': false })

  test('shows the rows of both, with what both see of them', async () => {
    const { text } = await app().get('/all/', asked('ada', 'bob'))
    expect(read(text)).toEqual([
      { id: 1 },
      { id: 2, secret: 'shared' },
      { id: 4, secret: 'shared' },
      { id: 5 },
      { id: 6, secret: 'shared' },
    ])
  })
  test('shows the refusal that the other meets', async () => {
    const { get } = serve([by({ 'bob GET 1': false }, {})])
    expect((await get('/all/', asked('ada', 'bob'))).status).toBe(403)
  })
  test.each(['post', 'put', 'patch', 'delete'] as const)('changes nothing: %s', async (method) => {
    expect((await app()[method]('/one/1/', asked('ada', 'bob'))).status).toBe(403)
    expect(log.handled).toEqual([])
  })
  test('is nothing that programs meet', async () => {
    const { data } = await app().get('/me/', asked('ada', 'bob', 'application/json'))
    expect(data).toEqual({ username: 'ada' })
  })
  test('is refused to those who may not', async () => {
    log.permits = false
    expect((await app().get('/all/', asked('ada', 'bob'))).status).toBe(403)
    expect(log.info).toEqual([])
  })
  test('is logged, with who did it', async () => {
    await app().get('/all/', asked('ada', 'bob'))
    expect(log.info).toMatchObject([
      { event: 'act_as.shown', by: 'ada', as: 'bob', method: 'GET', path: '/all/' },
    ])
  })
  test('shows what the user is answered, where that is no success', async () => {
    const { status, text } = await app().get('/odd/', asked('ada', 'eve'))
    expect([status, read(text)]).toEqual([404, { secret: 1 }])
    expect((await app().get('/odd/', asked('eve', 'ada'))).status).toBe(404)
  })
  test('takes no cookie and no header of the other', async () => {
    const { cookies, header } = await app().get('/cookie/', asked('ada', 'bob'))
    expect([cookies, header('etag')]).toEqual([{}, '"1"'])
  })
})
