// `colophon client generate`: what it writes of the issue tracker compiles, runs, and lets nothing wrong through.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Schemas } from '../../../src/tools/cli/client/schemas.ts'
import { clientSource } from '../../../src/tools/cli/client/source.ts'
import { serve } from '../../../src/node.ts'
import { PACKAGE, beside, colophon } from '../../tools/cli/colophon.ts'
import { expectLinear } from '../../setup/linear.ts'
import { HOME, issueTracker } from '../../setup/tracker.ts'

const execute = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'colophon-generated-'))
const TRACKER = beside('examples/issue-tracker')
const env = {
  DATABASE_URL: `sqlite:${join(folder, 'tracker.sqlite')}`,
  UPLOADS: join(folder, 'uploads'),
  SECRET_KEY: 'for tests: tN4vQ0xJ8wYcR2mZ6kLpD1s',
}
const read = (file: string): string => readFileSync(join(folder, file), 'utf8')
const write = (file: string, text: string): void => writeFileSync(join(folder, file), text)
const generate = (...args: readonly string[]) =>
  colophon(['client', 'generate', ...args], { cwd: folder, env })

beforeAll(async () => {
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(PACKAGE, join(folder, 'node_modules', 'colophon'))
  write('package.json', '{ "type": "module" }')
  const document = join(folder, 'v2.json')
  const made = await colophon(['openapi', '--out', document], { cwd: TRACKER, env })
  expect(made.complaint).toBe('')
  const { output, complaint } = await generate('--document', 'v2.json', '--out', 'tracker.ts')
  expect([output, complaint]).toEqual([
    'The client of v2 with 13 operations is in tracker.ts.\n',
    '',
  ])
})
afterAll(() => {
  rmSync(folder, { recursive: true })
  rmSync(HOME, { recursive: true, force: true })
})

const PROGRAM = `
import { createClient } from 'colophon/client'
import { type IssueWrite, type Service, service } from './tracker.ts'
declare const process: { readonly argv: readonly string[] }
const [, , baseUrl = '', token = ''] = process.argv
const client = createClient<Service>({ baseUrl, ...service, auth: { token } })
const params = { organisation: 'acme' }
const paper: IssueWrite = { title: 'Paper', priority: 3 }
await client.post('issue-list', { params, body: paper })
const ink = await client.post('issue-list', { params, body: { title: 'Ink', state: 'open' } })
const found = { params: { ...params, id: ink.id } }
const state: 'open' | 'done' = (await client.patch('issue-detail', { ...found, body: { state: 'done' } })).state
const issues = client.rows('issue-list', { params, query: { state } })
const attachment = { params: { ...params, issue: ink.id }, body: { file: new Blob(['blue']) } }
await client.post('attachment-list', attachment)
const titles: string[] = []
for await (const { title } of issues) titles.push(title)
const { results } = await client.get('attachment-list', { params: attachment.params })
console.log(JSON.stringify({ titles, files: results.length }))
`

const WRONG = `
import { createClient } from 'colophon/client'
import { type Service, service } from './tracker.ts'
const client = createClient<Service>({ baseUrl: '', ...service })
const params = { organisation: 'acme' }
const issue = { params: { ...params, id: 1 } }
client.get('issues')
client.get('issue-list')
client.get('issue-list', { params: { organisation: 1 } })
client.get('issue-list', { params, query: { state: 'lost' } })
client.post('issue-list', { params, body: { priority: 3 } })
client.post('issue-list', { params, body: { title: 'Ink', author: 1 } })
client.post('organisation-list', { body: {} })
void client.get('issue-detail', issue).then(({ assignee }) => assignee)
createClient<Service>({ baseUrl: '', ...service, version: 'v1' })
`

/** The lines that do not compile. */
async function wrongLines(file: string): Promise<readonly string[]> {
  const strict = '--strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --noUnusedLocals'
  const options = `${strict} --singleThreaded --noEmit --module nodenext --target es2024 --lib es2024,esnext,dom,dom.iterable,dom.asynciterable --skipLibCheck --allowImportingTsExtensions --pretty false`
  const run = execute('tsc', [...options.split(' '), '--types', '', file], { cwd: folder })
  const { stdout } = await run.catch((error: unknown) => error as { stdout: string })
  return stdout.split('\n').filter((line) => line.includes('error TS'))
}

