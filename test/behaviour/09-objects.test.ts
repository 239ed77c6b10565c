import { describe, expect, test } from 'vitest'
import {
  type ApiRequest,
  Gone,
  IsAuthenticated,
  NotFound,
  PermissionDenied,
  TokenAuthentication,
  ValidationError,
  allOf,
  anyOf,
  defineApi,
  found,
  not,
  reply,
  retrieve,
} from '../../src/index.ts'
import type { Permission } from '../../src/types.ts'
import { client } from '../../src/testing.ts'
import { type Row, throughDoors } from './doors.ts'
import { DETAIL, quiet, says, tokens } from './fixtures.ts'

interface Note {
  readonly id: number
  readonly owner: string
  readonly hidden?: true
}
const notes: readonly Note[] = [
  { id: 1, owner: 'ada' },
  { id: 2, owner: 'bob' },
  { id: 3, owner: 'bob', hidden: true },
]
const byId = (id: number) => notes.find((note) => note.id === id)
const username = ({ user }: ApiRequest) => (user as { username: string }).username

const asked: string[] = []
class IsOwner implements Permission<Note> {
  readonly message = { reason: 'not yours', owners: ['see', 'the', 'list'] }
  readonly code = 'not_owner'

  hasObjectPermission(request: ApiRequest, note: Note) {
    asked.push(`owner of ${note.id}`)
    return note.owner === username(request)
  }
}
const isAda: Permission = { hasPermission: (request) => username(request) === 'ada' }
const later: Permission<Note> = {
  message: ['later'],
  hasObjectPermission: async (request, note) => note.owner === username(request),
}
const raising = (error: Error): Permission => ({
  hasObjectPermission() {
    throw error
  },
})
/** A no whose words depend on the object. */
const explains: Permission<Note> = {
  message: 'in general',
  code: 'general',
  hasObjectPermission: (_, { id }) => id === 1 || { allowed: false, message: `not number ${id}` },
}

const PERMISSIONS = {
  owner: [new IsOwner()],
  open: [],
  'not-owner': [not(new IsOwner(), { message: 'your own' })],
  'ada-or-owner': [anyOf(isAda, new IsOwner())],
  'member-owner': [allOf(new IsAuthenticated(), new IsOwner())],
  two: [new IsOwner(), says(true), { hasObjectPermission: () => false, message: 'second' }],
  later: [later],
  explains: [explains],
  general: [
    {
      message: 'in general',
      code: 'general',
      hasObjectPermission: () => ({ allowed: false, code: 'now' }),
    },
  ],
  missing: [raising(new NotFound())],
  gone: [raising(new Gone())],
  denied: [raising(new PermissionDenied('as raised', 'raised'))],
  invalid: [raising(new ValidationError({ note: ['odd'] }))],
  bug: [raising(new TypeError('x'))],
  mute: [{ hasObjectPermission: () => null }],
  forgotten: [{ hasObjectPermission: async () => undefined as never }],
} satisfies Record<string, readonly Permission[]>
const names = Object.keys(PERMISSIONS)

const table: Record<string, `/${string}`> = {
  list: '/notes/',
  by: '/by/:id<int>/',
  bare: '/bare/:id<int>/',
}
for (const name of names) table[name] = `/${name}/:id<int>/`
const api = defineApi({
  urls: table,
  authentication: [new TokenAuthentication({ tokens })],
  logger: { error: () => undefined },
})
const id = ({ params }: ApiRequest) => params['id'] as number
/** What a list would show: the hidden one is not there for anybody. */
const visible = (request: ApiRequest) => {
  const note = byId(id(request))
  return note?.hidden ? null : note
}
const app = api.serve(
  [
    ...Object.entries(PERMISSIONS).map(([name, permissions]) =>
      api
        .endpoint(name, { permissions })
        .get(retrieve({ find: visible }))
        .put(async (request) => ({ changed: (await found(request, visible(request))).id }))
        .delete(async (request) => {
          await found(request, Promise.resolve(visible(request)))
          return reply(null, { status: 204 })
        }),
    ),
    api.endpoint('list', { permissions: [new IsOwner()] }).get(() => notes.length),
    api
      .endpoint('by', { permissions: [new IsOwner()], authentication: [] })
      .get(retrieve({ find: visible })),
    api
      .endpoint('bare', { permissions: [new IsOwner()] })
      // Taken out of the request, it works alone.
      .get(async ({ checkObjectPermissions, params }) => {
        await checkObjectPermissions(byId(params['id'] as number))
        return 'mine'
      }),
  ],
  quiet,
)

const ada = { headers: { authorization: 'Token k-ada' } }
const bob = { headers: { authorization: 'Token k-bob' } }
const unknown = { status: 401, data: DETAIL, headers: { 'www-authenticate': 'Token' } }
const no = (data: unknown) => ({ status: 403, data, headers: { 'www-authenticate': null } })
const notYours = no({ reason: 'not yours', owners: ['see', 'the', 'list'] })

