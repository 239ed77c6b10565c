// `node scripts/walk.ts`: lists the files of src/ that one request enters, in the order in which a reader opens them. Every
// function notes its first call in a real request: a list with a token, page numbers and namespace versions, on SQLite, over a
// socket. It fails if the walk is longer than its limit.
import { readFileSync, rmSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'rolldown/utils'
import { WALK as limits } from '../test/house/limits.ts'
import { root } from './run.ts'

/** A function of src/, with its place in the text. */
interface Place {
  readonly file: string
  readonly name: string
}

const places: Place[] = []
let calls: number[] = []
const called = new Set<number>()
let noting = false

Object.assign(globalThis, {
  __walk(place: number): void {
    if (!noting || called.has(place)) return
    called.add(place)
    calls.push(place)
  },
})

registerHooks({
  load(url, context, next) {
    if (!url.startsWith(`file://${root}src/`)) return next(url, context)
    const source = noted(fileURLToPath(url))
    return { format: 'module-typescript', source, shortCircuit: true }
  },
})

/** The text of a file in which every function notes its calls. */
function noted(path: string): string {
  const text = readFileSync(path, 'utf8')
  const file = path.slice(root.length)
  const inserts: { at: number; text: string }[] = []
  visit(parseSync(path, text).program, 'the file itself', (node, name) => {
    const body = node['body'] as Node | null
    if (!body) return // a signature
    const call = `__walk(${places.push({ file, name }) - 1})`
    if (body.type === 'BlockStatement') inserts.push({ at: body.start + 1, text: `${call};` })
    else inserts.push({ at: body.start, text: `(${call},` }, { at: body.end, text: ')' })
  })
  return inserts
    .toSorted((one, other) => other.at - one.at)
    .reduce((whole, { at, text: piece }) => whole.slice(0, at) + piece + whole.slice(at), text)
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

/** Calls `found` with each function below a node, and with its name for readers. */
function visit(node: unknown, name: string, found: (node: Node, name: string) => void): void {
  if (Array.isArray(node)) return node.forEach((each) => visit(each, name, found))
  if (node === null || typeof node !== 'object' || !('type' in node)) return
  const here = node as Node
  const named = nameOf(here) ?? name
  if (/^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(here.type)) {
    found(here, named)
  }
  for (const member of Object.values(here)) visit(member, named, found)
}

/** The name of a function: `#compile` of `#compile() {}`, `page` of `const page = …`. */
function nameOf(node: Node): string | undefined {
  const id = (node['id'] ?? node['key']) as { name?: string; type?: string } | null | undefined
  return id?.type === 'PrivateIdentifier' ? `#${id.name}` : id?.name
}

/**
 * Sends a request to warm the service up, as later requests find it, and then notes further ones. On a busy machine, the
 * service's own work may fall into a request, so the shortest of three walks counts.
 */
async function trace(): Promise<void> {
  const { url, token, close } = await startService()
  const walks: number[][] = []
  for (noting of [false, true, true, true]) {
    const answer = await fetch(url, { headers: { Authorization: `Token ${token}` } })
    const { results } = (await answer.json()) as { results: unknown[] }
    if (answer.status !== 200 || results.length !== 2)
      throw new Error(`It answers ${answer.status}.`)
    walks.push(calls)
    calls = []
    called.clear()
  }
  noting = false
  await close()
  const [shortest = []] = walks.slice(1).toSorted((one, other) => one.length - other.length)
  calls = shortest
}

async function startService(): Promise<{ url: string; token: string; close(): Promise<void> }> {
  // This import comes late, when calls are noted.
  const { accounts, api, database, folder } = await import('./walk-service.ts')
  await database.migrate()
  await database.write({
    sql: 'create table book (id integer primary key, title text)',
    parameters: [],
  })
  await database.write({
    sql: `insert into book (title) values ('Emma'), ('Persuasion'), ('Sanditon')`,
    parameters: [],
  })
  const { key } = await accounts.tokens.obtain(await accounts.users.create({ username: 'jane' }))
  const { serve } = await import('colophon/node')
  const server = await serve(api, { port: 0 })
  const close = async (): Promise<void> => {
    await server.close()
    rmSync(folder, { recursive: true })
  }
  return { url: `${server.url}/v1/books/`, token: key, close }
}

await trace()
// A walk enters a file if the next function to read is not in the file of the last one.
const steps = calls.map((call) => places[call] as Place)
const entries = steps.filter(({ file }, at) => file !== steps[at - 1]?.file)
const files = new Set(entries.map(({ file }) => file))
const returns = entries.length - files.size
if (!process.argv.includes('--quiet')) print()
const wings = new Set([...files].map((file) => file.split('/')[1]))
console.log(
  `${files.size} files in ${wings.size} wings, ${returns} returns (at most ${limits.files} and ${limits.returns})`,
)
process.exitCode = files.size > limits.files || returns > limits.returns ? 1 : 0

/** Prints every entry with the functions that are read there; `↩` marks a file that was left before. */
function print(): void {
  const seen = new Set<string>()
  for (const [at, { file, name }] of steps.entries()) {
    if (file === steps[at - 1]?.file) process.stdout.write(`, ${name}`)
    else process.stdout.write(`\n${seen.has(file) ? '↩' : ' '} ${file}: ${name}`)
    seen.add(file)
  }
  console.log('\n')
}
