// Seeing a page as another user: never more than either may see, whatever permissions and handlers say.
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  type Authenticator,
  type Permission,
  JSONRenderer,
  NotFound,
  QueryParameterVersioning,
  configurationOf,
  defineApi,
  list,
  arraySource,
  reply,
} from '../../src/index.ts'
import type { ApiRequest, Reply } from '../../src/contract/request.ts'
import { client } from '../../src/testing.ts'

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
    const acting = as && {
      name: as,
      user: { username: as },
      auth: null,
      permits: () => log.permits,
    }
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