test('a program with it compiles under strict, and does what it says on the server', async () => {
  write('program.ts', PROGRAM)
  expect(await wrongLines('program.ts')).toEqual([])
  mkdirSync(join(HOME, 'uploads'), { recursive: true })
  const { default: app, accounts, database, members, organisations } = await issueTracker()
  await database.migrate()
  const ada = await accounts.users.create({ username: 'ada' })
  await organisations.insert({ slug: 'acme', name: 'Acme' })
  await members.insert({ organisation: 'acme', person: ada.id, role: 'lead' })
  const { key } = await accounts.tokens.obtain(ada)
  const server = await serve(app, { port: 0 })
  const { stdout } = await execute(process.execPath, [join(folder, 'program.ts'), server.url, key])
  await server.close()
  await app.close()
  expect(JSON.parse(stdout)).toEqual({ titles: ['Ink'], files: 1 })
})

test('what the version does not have does not compile', async () => {
  write('wrong.ts', WRONG)
  const first = WRONG.split('\n').indexOf("client.get('issues')") + 1
  const lines = (await wrongLines('wrong.ts')).map((line) => Number(/\((\d+),/.exec(line)![1]))
  expect([...new Set(lines)]).toEqual(Array.from({ length: 9 }, (_, i) => first + i))
})

test('the same document makes the same bytes, and so does the application', async () => {
  await generate('--document', 'v2.json', '--out', 'elsewhere/again.ts')
  const [first, ...rest] = read('tracker.ts').split('\n')
  expect(first).toBe('// API, version v2: what clients can ask for. To write it anew:')
  expect(rest[0]).toBe('// colophon client generate --document v2.json')
  const below = (text: string): string => text.split('\n').slice(2).join('\n')
  expect(read('elsewhere/again.ts')).toBe(read('tracker.ts'))
  const { output } = await generate('--app', join(TRACKER, 'app.ts'))
  expect(below(output)).toBe(below(read('tracker.ts')))
})

function* spaces(): Generator<string> {
  for (;;) yield ' '.repeat(2 ** 20)
}

test('reads a document at an address, and says it in JSON', async () => {
  const { createServer } = await import('node:http')
  const asked: (string | undefined)[] = []
  const server = createServer(({ url, headers }, answer) => {
    asked.push(headers.authorization)
    if (url?.startsWith('/v2.json')) answer.end(read('v2.json'))
    else if (url === '/endless.json') Readable.from(spaces()).pipe(answer)
    else answer.writeHead(404).end()
  }).listen(0)
  const { port } = server.address() as { port: number }
  const place = `http://127.0.0.1:${port}/v2.json`
  const { output } = await generate('--document', place, '--json')
  expect(JSON.parse(output)).toMatchObject({ version: 'v2', operations: 13 })
  const { output: secret } = await generate('--document', `${place}?token=SECRET#SECRET`)
  expect(secret).toContain(`// colophon client generate --document ${place}\n`)
  expect(secret).not.toContain('SECRET')
  const named = place.replace('://', '://ada:SECR%45T%C3%A9%@')
  const { output: basic } = await generate('--document', named)
  expect(basic).toContain(`// colophon client generate --document ${place}\n`)
  expect(asked.at(-1)).toBe(`Basic ${Buffer.from('ada:SECRETé%').toString('base64')}`)
  const { complaint } = await generate('--document', named.replace('v2', 'lost'))
  expect(complaint).toBe(`colophon: ${place.replace('v2', 'lost')} answers with 404.\n`)
  const endless = await generate('--document', place.replace('v2', 'endless'))
  expect([endless.status, endless.complaint]).toEqual([
    1,
    expect.stringContaining('gives no document: it has more than 64 MiB.'),
  ])
  const gone = `http://127.0.0.1:${port}/gone.json`
  const lost = await generate('--document', gone)
  expect([lost.status, lost.complaint]).toEqual([1, `colophon: ${gone} answers with 404.\n`])
  server.close()
})

test.each([
  [['--document', 'lost.json'], 1, 'Cannot read '],
  [['--document', '.'], 1, 'Cannot read '],
  [['--document', 'package.json'], 1, 'It is no OpenAPI document of 3.1.'],
  [
    ['--document', 'v2.json', '--version', 'v1'],
    2,
    "cannot be used with option '--document <place>'",
  ],
] as const)('%j is refused', async (args, status, sentence) => {
  const refused = await generate(...args)
  expect([refused.status, refused.complaint]).toEqual([status, expect.stringContaining(sentence)])
})

describe('schemas', () => {
  const components = {
    schemas: {
      Tree: {
        type: 'object',
        properties: {
          up: { $ref: '#/components/schemas/Tree' },
          id: { readOnly: true },
          key: { writeOnly: true },
        },
      },
    },
  }
  const typeOf = (schema: unknown, direction: 'shown' | 'sent' = 'shown') =>
    new Schemas({ components }).typeOf(schema, direction).replace(/\s+/g, ' ')

  test.each([
    [{ type: ['string', 'null'], format: 'uri' }, 'string | null'],
    [{ type: 'string', enum: ['a', "b's", '"'] }, `'a' | "b's" | '"'`],
    [{ const: 7 }, '7'],
    [{ type: 'array', items: { type: ['integer', 'null'] } }, 'readonly (number | null)[]'],
    [
      { type: 'array', items: { type: 'array', items: { type: 'boolean' } } },
      'readonly (readonly boolean[])[]',
    ],
    [{ prefixItems: [{ type: 'number' }], type: 'array', items: false }, 'readonly [number]'],
    [{ anyOf: [{ type: 'integer' }, { type: 'string' }, { type: 'number' }] }, 'number | string'],
    [{ oneOf: [{ type: 'string' }, {}] }, 'unknown'],
    [{ allOf: [{ type: 'string' }, { enum: ['a', 'b'] }] }, "string & ('a' | 'b')"],
    [
      { type: 'object', additionalProperties: { type: 'string' } },
      '{ readonly [name: string]: string }',
    ],
    [
      { properties: { 'a-b': {}, b: false }, required: ['b'] },
      "{ readonly 'a-b'?: unknown readonly b: never }",
    ],
    [{ type: 'object', properties: {} }, 'Readonly<Record<string, never>>'],
    [{ type: 'string', format: 'binary' }, 'string'],
  ])('%j', (schema, type) => {
    expect(typeOf(schema)).toBe(type)
  })

  test('a file is sent as it is', () => {
    expect(typeOf({ type: 'string', format: 'binary' }, 'sent')).toBe('Blob')
  })

  test('what is shown and what is sent have types of their own, each of itself', () => {
    const schemas = new Schemas({ components })
    const tree = { $ref: '#/components/schemas/Tree' }
    expect([schemas.typeOf(tree, 'shown'), schemas.typeOf(tree, 'sent')]).toEqual([
      'Tree',
      'TreeSent',
    ])
    expect(schemas.declarations().map((text) => text.replace(/\s+/g, ' '))).toEqual([
      'export interface Tree { readonly up?: Tree readonly id?: unknown }',
      'export interface TreeSent { readonly up?: TreeSent readonly key?: unknown }',
    ])
  })

  test.each(['"a b', '*A-B', "'a.b", '`a b', '💥aB'])('%j is no name of a type', (name) => {
    const schemas = new Schemas({ components: { schemas: { [name]: {} } } })
    const $ref = `#/components/schemas/${encodeURIComponent(name)}`
    expect(schemas.typeOf({ $ref }, 'shown')).toBe('AB')
  })

  /** A document whose only answer is of the first of its schemas. */
  const documentOf = (schemas: Readonly<Record<string, unknown>>) => {
    const $ref = `#/components/schemas/${Object.keys(schemas)[0]}`
    const get = { responses: { 200: { content: { 'application/json': { schema: { $ref } } } } } }
    const info = { title: 'T', version: '1' }
    return { openapi: '3.1.0', info, paths: { '/a/': { get } }, components: { schemas } }
  }
  /** Schemas that lead from one to the next. */
  const chain = (length: number, last: object, link: (next: object) => object) =>
    Object.fromEntries(
      Array.from({ length }, (_, i) => {
        const next = { $ref: `#/components/schemas/A${i + 1}` }
        return [`A${i}`, i + 1 === length ? last : link(next)]
      }),
    )

  test('names that the module needs itself are left to it', async () => {
    const named = ['Record', 'Readonly', 'readonly', 'Service', 'Blob', 'string', 'Date']
    const row = { type: 'object', properties: { a: { type: 'object', properties: {} } } }
    const all = { anyOf: named.map((name) => ({ $ref: `#/components/schemas/${name}` })) }
    const schemas = { All: all, ...Object.fromEntries(named.map((name) => [name, row])) }
    write('named.ts', clientSource(documentOf(schemas), 'how').text)
    expect(await wrongLines('named.ts')).toEqual([])
    expect(read('named.ts')).toContain('readonly a?: Readonly<Record<string, never>>')
  })

  test.each([
    '#/components/schemas/50%',
    '#/components/schemas/%E0%A4%A',
    '#/a/b',
    'other.json#/a',
  ])('a reference to %s is refused', ($ref) => {
    const lost = () => clientSource(documentOf({ A: { properties: { b: { $ref } } } }), 'how')
    expect(lost).toThrow(new RangeError(`The document has nothing at its reference "${$ref}".`))
  })

  test('a chain of schemas is written, however long, and costs what its length is', async () => {
    const link = (next: object) => ({ type: 'object', properties: { next } })
    const long = documentOf(chain(5000, { type: 'string' }, link))
    expect(clientSource(long, 'how').text).toContain('export type A4999 = string')
    const sized = (length: number) =>
      documentOf(chain(length, { type: 'string', format: 'binary' }, link))
    const made = new Map([250, 2000].map((length) => [length, sized(length)]))
    const both = (size: number) => {
      const schemas = new Schemas(made.get(size)!)
      for (const direction of ['shown', 'sent'] as const)
        schemas.typeOf({ $ref: '#/components/schemas/A0' }, direction)
      expect(schemas.declarations()).toHaveLength(2 * size)
    }
    await expectLinear(both, { size: 250 })
  })

  test('references in a ring and schemas without a floor are refused', () => {
    const ring = chain(3, { $ref: '#/components/schemas/A0' }, (next) => next)
    expect(() => clientSource(documentOf(ring), 'how')).toThrow('leads over more than 100 others')
    let deep: object = { type: 'string' }
    for (let i = 0; i < 20_000; i++) deep = { type: 'object', properties: { deep } }
    expect(() => clientSource(documentOf({ A: deep }), 'how')).toThrow('more than 200 deep')
  })

  test('a schema differs by direction where one that it leads to does', () => {
    const schemas = new Schemas(
      documentOf(chain(3, { properties: { id: { readOnly: true } } }, (up) => ({ items: up }))),
    )
    expect(schemas.typeOf({ $ref: '#/components/schemas/A0' }, 'sent')).toBe('A0Sent')
    expect(schemas.declarations().map((text) => text.replace(/\s+/g, ' '))).toEqual([
      'export type A0Sent = readonly A1Sent[]',
      'export type A1Sent = readonly A2Sent[]',
      'export type A2Sent = Readonly<Record<string, never>>',
    ])
  })

  test('what stands in literals and comments is no bracket and no union', () => {
    const odd = { type: 'string', enum: ["it's | {", '"<', 'a\\'], description: "it's a { | ' <" }
    const items = { type: 'object', properties: { odd, other: { type: ['string', 'null'] } } }
    expect(typeOf({ type: 'array', items })).toMatch(/^readonly \{.*\}\[\]$/)
  })

  test('bytes are a Blob, texts are texts', () => {
    const answer = (...types: readonly string[]) => ({
      200: { content: Object.fromEntries(types.map((type) => [type, {}])) },
    })
    const paths = {
      '/a/': { get: { responses: answer('image/png') } },
      '/b/': { get: { responses: answer('text/csv', 'application/zip') } },
      '/c/': { get: { responses: { 204: {} } } },
    }
    const { text } = clientSource({ ...documentOf({ A: {} }), paths }, 'how')
    const data = [...text.matchAll(/readonly data: (.*)/g)].map(([, type]) => type)
    expect(data).toEqual(['Blob', 'string | Blob', 'null'])
  })

  test('a body is JSON, or a form where it has files', () => {
    const bodyOf = (file: object) => {
      const of = (properties: object) => ({ schema: { type: 'object', properties } })
      const content = {
        'application/json': of({ a: { type: 'null' } }),
        'multipart/form-data': of(file),
      }
      const post = { requestBody: { required: true, content }, responses: { 204: {} } }
      const { text } = clientSource({ ...documentOf({ A: {} }), paths: { '/a/': { post } } }, 'how')
      return /readonly body: ([^]*?)\n\s+readonly data/.exec(text)![1]!.replaceAll(/\s+/g, ' ')
    }
    const picture = { type: 'string', format: 'binary' }
    expect(bodyOf({ a: picture })).toBe('{ readonly a?: null } | { readonly a?: Blob } | FormData')
    expect(bodyOf({ a: { type: 'string' } })).toBe('{ readonly a?: null } | FormData')
  })

  test('a name with several paths takes the parameters of one of them, also of one that has none', async () => {
    const id = { in: 'path', name: 'id', required: true, schema: { type: 'integer' } }
    const get = { 'x-endpoint': 'notes', responses: { 204: {} } }
    const paths = { '/notes/': { get }, '/notes/{id}/': { get: { ...get, parameters: [id] } } }
    write('notes.ts', clientSource({ ...documentOf({ A: {} }), paths }, 'how').text)
    const calls = [
      '',
      ', { params: { id: 7 } }',
      ", { params: { id: 'a' } }",
      ', { params: { at: 7 } }',
    ]
    const program = `import { createClient } from 'colophon/client'
import { type Service, service } from './notes.ts'
const client = createClient<Service>({ baseUrl: '', ...service })
${calls.map((call) => `client.get('notes'${call})`).join('\n')}
`
    write('asks.ts', program)
    const lines = (await wrongLines('asks.ts')).map((line) => /\((\d+),/.exec(line)![1])
    expect(lines).toEqual(['6', '7'])
  })

  test.each([
    [{ a: { type: 'http', scheme: 'bearer' } }, 'Bearer'],
    [{ a: { type: 'http', scheme: 'basic' }, b: { type: 'apiKey', 'x-keyword': 'Key' } }, 'Key'],
    [{ a: { type: 'http', scheme: 'bearer' }, b: { type: 'apiKey', 'x-keyword': 'Token' } }, null],
    [{ a: { type: 'http', scheme: 'basic' } }, null],
  ])('a token goes with the keyword of the document: %j, %j', (securitySchemes, keyword) => {
    const { text } = clientSource(
      { ...documentOf({ A: {} }), components: { schemas: { A: {} }, securitySchemes } },
      'how',
    )
    expect(/keyword: '(\w+)',/.exec(text)?.[1] ?? null).toBe(keyword)
  })

  test('a version in a header is sent', async () => {
    const name = 'X-Api-Version'
    const parameters = [{ in: 'header', name, required: true, schema: { enum: ['v2'] } }]
    const get = { parameters, 'x-endpoint': 'flags', responses: { 204: {} } }
    const versions = { info: { title: 'T', version: 'v2' }, 'x-versions': [] }
    const document = { openapi: '3.1.0', ...versions, paths: { '/flags/': { get } } }
    write('flags.ts', clientSource(document, 'how').text)
    const { service } = (await import(join(folder, 'flags.ts'))) as { service: object }
    expect(service).toMatchObject({ versionIn: 'header', versionParam: name, version: 'v2' })
  })

  test('no text of a document gets out of its comment or its literal', async () => {
    const evil = `*/ export const broken = '\n\u2028\`\${1}"\\`
    const schema = { type: 'object', description: evil, properties: { [evil]: { enum: [evil] } } }
    const answer = {
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Blob' } } },
    }
    const get = { summary: evil, 'x-endpoint': evil, responses: { 200: answer } }
    const document = {
      openapi: '3.1.0',
      info: { title: evil, version: evil },
      'x-versions': [],
      paths: { [`/${evil}/`]: { get } },
      components: { schemas: { Blob: schema } },
    }
    const { text } = clientSource(document, evil)
    write('evil.ts', text)
    expect(await wrongLines('evil.ts')).toEqual([])
    const { service } = (await import(join(folder, 'evil.ts'))) as { service: { routes: object } }
    expect(Object.entries(service.routes)).toEqual([[evil, `/${evil}/`]])
    expect(text).not.toMatch(/^\s*export const broken/m)
    expect(text).toContain('export interface Blob2 {')
  })
})
