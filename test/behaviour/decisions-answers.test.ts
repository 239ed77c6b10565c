import { describe, expect, test } from 'vitest'
import {
  IsAuthenticated,
  JSONRenderer,
  TokenAuthentication,
  ValidationError,
  configurationOf,
  defineApi,
  reply,
} from '../../src/index.ts'
import { client } from '../../src/testing.ts'
import { type Row, throughDoors } from './doors.ts'
import { DETAIL, byHeader, notebook, says, tokens } from './fixtures.ts'

const log = notebook()
const token = [new TokenAuthentication({ tokens })]
const one = { renderers: [new JSONRenderer()] }
const api = defineApi({
  urls: {
    open: '/open/',
    mixed: '/mixed/',
    either: '/either/',
    set: '/set/',
    asks: '/asks/',
    members: '/members/',
    field: '/field/',
    bug: '/bug/',
    coded: '/coded/',
    body: '/body/',
    café: '/café/:name/',
  },
  logger: log,
})
const ok = () => 'ok'
const app = api.serve(
  [
    api.endpoint('open').get(ok),
    api.endpoint('mixed', { ...one, authentication: token }).get(ok),
    api.endpoint('either', { ...one, authentication: [byHeader(), ...token] }).get(ok),
    api
      .endpoint('set', { ...one, authentication: token })
      .get(() =>
        reply('ok', { headers: { 'Cache-Control': 'public, max-age=60', Vary: 'Authorization' } }),
      ),
    api.endpoint('asks', one).get((request) => request.header('accept-language')),
    api
      .endpoint('members', { authentication: token, permissions: [new IsAuthenticated()] })
      .get(ok),
    api.endpoint('field').get(() => {
      throw new ValidationError({ name: ['too long'] }, 'max_length')
    }),
    api.endpoint('bug').get(() => {
      throw new Error('inner workings')
    }),
    api
      .endpoint('coded', { permissions: [says(false, { message: 'no', code: 'sunday' })] })
      .get(ok),
    api.endpoint('body').post((request) => request.body()),
    api.endpoint('café').get(({ params }) => params),
  ],
  { configuration: configurationOf({ DATA_UPLOAD_MAX_MEMORY_SIZE: 10 }) },
)
const ada = { headers: { authorization: 'Token k-ada' } }

