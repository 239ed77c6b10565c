// Which room may import what: the table of docs/architecture.md, and the check that holds src/ to it.
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

interface Room {
  readonly floor: number
  /** The rooms it may import from, beside itself. */
  readonly from: readonly string[]
}

const grammar = ['std', 'contract', 'types', 'messages']
const ground = [...grammar, 'errors', 'replies', 'settings', 'links']
const policies = [
  'accounts',
  'authentication',
  'filters',
  'lists',
  'negotiation',
  'pages',
  'pagination',
  'parsing',
  'permissions',
  'rendering',
  'serializers',
  'sql',
  'throttling',
  'versioning',
]
const kernel = ['pipeline', 'endpoints', 'doors', 'databases']
const belowFaces = [...ground, ...policies, ...kernel, 'api']

const rooms: Readonly<Record<string, Room>> = {
  std: { floor: 0, from: [] },
  messages: { floor: 1, from: ['std'] },
  // Two documents, as plain JSON: it knows no application.
  changes: { floor: 1, from: [] },
  contract: { floor: 1, from: ['std', 'types', 'messages'] },
  types: { floor: 1, from: ['std', 'contract'] },
  errors: { floor: 2, from: grammar },
  replies: { floor: 2, from: grammar },
  settings: { floor: 2, from: [...grammar, 'errors'] },
  links: { floor: 2, from: [...grammar, 'errors'] },
  ...Object.fromEntries(
    policies.map((name) => [
      name,
      { floor: 3, from: name === 'sql' ? [...ground, 'lists'] : ground },
    ]),
  ),
  // SQLite counts in this process, by the rules that memory counts by.
  databases: { floor: 4, from: [...ground, 'sql', 'lists', 'throttling'] },
  // Without negotiation nothing could be shown, not even a refusal.
  pipeline: { floor: 4, from: [...ground, 'negotiation'] },
  // Logging in is an endpoint, and the session scheme's own affair.
  endpoints: { floor: 4, from: [...ground, 'authentication'] },
  doors: { floor: 4, from: ground },
  api: { floor: 5, from: [...ground, ...policies, ...kernel] },
  browsable: { floor: 6, from: belowFaces },
  admin: { floor: 6, from: [...belowFaces, 'browsable'] },
  // Runs in browsers: of other rooms it takes types alone (test/client/bundle.test.ts).
  client: { floor: 6, from: ['types', 'contract', 'serializers'] },
  openapi: { floor: 6, from: belowFaces },
  cli: { floor: 6, from: [...belowFaces, 'changes', 'openapi'] },
  // Answers are held to the documents.
  testing: { floor: 6, from: [...belowFaces, 'openapi'] },
}

/** Who may use which package. A folder counts with everything in it; a package that is not here is used nowhere. */
const packages: Readonly<Record<string, readonly string[]>> = {
  '@clack/prompts': ['cli'],
  '@fastify/busboy': ['parsing'],
  '@redis/client': ['databases/redis'],
  ajv: ['openapi'],
  'ajv-formats': ['openapi'],
  bcryptjs: ['accounts'],
  commander: ['cli'],
  cookie: ['std'],
  diff: ['pages'],
  eta: ['pages'],
  'fast-string-width': ['cli'],
  'fast-wrap-ansi': ['cli'],
  kysely: ['sql', 'databases'],
  mysql2: ['databases/mysql'],
  'node:async_hooks': ['doors'],
  'node:buffer': ['std'],
  'node:cluster': ['cli'],
  'node:crypto': ['std/crypto', 'accounts/passwords'],
  'node:events': ['accounts', 'cli'],
  'node:fs': [
    'databases',
    'accounts',
    'settings',
    'cli',
    'doors',
    'parsing',
    'endpoints',
    'pages',
    'openapi',
  ],
  'node:http': ['doors'],
  'node:module': ['cli', 'openapi'],
  'node:net': ['doors', 'std'],
  'node:os': ['accounts', 'cli'],
  'node:path': [
    'databases',
    'accounts',
    'settings',
    'api',
    'cli',
    'doors',
    'parsing',
    'endpoints',
    'pages',
    'openapi',
  ],
  'node:readline': ['cli'],
  'node:stream': ['doors', 'cli'],
  'node:sqlite': ['databases/sqlite'],
  'node:url': ['cli'],
  'node:util': ['accounts', 'sql', 'cli'],
  'node:worker_threads': ['accounts'],
  pg: ['databases/postgres'],
}

/** Paths from the root, such as `src/errors/detail.ts`, with their text. */
export type Sources = Readonly<Record<string, string>>

