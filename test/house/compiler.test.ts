// Newcomer 10: TypeScript 7 explains common mistakes within the first 300 characters, with the declarations of the published
// package. An editor shows three lines about a name.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../../scripts/run.ts'
import { makeProject } from './tarball.ts'

const SERVICE = `
import { type RequestWith, TokenAuthentication, URLPathVersioning } from 'colophon'
import type { TokenVerifier } from 'colophon/types'
import { type User, defineApi, defineUrls, field, resource, resourceUrls, serializer } from 'colophon'
import { type SqlDatabase, sqlTable } from 'colophon/sql'
import type { Generated } from 'kysely'
interface Tables {
  ticket: { id: Generated<number>; title: string; status: string; organisation_id: number }
  note: { id: Generated<number>; ticket: number; text: string }
}
declare const database: SqlDatabase
declare const tokens: TokenVerifier
const db = database.kysely<Tables>()
export const tickets = sqlTable({ database, db, table: 'ticket', key: 'id' })
export const notes = sqlTable({ database, db, table: 'note', key: 'id' })
export const urls = defineUrls({ ...resourceUrls('ticket', '/tickets/', ':id<int>'), root: '/' })
export const desk = defineApi({
  urls: defineUrls({
    ...resourceUrls('ticket', '/tickets/', ':id<int>'),
    ...resourceUrls('note', '/tickets/:ticket<int>/notes/', ':id<int>'),
  }),
  authentication: [new TokenAuthentication({ tokens })],
})
export const api = defineApi({ urls, authentication: [new TokenAuthentication({ tokens })] })
export const versioned = defineApi({
  urls: defineUrls({ ...resourceUrls('ticket', '/:version<v1|v2>/tickets/', ':id<int>') }),
  versioning: new URLPathVersioning(),
  allowedVersions: ['v1', 'v2'],
  defaultVersion: 'v1',
})
export const ticket = serializer({
  id: field.integer({ readOnly: true }),
  title: field.text(),
  status: field.text(),
  organisation: field.integer({ source: 'organisation_id' }),
})
export const brief = serializer({ id: field.integer({ readOnly: true }), title: field.text() })
export const note = serializer({ id: field.integer({ readOnly: true }), text: field.text() })
export const parent = resource(desk, 'ticket', { store: tickets, serializer: ticket })
export const other = serializer({ id: field.integer(), subject: field.text() })
export class IsMember {
  hasPermission({ user }: RequestWith<{ user: User }>): boolean {
    return user.isActive
  }
}
`
const NAMES = `import { byVersion, field, hyperlinks, list, resource, serializer } from 'colophon'
import { IsMember, api, brief, desk, note, notes, other, parent, ticket, tickets, urls, versioned } from './service.ts'
`

