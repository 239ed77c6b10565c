// One service with every policy that reads what clients send.
import { createSecretKey, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { PlainRequest, Kernel } from '../../src/core/ports/http-adapter.ts'
import {
  AcceptHeaderVersioning,
  type ApiRequest,
  BasicAuthentication,
  CursorPagination,
  FieldFilter,
  FileParser,
  type FileTaker,
  HTMLRenderer,
  HostNameVersioning,
  JSONRenderer,
  LimitOffsetPagination,
  MultiPartParser,
  NamespaceVersioning,
  OrderingFilter,
  PageNumberPagination,
  QueryParameterVersioning,
  RemoteUserAuthentication,
  SearchFilter,
  SessionAuthentication,
  StaticHTMLRenderer,
  TokenAuthentication,
  URLPathVersioning,
  configurationOf,
  defineApi,
  defineUrls,
  download,
  field,
  include,
  list,
  loginSession,
  obtainToken,
  serializer,
} from '../../src/index.ts'
import { tokenScan, tokenScanUrls } from '../../src/account.ts'
import { JWTAuthentication } from '../../src/jwt.ts'
import { sqlSource } from '../../src/sql.ts'
import { createAccounts } from '../../src/accounts/create-accounts.ts'
import type { SqliteDatabase } from '../../src/storage/sqlite/driver.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { CHEAP } from '../accounts/fixtures.ts'
import { signed } from '../addons/jwt/provider.ts'

const SECRET_KEY = 'a secret of these tests'

export type Service = Required<Pick<Kernel, 'handle'>>

/** A request as a door hands it in. */
export function ask(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  bytes: Uint8Array | null = null,
  environ: PlainRequest['environ'] = {},
): PlainRequest {
  return {
    method,
    target,
    scheme: 'http',
    environ,
    body: bytes && {
      length: bytes.length,
      bytes: async () => bytes,
      chunks: async function* () {
        yield bytes
      },
    },
    header: (name) => headers[name] ?? DEFAULT_HEADERS[name] ?? null,
  }
}

const DEFAULT_HEADERS: Readonly<Record<string, string>> = {
  host: 'localhost',
  accept: 'application/json',
  'content-type': 'application/json',
}

const book = serializer({
  id: field.integer(),
  title: field.text(),
  pages: field.integer(),
  price: field.decimal(),
})
interface Book {
  readonly id: number
  readonly title: string
  readonly pages: number
  readonly price: string
}

/** A list on SQLite that can be searched, ordered and filtered in every way. */
async function listOfBooks(database: SqliteDatabase) {
  const run = async (sql: string): Promise<void> => {
    await database.write({ sql, parameters: [] })
  }
  await run('create table book (id integer primary key, title text, pages integer, price text)')
  for (let id = 0; id < 60; id++)
    await run(`insert into book values (${id}, 'Book ${id}', ${id * 10}, '${id}.50')`)
  const query = database.kysely<{ book: Book }>().selectFrom('book').selectAll()
  return list({
    source: sqlSource({ database, query, key: 'id' }),
    serializer: book,
    searchFields: ['title', '=price', '^title'],
    orderingFields: ['id', 'title', 'pages'],
    filterFields: [
      'id',
      'id__in',
      'title__in',
      'title__icontains',
      'title__iexact',
      'title__isnull',
      'pages__gte',
      'price',
    ],
  })
}

const text = {
  mediaType: 'text/plain',
  parse: (bytes: Uint8Array) => Buffer.from(bytes).toString(),
}
/** Each is looked at, where none fits. */
const CORS = {
  origins: Array.from({ length: 20 }, (_, index) => `https://*.a${index}.example.com`),
  credentials: true,
}
const then = new Date('2026-01-01T00:00:00Z')
const drop: FileTaker = async ({ stream }) => {
  for await (const chunk of stream) if (chunk.length === 0) throw new Error('A piece of nothing.')
}
const here = { here: '/here/' } as const
const urls = defineUrls({
  echo: '/echo/',
  mirror: '/mirror/',
  static: '/static/',
  books: '/books/',
  'by-offset': '/by-offset/',
  'by-cursor': '/by-cursor/',
  basic: '/basic/',
  token: '/token/',
  session: '/session/',
  remote: '/remote/',
  all: '/all/',
  'by-accept': '/by-accept/',
  'by-host': '/by-host/',
  'by-query': '/by-query/',
  'by-path': '/:version/by-path/',
  v1: include('/n/v1', here),
  int: '/int/:value<int>/',
  uuid: '/uuid/:value<uuid>/',
  slug: '/slug/:value<slug>/',
  str: '/str/:value/',
  path: '/path/:value<path>',
  choices: '/choices/:value<one|two>/',
  upload: '/upload/',
  download: '/download/',
  obtain: '/obtain/',
  login: '/login/',
  bound: '/bound/',
  ...tokenScanUrls,
})

/** A provider whose tokens are bound to a key, or to a certificate. */
const PROVIDER = { issuer: 'https://id.example.com/', audience: 'https://api.example.com/' }
const SHARED = 'a secret of 32 bytes that is shared'
export function tokenBoundBy(member: 'jkt' | 'x5t#S256'): string {
  const cnf = { [member]: 'a'.repeat(43) }
  const { issuer: iss, audience: aud } = PROVIDER
  const claims = { iss, aud, sub: 'ada', exp: 4_000_000_000, cnf }
  return signed({ alg: 'HS256' }, claims, createSecretKey(Buffer.from(SHARED)), 'HS256')
}

/** A scanner of secrets with one key, `k1`. */
async function scanner(): Promise<Response> {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = publicKey.export({ type: 'spki', format: 'pem' })
  return Response.json({ public_keys: [{ key_identifier: 'k1', key }] })
}

export async function serviceOf(): Promise<Service> {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-'))
  const database = openSqlite({ path: join(directory, 'colophon.sqlite') })
  afterAll(() => {
    database.close()
    rmSync(directory, { recursive: true })
  })
  await database.migrate()
  const books = await listOfBooks(database)
  const secretKey = (): string => SECRET_KEY
  const accounts = createAccounts({ database, secretKey, passwordCost: CHEAP })
  const api = defineApi({
    urls,
    filters: [new FieldFilter(), new SearchFilter(), new OrderingFilter()],
    renderers: [new JSONRenderer(), new HTMLRenderer()],
    logger: { error: (record) => void failures.push(record), info: () => {} },
  })
  const byNumber = new PageNumberPagination({ pageSize: 5, pageSizeQueryParam: 'page_size' })
  const schemes = {
    basic: new BasicAuthentication(accounts),
    token: new TokenAuthentication(accounts),
    session: new SessionAuthentication(accounts),
    remote: new RemoteUserAuthentication(accounts),
  }
  const plain = async (request: { body(): Promise<unknown> }): Promise<null> => {
    await request.body()
    return null
  }
  const mirror = (request: { body(): Promise<unknown> }): Promise<unknown> => request.body()
  const nothing = (): null => null
  const versioned = {
    'by-accept': new AcceptHeaderVersioning(),
    'by-host': new HostNameVersioning(),
    'by-query': new QueryParameterVersioning(),
    'by-path': new URLPathVersioning(),
    'v1:here': new NamespaceVersioning(),
  }
  const endpoints = [
    api.endpoint('echo').get(nothing).post(plain),
    api.endpoint('mirror', { parsers: [text] }).post(mirror),
    api.endpoint('static', { parsers: [text], renderers: [new StaticHTMLRenderer()] }).post(mirror),
    api.endpoint('books', { pagination: byNumber }).get(books).post(plain),
    api
      .endpoint('by-offset', { pagination: new LimitOffsetPagination({ defaultLimit: 5 }) })
      .get(books),
    api
      .endpoint('by-cursor', { pagination: new CursorPagination({ pageSize: 5, ordering: 'id' }) })
      .get(books),
    ...(['basic', 'token', 'session', 'remote'] as const).map((name) =>
      api.endpoint(name, { authentication: [schemes[name]] }).post(plain),
    ),
    api
      .endpoint('bound', {
        authentication: [
          new JWTAuthentication({
            ...PROVIDER,
            secret: SHARED,
            dpop: true,
            certificate: { fromProxy: true },
          }),
        ],
      })
      .post(plain),
    api.endpoint('all', { authentication: Object.values(schemes), cors: CORS }).post(plain),
    ...Object.entries(versioned).map(([name, versioning]) =>
      api
        .endpoint(name as 'by-accept', { versioning, allowedVersions: ['v1', 'v2'] })
        .get(nothing)
        .post(plain),
    ),
    ...(['int', 'uuid', 'slug', 'str', 'path', 'choices'] as const).map((name) =>
      api.endpoint(name).get(nothing),
    ),
    api
      .endpoint('upload', {
        parsers: [new MultiPartParser({ files: drop }), new FileParser({ files: drop })],
      })
      .post(plain),
    api
      .endpoint('download')
      .get((request) => download(request, new Uint8Array(100), { etag: 'a', lastModified: then })),
    ...tokenScan(api, { accounts, fetch: scanner }),
    api.endpoint('obtain').post(obtainToken({ accounts })),
    api.endpoint('login').post(loginSession({ accounts })),
  ]
  return api.serve(endpoints, {
    configuration: configurationOf({
      SECRET_KEY,
      ALLOWED_HOSTS: ['*'],
      REMOTE_USER_SOURCE: 'environ',
    }),
  })
}

/** What the service logged as its own failure. */
export const failures: object[] = []

/** What a field makes of a value, as a request brings it. */
export async function fieldReader(kind: string): Promise<(value: unknown) => unknown> {
  const make = FIELDS[kind]
  if (make === undefined) throw new Error(`The kind ${kind} has no example here.`)
  const shape = serializer({ it: make() as ReturnType<typeof field.text> })
  const request = await aRequest()
  return (value) => shape.parse({ it: value }, request)
}

const NO_ROWS = { key: 'id', manyByKey: (): readonly { id: number }[] => [] } as const

const FIELDS: Readonly<Record<string, () => unknown>> = {
  bigInteger: () => field.bigInteger({ min: 0n }),
  boolean: () => field.boolean(),
  choice: () => field.choice(['a', 'b']),
  computed: () => field.computed(() => 1),
  date: () => field.date(),
  dateTime: () => field.dateTime(),
  decimal: () => field.decimal({ maxDigits: 8, decimalPlaces: 2, min: 0 }),
  dictionary: () => field.dictionary(field.text()),
  duration: () => field.duration({ min: 0 }),
  email: () => field.email(),
  embed: () => field.embed(NO_ROWS, serializer({})),
  embedMany: () => field.embedMany({ store: NO_ROWS, by: 'id' }, serializer({})),
  file: () => field.file(),
  float: () => field.float({ min: 0 }),
  hidden: () => field.hidden(() => 1),
  hyperlink: () => field.hyperlink({ route: 'int', param: 'value' }),
  image: () => field.image(),
  identity: () => field.identity({ route: 'int', param: 'value' }),
  integer: () => field.integer({ min: 0 }),
  ip: () => field.ip(),
  json: () => field.json(),
  list: () => field.list(field.integer()),
  multipleChoice: () => field.multipleChoice([1, 2, 'a']),
  nested: () => field.nested(serializer({ a0: field.text() })),
  related: () => field.related({ find: () => null }),
  schema: () =>
    field.schema({
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value) => ({
          issues: [{ message: 'No.', path: [typeof value] }],
        }),
      },
    }),
  slug: () => field.slug({ maxLength: 50 }),
  // The expression costs the square of the length: only texts that are short enough get there.
  text: () => field.text({ minLength: 2, maxLength: 200, pattern: /a*b$/ }),
  time: () => field.time(),
  url: () => field.url(),
  uuid: () => field.uuid(),
}

/** A request as handlers get it. */
async function aRequest(): Promise<ApiRequest> {
  return new Promise((resolve) => {
    const api = defineApi({ urls: { here: '/', int: '/int/:value<int>/' } })
    const endpoints = [
      api.endpoint('here').get((request) => {
        resolve(request)
        return null
      }),
      api.endpoint('int').get(() => null),
    ]
    void api
      .serve(endpoints, { configuration: configurationOf() })
      .fetch(new Request('http://localhost/'))
  })
}
