// Newcomer 10: what TypeScript 7 says to common mistakes, with the declarations of the package as it is published.
// The first 300 characters have to say the thing.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installTypes } from '../../scripts/inferred.ts'
import { root } from '../../scripts/run.ts'

const SERVICE = `
import { type RequestWith, TokenAuthentication, type TokenVerifier, URLPathVersioning } from 'colophon'
import { type User, defineApi, defineUrls, field, resourceUrls, serializer } from 'colophon'
import { type SqlDatabase, sqlTable } from 'colophon/sqlite'
import type { Generated } from 'kysely'
interface Tables {
  ticket: { id: Generated<number>; title: string; status: string; organisation_id: number }
}
declare const database: SqlDatabase
declare const tokens: TokenVerifier
const db = database.kysely<Tables>()
export const tickets = sqlTable({ database, db, table: 'ticket', key: 'id' })
export const urls = defineUrls({ ...resourceUrls('ticket', '/tickets/', ':id<int>'), root: '/' })
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
export const other = serializer({ id: field.integer(), subject: field.text() })
export class IsMember {
  hasPermission({ user }: RequestWith<{ user: User }>): boolean {
    return user.isActive
  }
}
`
const NAMES = `import { byVersion, field, hyperlinks, list, resource, serializer } from 'colophon'
import { IsMember, api, brief, other, ticket, tickets, urls, versioned } from './service.ts'
`

/** The mistake, and what the compiler says to it. */
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
  'a filter by a field that there is not': [
    `resource(api, 'ticket', { store: tickets, serializer: ticket, filterFields: ['state'] })`,
    `| FilterField<"id" | "organisation" | "status" | "title">'.`,
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
const said = new Map<string, string>()

beforeAll(async () => {
  await installTypes(folder)
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
  for (const [file, text] of reports()) said.set(file, text)
}, 90_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What the page says and the compiler once refused: `param` is `id` where nothing else is said. */
const RIGHT = `
hyperlinks(urls).hyperlink({ route: 'ticket-detail', find: (id) => ({ id }) })
resource(api, 'ticket', { store: tickets, serializer: brief, performCreate: (input) => tickets.insert({ ...input, status: '', organisation_id: 7 }) })
`

/** The first complaint about each file, as the compiler prints it. */
function reports(): [string, string][] {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], {
    encoding: 'utf8',
    cwd: folder,
  })
  const all = [...stdout.matchAll(/^(\w+)\.ts\(.*(?:\n .*)*/gm)]
  return all.toReversed().map(([text, file = '']) => [file, text])
}

test.each(Object.entries(mistakes).map(([what, [, words]], index) => ({ what, words, index })))(
  '$what is named at once',
  ({ words, index }) => {
    const report = said.get(String(index)) ?? 'nothing'
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