/** The mistakes, with the compiler's messages. */
const mistakes: Readonly<Record<string, readonly [code: string, said: string]>> = {
  'a version without an answer': [
    `versioned.endpoint('ticket-list').get(list({ source: tickets.source, serializer: byVersion({ v1: brief }) }))`,
    `is not assignable to type 'ThisVersionHasNoAnswer<"v2"> &`,
  ],
  'a field of the wrong type': [
    `api.endpoint('ticket-list').get(list({ source: tickets.source, serializer: serializer({ title: field.integer() }) }))`,
    `is not assignable to type 'TheseRowsHaveOther<"title"> &`,
  ],
  'a misspelt option': [
    `field.text({ maxlength: 20 })`,
    `error TS2322: Type '20' is not assignable to type '20 & ThereIsNoOption<"maxlength">'.`,
  ],
  'a URL parameter that is missing': [
    `api.endpoint('root').get(({ reverse }) => reverse('ticket-detail', {}))`,
    `error TS2741: Property 'id' is missing in type '{}' but required in type '{ readonly id: number; }'.`,
  ],
  'an endpoint that there is not': [
    `api.endpoint('tickets-list')`,
    `error TS2345: Argument of type '"tickets-list"' is not assignable to parameter of type '"root" | "ticket-detail" | "ticket-list"'.`,
  ],
  'columns that nothing fills': [
    `resource(api, 'ticket', { store: tickets, serializer: brief })`,
    `error TS2345: Argument of type '"ticket"' is not assignable to parameter of type '"ticket" & ThisStoreTakesOther<"organisation_id" | "status", "performCreate">'.`,
  ],
  'a parent without the column that names it': [
    `resource(desk, 'note', { parent, store: notes, serializer: note })`,
    `error TS2345: Argument of type '"note"' is not assignable to parameter of type '"note" & ThisParentNeeds<"by">'.`,
  ],
  'a parent by a column that cannot hold its key': [
    `resource(desk, 'note', { parent, by: 'text', store: notes, serializer: note })`,
    `error TS2322: Type '"text"' is not assignable to type '"id" | "ticket"`,
  ],
  'a scope that may be undefined': [
    `resource(desk, 'note', { store: notes, scope: ({ user }) => ({ ticket: user.isActive ? 1 : undefined }), serializer: note })`,
    `error TS2345: Argument of type '"note"' is not assignable to parameter of type '"note" & ThisScopeMayBeUndefined<"ticket">'.`,
  ],
  'a filter by a field that there is not': [
    `resource(api, 'ticket', { store: tickets, serializer: ticket, filterFields: ['state'] })`,
    `| FilterField<"id" | "organisation" | "status" | "title">'.`,
  ],
  'a search in a field that there is not, beside a scope': [
    `resource(desk, 'note', { store: notes, scope: () => ({ ticket: 1 }), serializer: note, searchFields: ['txet'], performCreate: (input, _request, store) => store.insert(input) })`,
    `Type '"txet"' is not assignable to type 'SearchedColumn<"id" | "text" | "ticket"> | SearchField<"id" | "text">'.`,
  ],
  'a serializer of other rows': [
    `resource(api, 'ticket', { store: tickets, serializer: other, only: ['list'] })`,
    `error TS2345: Argument of type '"ticket"' is not assignable to parameter of type '"ticket" & TheseRowsHaveOther<"subject">'.`,
  ],
  'a permission that needs another user': [
    `api.group({ permissions: [new IsMember()] })`,
    `error TS2322: Type '[IsMember]' is not assignable to type 'readonly [IsMember] & ThisPermissionNeeds<{ user: User; }, IsMember>'.`,
  ],
  'a URL parameter of the wrong type': [
    `api.endpoint('root').get(({ reverse }) => reverse('ticket-detail', { id: 'seven' }))`,
    `error TS2322: Type 'string' is not assignable to type 'number'.`,
  ],
  'a hyperlink to a name that there is not': [
    `hyperlinks(urls).hyperlink({ route: 'tickets-detail' })`,
    `Type '"tickets-detail"' is not assignable to type '"root" | "ticket-detail" | "ticket-list"'. Did you mean '"ticket-detail"'?`,
  ],
  'a list with a serializer of other rows': [
    `api.endpoint('ticket-list').get(list({ source: tickets.source, serializer: other }))`,
    `is not assignable to type 'TheseRowsHaveOther<"subject"> &`,
  ],
}

const folder = mkdtempSync(join(tmpdir(), 'colophon-mistakes-'))
const said = new Map<string, readonly string[]>()