const rows: Row[] = [
  ['I14 a forgotten `return` denies', 'GET /forgotten/1/', no(DETAIL), ada],
  ['Z3 the owner', 'GET /owner/1/', { status: 200, data: { id: 1, owner: 'ada' } }, ada],
  ['Z3, Z4 somebody else, with the message of the permission', 'GET /owner/1/', notYours, bob],
  ['Z3 HEAD too', 'HEAD /owner/1/', 403, bob],
  ['Z3 changing', 'PUT /owner/1/', { status: 200, data: { changed: 1 } }, ada],
  ['Z3 changing another’s', 'PUT /owner/1/', notYours, bob],
  ['Z3 deleting', 'DELETE /owner/2/', 204, bob],
  ['Z3 deleting another’s', 'DELETE /owner/2/', notYours, ada],
  ['A42, A44 nobody was named: who are you?', 'GET /owner/1/', unknown],
  ['A43 without schemes it is the no of the permission', 'GET /by/1/', notYours],
  ['Z6 there is none', 'GET /owner/9/', 404, ada],
  ['Z6 it is hidden: not there, for its owner as well', 'GET /owner/3/', 404, bob],
  ['Z6 and for others', 'DELETE /owner/3/', 404, ada],
  ['Z6 an identifier that nobody can read', 'GET /owner/x/', 404, ada],
  ['Z6 one beyond every number', `GET /owner/${'9'.repeat(40)}/`, 404, ada],
  ['Z3 never for lists', 'GET /notes/', { status: 200, data: 3 }, bob],
  ['nor for OPTIONS', 'OPTIONS /owner/1/', 200, bob],
  ['no permissions: anybody', 'GET /open/1/', 200],
  ['Z3 the first refusal', 'GET /two/1/', notYours, bob],
  ['Z3 the second, after the first agreed', 'GET /two/1/', no({ detail: 'second' }), ada],
  ['a promise of a no', 'GET /later/1/', no(['later']), bob],
  ['a promise of a yes', 'DELETE /later/1/', 204, ada],
  ['words of the moment', 'GET /explains/2/', no({ detail: 'not number 2' }), ada],
  ['or none', 'GET /explains/1/', 200, ada],
  ['those of the permission for the rest', 'GET /general/1/', no({ detail: 'in general' }), ada],
  ['no opinion denies nobody', 'GET /mute/1/', 200],
  ['Z5 a permission may say 404', 'GET /missing/1/', 404, ada],
  ['Z5 also to somebody who was not named', 'GET /missing/1/', 404],
  ['Z5 or 410', 'GET /gone/1/', 410, ada],
  ['Z5 or 403 in words of its own', 'GET /denied/1/', no({ detail: 'as raised' }), ada],
  ['Z5 or 400', 'GET /invalid/1/', { status: 400, data: { note: ['odd'] } }, ada],
  ['Z5 a bug in one is 500', 'GET /bug/1/', { status: 500, data: DETAIL }, ada],
  ['not: one’s own', 'GET /not-owner/1/', no({ detail: 'your own' }), ada],
  ['not: another’s', 'GET /not-owner/2/', 200, ada],
  ['any: by the request', 'GET /ada-or-owner/2/', 200, ada],
  ['any: by the object', 'GET /ada-or-owner/2/', 200, bob],
  ['any: neither; the refusal that says something', 'GET /ada-or-owner/1/', notYours, bob],
  ['any: nobody was named', 'GET /ada-or-owner/1/', unknown],
  ['all: both', 'GET /member-owner/1/', 200, ada],
  ['all: the request alone', 'GET /member-owner/1/', notYours, bob],
  ['all: nobody was named, before anything is looked up', 'GET /member-owner/9/', unknown],
  ['checkObjectPermissions in a handler', 'GET /bare/1/', { status: 200, data: 'mine' }, ada],
  ['and its no', 'GET /bare/1/', notYours, bob],
]

describe('Z3–Z6, I14 objects', () => {
  throughDoors(app, rows)
})

test('Z3 asked once, of the object that was found', async () => {
  asked.length = 0
  await client(app).get('/ada-or-owner/2/', bob)
  expect(asked).toEqual(['owner of 2'])
})

test('Z6 what is not there is nobody’s', async () => {
  asked.length = 0
  await client(app).get('/owner/3/', bob)
  expect(asked).toEqual([])
})

test.each([
  ['I14 of the refusing leaf', '/ada-or-owner/1/', 'not_owner'],
  ['of the moment', '/general/1/', 'now'],
  ['of the permission, where the moment says none', '/explains/2/', 'general'],
])('codes reach programs: %s', async (_, path, code) => {
  const { data } = await client(app).get(path, {
    headers: { ...bob.headers, accept: 'application/json, application/problem+json' },
  })
  expect(JSON.stringify(data)).toContain(`"${code}"`)
})