/** What a file says that the table does not allow, as sentences. */
export function violations(sources: Sources): string[] {
  return Object.entries(sources).flatMap(([file, text]) =>
    rulesFor(file)(file, text).map((complaint) => `${file} ${complaint}`),
  )
}

/** Every file that the table speaks about. */
export function readSources(): Sources {
  const files = globSync(['src/**/*.ts', '{bench,conformance,examples}/**/*.{ts,mjs,js}'])
  return Object.fromEntries(
    files.map((file) => [file.replaceAll('\\', '/'), readFileSync(file, 'utf8')]),
  )
}

type Rule = (file: string, text: string) => string[]

function rulesFor(file: string): Rule {
  if (!file.startsWith('src/')) return outsideRule
  return file.split('/').length === 2 ? frontDoorRule : roomRule
}

/** Benches, examples and the conformance service know what everybody knows: the published names. */
function outsideRule(file: string, text: string): string[] {
  return importsOf(text)
    .filter((specifier) => resolve(file, specifier).startsWith('src/'))
    .map((specifier) => `imports ${specifier}, which is not a published name`)
}

/** The doors of the package pass names on, and make none of their own. */
function frontDoorRule(file: string, text: string): string[] {
  const rest = text.replace(reExport, '').replace(comment, '').trim()
  const outside = importsOf(text).filter((specifier) => !roomOf(resolve(file, specifier)))
  return [
    ...(rest === '' ? [] : [`does more than re-export: ${rest.split('\n')[0]}`]),
    ...outside.map((specifier) => `re-exports ${specifier}, which is in no room`),
  ]
}

function roomRule(file: string, text: string): string[] {
  const room = roomOf(file)
  if (!room) return ['is in a room without a floor']
  return [
    ...importsOf(text).flatMap((specifier) => judge(file, room, specifier)),
    ...(room === 'contract' || room === 'types' ? contractRule(text) : []),
  ]
}

/** A contract emits no JavaScript. */
function contractRule(text: string): string[] {
  const statement = firstStatement(text)
  return statement === undefined ? [] : [`is a contract and may hold types only: ${statement}`]
}

function judge(file: string, room: string, specifier: string): string[] {
  if (!specifier.startsWith('.')) {
    const users = packages[packageOf(specifier)] ?? []
    return users.some((user) => file.startsWith(`src/${user}/`)) ? [] : [`may not use ${specifier}`]
  }
  const target = roomOf(resolve(file, specifier))
  if (!target) return [`imports ${specifier}, which is in no room`]
  return target === room || rooms[room]?.from.includes(target) ? [] : [relation(room, target)]
}

/** `kysely/migration` → `kysely`. */
function packageOf(specifier: string): string {
  const parts = specifier.split('/')
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}

function relation(room: string, target: string): string {
  const [from, to] = [rooms[room]?.floor, rooms[target]?.floor]
  return `(${room}, floor ${from}) may not import ${target} (floor ${to})`
}

const importForms = [
  /^import\s+(?:[\w$*{}\s,]+?\s*from\s*)?['"]([^'"]+)['"]/gm,
  /^export\s+(?:type\s+)?(?:\*(?:\s*as\s+\w+)?|\{[\w$\s,]*\})\s*from\s*['"]([^'"]+)['"]/gm,
  // Dynamic imports, imports within types, and the other ways to a built-in module; not in comments.
  /(?<!^\s*(?:\*|\/\/|\/\*).*)\b(?:import|require|getBuiltinModule)\(\s*['"]([^'"]+)['"]/gm,
]
const comment = /\/\*[\s\S]*?\*\/|\/\/.*$/gm
const reExport = /^export\s+(?:type\s+)?(?:\*|\{[\w$\s,]*\})\s*from\s*'[^']+'[ \t]*;?$/gm

/** What a file imports, in whatever way; `import type` counts like any other. */
function importsOf(text: string): string[] {
  return importForms.flatMap((form) => [...text.matchAll(form)].map((match) => match[1] ?? ''))
}

function roomOf(path: string): string | null {
  const [src, room = '', file] = path.split('/')
  return src === 'src' && file !== undefined && Object.hasOwn(rooms, room) ? room : null
}

function resolve(file: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : specifier
}

/** The first statement that is more than a type; formatted statements begin at the margin. */
function firstStatement(text: string): string | undefined {
  return text
    .split('\n')
    .find(
      (line) =>
        /^[^\s/})\]>]/.test(line) && !/^(?:(?:import|export) )?(?:type|interface) /.test(line),
    )
}

if (import.meta.main) {
  const found = violations(readSources())
  for (const each of found) console.error(each)
  process.exitCode = found.length === 0 ? 0 : 1
}