const caches: Row[] = [
  [
    'nobody asked who it is: shared caches may keep it',
    'GET /open/',
    { status: 200, headers: { vary: 'Accept', 'cache-control': null } },
  ],
  [
    'a scheme read its header: Vary names it, sent or not',
    'GET /mixed/',
    { status: 200, headers: { vary: 'Authorization', 'cache-control': null } },
  ],
  [
    'a user was named: private',
    'GET /mixed/',
    { status: 200, headers: { vary: 'Authorization', 'cache-control': 'private' } },
    ada,
  ],
  [
    'each header once, whoever read it',
    'GET /either/',
    { status: 200, headers: { vary: 'X-User, Authorization' } },
    ada,
  ],
  [
    'what was not read is not named',
    'GET /either/',
    { status: 200, headers: { vary: 'X-User', 'cache-control': 'private' } },
    { headers: { 'x-user': 'ada', authorization: 'Token k-ada' } },
  ],
  [
    'a Cache-Control of the handler stays',
    'GET /set/',
    { status: 200, headers: { vary: 'Authorization', 'cache-control': 'public, max-age=60' } },
    ada,
  ],
  [
    'a header that a handler read is named',
    'GET /asks/',
    { status: 200, headers: { vary: 'Accept-Language' } },
  ],
  [
    'a refusal varies too',
    'GET /members/',
    { status: 401, headers: { vary: 'Accept, Authorization', 'cache-control': null } },
  ],
  [
    'an answer 404 to a named user is private',
    'PUT /members/',
    { status: 405, headers: { 'cache-control': 'private' } },
    ada,
  ],
]
const everywhere: Row[] = [
  [
    'an address that is not there',
    'GET /nope/',
    { status: 404, data: DETAIL, headers: { 'content-type': 'application/json', allow: null } },
  ],
  [
    'people get a page',
    'GET /nope/',
    { status: 404, text: /^<!doctype html>/ },
    { headers: { accept: 'text/html' } },
  ],
  ['a slash too few', 'GET /open', { status: 404, data: DETAIL }],
  ['a slash too many', 'GET /open//', 404],
  ['another case', 'GET /Open/', 404],
  ['whatever the method', 'DELETE /nope/', 404],
  [
    '404 before 406',
    'GET /nope/',
    { status: 404, data: DETAIL },
    { headers: { accept: 'image/png' } },
  ],
  [
    'a broken escape',
    'GET /%zz/',
    { status: 400, data: DETAIL, headers: { 'content-type': 'application/json' } },
  ],
  ['half an escape', 'GET /%', 400],
  ['bytes that are no UTF-8', 'GET /%ff/', { status: 400, data: DETAIL }],
  ['an escape that is fine', 'GET /caf%C3%A9/a%2Fb/', { status: 200, data: { name: 'a/b' } }],
  [
    'a NUL is a character like others',
    'GET /caf%C3%A9/%00/',
    { status: 200, data: { name: '\0' } },
  ],
  [
    'the asterisk of OPTIONS',
    'OPTIONS *',
    { status: 404, data: DETAIL },
    { cannot: ['fetch door', 'a URL has a path'] },
  ],
  ['a body too large', 'POST /body/', { status: 413, data: DETAIL }, { json: 'too much of it' }],
]
const problems = 'application/json, application/problem+json'
const wantsProblems = { headers: { accept: problems } }
const PROBLEM = { 'content-type': 'application/problem+json', vary: /\bAccept\b/ }
const urn = expect.stringMatching(/^urn:request:./) as string
const problem = (
  status: number,
  title: string,
  code: string,
  more: object = { detail: expect.any(String) },
) => ({
  status,
  data: { type: 'about:blank', title, status, code, instance: urn, ...more },
  headers: PROBLEM,
})
const rfc9457: Row[] = [
  ['404 of nowhere', 'GET /nope/', problem(404, 'Not Found', 'not_found'), wantsProblems],
  [
    '401 keeps its challenge',
    'GET /members/',
    {
      ...problem(401, 'Unauthorized', 'not_authenticated'),
      headers: { ...PROBLEM, 'www-authenticate': 'Token' },
    },
    wantsProblems,
  ],
  [
    '400 with a code for each message',
    'GET /field/',
    problem(400, 'Bad Request', 'max_length', {
      errors: { name: [{ message: 'too long', code: 'max_length' }] },
    }),
    wantsProblems,
  ],
  ['405', 'PUT /open/', problem(405, 'Method Not Allowed', 'method_not_allowed'), wantsProblems],
  [
    '403 with the code of the permission',
    'GET /coded/',
    problem(403, 'Forbidden', 'sunday', { detail: 'no' }),
    wantsProblems,
  ],
  [
    '500 without a word about its cause',
    'GET /bug/',
    { ...problem(500, 'Internal Server Error', 'error'), text: /^(?!.*inner)/ },
    wantsProblems,
  ],
  ['400 for a broken path', 'GET /%zz/', problem(400, 'Bad Request', 'parse_error'), wantsProblems],
  [
    '413',
    'POST /body/',
    problem(413, 'Content Too Large', 'payload_too_large'),
    { ...wantsProblems, json: 'too much of it' },
  ],
  [
    '406 also where nothing else is accepted',
    'GET /open/',
    problem(406, 'Not Acceptable', 'not_acceptable'),
    { headers: { accept: 'application/problem+json' } },
  ],
  [
    'not for those who accept anything',
    'GET /nope/',
    { status: 404, data: DETAIL, headers: { 'content-type': 'application/json' } },
    { headers: { accept: '*/*' } },
  ],
  [
    'nor for those who refuse it',
    'GET /nope/',
    { status: 404, data: DETAIL },
    { headers: { accept: 'application/json, application/problem+json;q=0' } },
  ],
  [
    'answers that are no errors stay as they are',
    'GET /open/',
    { status: 200, headers: { 'content-type': 'application/json' } },
    wantsProblems,
  ],
]

describe('I11 caches', () => {
  throughDoors(app, caches)
})
describe('I12 JSON everywhere', () => {
  throughDoors(app, everywhere)
})
describe('I12 application/problem+json', () => {
  throughDoors(app, rfc9457)
})

describe('I12 X-Request-Id', () => {
  const id = { 'x-request-id': /^[\w-]{8,}$/ }
  throughDoors(app, [
    ['of an answer', 'GET /open/', { status: 200, headers: id }],
    ['of an answer without a body', 'HEAD /open/', { status: 200, headers: id }],
    ['of 400', 'GET /%zz/', { status: 400, headers: id }],
    ['of 401', 'GET /members/', { status: 401, headers: id }],
    ['of 404', 'GET /nope/', { status: 404, headers: id }],
    ['of 405', 'PUT /open/', { status: 405, headers: id }],
    ['of 500', 'GET /bug/', { status: 500, headers: id }],
  ])

  test('is another one each time, and not taken from the client', async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(async () =>
        (await client(app).get('/open/', { headers: { 'x-request-id': 'mine' } })).header(
          'x-request-id',
        ),
      ),
    )
    expect(new Set([...ids, 'mine']).size).toBe(4)
  })

  test('is in the log', async () => {
    const answer = await client(app).get('/bug/')
    expect(log.records.at(-1)).toMatchObject({
      event: 'request.failed',
      id: answer.header('x-request-id'),
    })
  })
})