beforeAll(async () => {
  await makeProject(folder)
  const compilerOptions = {
    module: 'nodenext',
    target: 'esnext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  writeFileSync(join(folder, 'service.ts'), SERVICE)
  writeFileSync(join(folder, 'right.ts'), `${NAMES}${RIGHT}`)
  for (const [index, [code]] of Object.values(mistakes).entries())
    writeFileSync(join(folder, `${index}.ts`), `${NAMES}${code}\n`)
  for (const [file, texts] of reports()) said.set(file, texts)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Code of the page that the compiler once refused: `param` is `id` by default. */
const RIGHT = `
hyperlinks(urls).hyperlink({ route: 'ticket-detail', find: (id) => ({ id }) })
resource(api, 'ticket', { store: tickets, serializer: brief, performCreate: (input) => tickets.insert({ ...input, status: '', organisation_id: 7 }) })
`

const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')

/** The compiler's complaints about each file. */
function reports(): ReadonlyMap<string, readonly string[]> {
  const { stdout } = spawnSync(
    process.execPath,
    [compiler, '-p', folder, '--checkers', '1', '--pretty', 'false'],
    {
      encoding: 'utf8',
      cwd: folder,
    },
  )
  const all = [...stdout.matchAll(/^(\w+)\.ts\(.*(?:\n .*)*/gm)]
  const byFile = Map.groupBy(all, ([, file = '']) => file)
  return new Map([...byFile].map(([file, found]) => [file, found.map(([text]) => text)]))
}

test.each(Object.entries(mistakes).map(([what, [, words]], index) => ({ what, words, index })))(
  '$what is named at once, and nothing else',
  ({ words, index }) => {
    const complaints = said.get(String(index)) ?? []
    expect(complaints).toHaveLength(1)
    const [report = ''] = complaints
    expect(report.slice(0, 300)).toContain(words)
    expect(report.slice(0, 300)).not.toContain(`type 'never'`)
  },
)

test('and what is right is not complained about', () => {
  expect([...said.keys()].toSorted()).toEqual([...mistakesInOrder()].toSorted())
})

function mistakesInOrder(): readonly string[] {
  return Object.keys(mistakes).map((_, index) => String(index))
}

/** Names given to the types of tables and fields, as docs/types.md shows. */
const NAMED = `
import { IsAuthenticated, TokenAuthentication, defineApi, defineUrls } from 'colophon'
import type { TokenVerifier } from 'colophon/types'
import { field, resourceUrls, serializer } from 'colophon'
declare const tokens: TokenVerifier
const table = defineUrls({
  root: '/',
  ...resourceUrls('ticket', '/tickets/', ':id<int>'),
  ...resourceUrls('comment', '/tickets/:ticket<int>/comments/', ':id<int>'),
  ...resourceUrls('organisation', '/organisations/', ':id<int>'),
})
type Table = typeof table
interface Urls extends Table {}
const urls: Urls = table
const fields = {
  id: field.integer({ readOnly: true }),
  title: field.text({ maxLength: 200 }),
  body: field.text({ maxLength: 2000 }),
  status: field.choice(['open', 'closed']),
  created: field.dateTime({ readOnly: true }),
}
type Fields = typeof fields
interface Ticket extends Fields {}
export const ticket = serializer<Ticket>(fields)
export const api = defineApi({
  urls,
  authentication: [new TokenAuthentication({ tokens })],
  permissions: [new IsAuthenticated()],
})
api.endpoint('ticket-detail').get((request) => request.params.id)
`

test('hovers of a request, a serializer and an api fit on three lines', async () => {
  writeFileSync(join(folder, 'named.ts'), NAMED)
  const server = new LanguageServer()
  const shown = await server.hovers('named.ts', NAMED, ['ticket = ', 'api = ', 'request) =>'])
  expect(shown).toEqual([
    'const ticket: DeclaredSerializer<Ticket>',
    expect.stringMatching(/^const api: Api<Bag<.*RouteTable<Urls>>$/),
    expect.stringMatching(
      /^\(parameter\) request: RequestOf<Bag<.*RouteTable<Urls>, "ticket-detail">$/,
    ),
  ])
  for (const text of shown) expect(text.length).toBeLessThan(240)
})

/** The part of the language server's protocol that hovers need. */
class LanguageServer {
  readonly #process = spawn(process.execPath, [compiler, '--lsp', '--stdio'], { cwd: folder })
  readonly #waiting = new Map<number, (result: Hover) => void>()
  #received = Buffer.alloc(0)

  constructor() {
    this.#process.stdout.on('data', (bytes: Buffer) => {
      this.#received = Buffer.concat([this.#received, bytes])
      for (let message = this.#next(); message !== null; message = this.#next()) this.#take(message)
    })
  }

  async hovers(file: string, text: string, places: readonly string[]): Promise<string[]> {
    const uri = `file://${join(folder, file)}`
    await this.#ask('initialize', { processId: null, rootUri: null, capabilities: {} })
    this.#send({ method: 'initialized', params: {} })
    const textDocument = { uri, languageId: 'typescript', version: 1, text }
    this.#send({ method: 'textDocument/didOpen', params: { textDocument } })
    const shown: string[] = []
    for (const place of places) {
      const before = text.slice(0, text.indexOf(place)).split('\n')
      const position = { line: before.length - 1, character: before.at(-1)!.length }
      const answer = await this.#ask('textDocument/hover', { textDocument: { uri }, position })
      const { value = '' } = answer?.contents ?? {}
      shown.push(value.replace(/^```\w*\n|\n```\s*$/g, '').trim())
    }
    this.#process.kill()
    return shown
  }

  #ask(method: string, params: object): Promise<Hover> {
    const id = this.#waiting.size + 1
    this.#send({ id, method, params })
    return new Promise((resolve) => this.#waiting.set(id, resolve))
  }

  #send(message: object): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message })
    this.#process.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }

  /** The server also sends requests: for settings, which are empty here, and to register its features. */
  #take({ id, method, params, result }: Message): void {
    if (id === undefined) return
    if (method === undefined) this.#waiting.get(id)?.(result ?? null)
    else this.#send({ id, result: params?.items?.map(() => null) ?? null })
  }

  #next(): Message | null {
    const head = /Content-Length: (\d+)\r\n(?:.*\r\n)*?\r\n/.exec(this.#received.toString('latin1'))
    if (head === null) return null
    const start = head.index + head[0].length
    const end = start + Number(head[1])
    if (this.#received.length < end) return null
    const message = JSON.parse(this.#received.subarray(start, end).toString()) as Message
    this.#received = this.#received.subarray(end)
    return message
  }
}

type Hover = { readonly contents?: { readonly value?: string } } | null
interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly items?: readonly unknown[] }
  readonly result?: Hover
}
