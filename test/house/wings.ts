// The permitted imports between wings: the table of docs/architecture.md, and the check of src/.
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { exportsOf } from './exports.ts'

/** The wings that each wing may import, beside itself. */
const wings: Readonly<Record<string, readonly string[]>> = {
  core: [],
  policies: ['core'],
  resources: ['core'],
  storage: ['core', 'policies', 'resources'],
  accounts: ['core', 'policies', 'resources', 'storage'],
  addons: ['core', 'policies', 'resources', 'storage', 'accounts'],
  preset: ['core', 'policies', 'resources', 'storage', 'accounts', 'addons'],
  tools: ['core', 'policies', 'resources', 'storage', 'accounts', 'addons', 'preset'],
}

/** Folders of these wings never import each other, so that an application loads only those that it chooses. */
const apart = new Set(['policies', 'addons'])

/** The folders of core, from below: each may import those of earlier lines, and of its own. */
const core: readonly (readonly string[])[] = [
  ['std'],
  ['messages'],
  ['ports', 'types'],
  ['errors'],
  ['replies'],
  ['settings', 'urls', 'versions'],
  ['secrets'],
  ['parsing'],
  ['representations'],
  ['serving'],
  ['pipeline'],
  ['app'],
]

/** The users of each package. A folder stands for all of its files; a package that is missing here is used nowhere. */
const packages: Readonly<Record<string, readonly string[]>> = {
  '@clack/prompts': ['tools/cli'],
  '@fastify/busboy': ['core/parsing'],
  '@node-rs/argon2': ['accounts/passwords'],
  '@redis/client': ['storage/redis'],
  '@simplewebauthn/server': ['addons/factors'],
  ajv: ['addons/openapi'],
  'ajv-formats': ['addons/openapi'],
  bcryptjs: ['accounts'],
  commander: ['tools/cli'],
  cookie: ['core/std'],
  diff: ['addons/pages'],
  'drizzle-orm': ['storage/drizzle'],
  eta: ['addons/pages'],
  'fast-string-width': ['tools/cli'],
  'fast-wrap-ansi': ['tools/cli'],
  jose: ['addons/jwt'],
  kysely: ['storage', 'accounts/tables'],
  mysql2: ['storage/mysql'],
  'node:async_hooks': ['core/std'],
  'node:buffer': ['core/std'],
  'node:child_process': ['tools/cli'],
  'node:cluster': ['tools/cli'],
  'node:crypto': ['core/secrets', 'accounts/passwords', 'addons/jwt'],
  'node:diagnostics_channel': ['core/std'],
  'node:events': ['accounts', 'tools/cli'],
  'node:fs': [
    'core/secrets',
    'storage',
    'accounts',
    'core/settings',
    'tools/cli',
    'core/serving',
    'core/parsing',
    'resources/endpoints',
    'addons/pages',
    'addons/openapi',
  ],
  'node:http': ['core/serving'],
  'node:module': ['tools/cli', 'addons/pages'],
  'node:net': ['core/serving', 'core/std', 'tools/cli'],
  'node:os': ['accounts', 'tools/cli'],
  'node:perf_hooks': ['addons/operations'],
  'node:path': [
    'storage',
    'accounts',
    'core/settings',
    'core/app',
    'tools/cli',
    'core/serving',
    'core/parsing',
    'resources/endpoints',
    'addons/pages',
    'addons/openapi',
  ],
  'node:readline': ['tools/cli'],
  'node:stream': ['core/serving', 'tools/cli'],
  'node:sqlite': ['storage/sqlite'],
  'node:timers': ['tools/cli'],
  'node:url': ['tools/cli'],
  'node:util': ['accounts', 'storage/drizzle', 'storage/prisma', 'storage/sql', 'tools/cli'],
  'node:worker_threads': ['accounts'],
  'node:zlib': ['accounts'],
  'openid-client': ['addons/jwt'],
  otpauth: ['addons/factors'],
  pg: ['storage/postgres'],
}

/** Paths from the root, such as `src/core/errors/detail.ts`, with their text. */
export type Sources = Readonly<Record<string, string>>

/** The forbidden imports of a file, as sentences. */
export function violations(sources: Sources): string[] {
  const hasAddons = Object.keys(sources).some((file) => file.startsWith('src/addons/'))
  const published = hasAddons ? publishedIn(sources) : new Set<string>()
  return Object.entries(sources).flatMap(([file, text]) => [
    ...rulesFor(file)(file, text).map((complaint) => `${file} ${complaint}`),
    ...unpublished(file, text, published, sources).map((complaint) => `${file} ${complaint}`),
  ])
}

/** Every file that the table is about. */
export function readSources(): Sources {
  const files = globSync(['src/**/*.ts', '{bench,conformance,examples}/**/*.{ts,mjs,js}'])
  return Object.fromEntries(
    files.map((file) => [file.replaceAll('\\', '/'), readFileSync(file, 'utf8')]),
  )
}

type Rule = (file: string, text: string) => string[]

function rulesFor(file: string): Rule {
  if (!file.startsWith('src/')) return outsideRule
  return file.split('/').length === 2 ? entryRule : wingRule
}

/** Benches, examples and the conformance service import only published names. */
function outsideRule(file: string, text: string): string[] {
  return importsOf(text)
    .filter((specifier) => resolve(file, specifier).startsWith('src/'))
    .map((specifier) => `imports ${specifier}, which is not a published name`)
}

/** Entry points export names, and declare none. */
function entryRule(file: string, text: string): string[] {
  const rest = text.replace(reExport, '').replace(comment, '').trim()
  const outside = importsOf(text).filter((specifier) => !placeOf(resolve(file, specifier)))
  return [
    ...(rest === '' ? [] : [`does more than re-export: ${rest.split('\n')[0]}`]),
    ...outside.map((specifier) => `re-exports ${specifier}, which is in no wing`),
  ]
}

function wingRule(file: string, text: string): string[] {
  const place = placeOf(file)
  if (!place) return ['is in no wing']
  const typesOnly = place.wing === 'core' && ['ports', 'types'].includes(place.folder)
  return [
    ...importsOf(text).flatMap((specifier) => judge(file, place, specifier)),
    ...(typesOnly ? portRule(text) : []),
  ]
}

/** An add-on could be a package of its own: it imports only its own folder, types of ports, and published names. */
function unpublished(
  file: string,
  text: string,
  published: ReadonlySet<string>,
  sources: Sources,
): string[] {
  const own = /^src\/addons\/\w+\//.exec(file)?.[0]
  if (own === undefined) return []
  return namesImportedBy(text).flatMap(({ name, from }) => {
    const path = resolve(file, from)
    if ([own, 'src/core/ports/', 'src/core/types/'].some((free) => path.startsWith(free))) return []
    const declared = exportsOf(path, (each) => sources[each] ?? '').find(
      (each) => each.name === name,
    )
    if (published.has(`${declared?.file} ${name}`)) return []
    return [`takes ${name} of ${path}, which no entry publishes`]
  })
}

/** Each published name, with the file that declares it. */
function publishedIn(sources: Sources): ReadonlySet<string> {
  const entries = Object.keys(sources).filter((file) => /^src\/[^/]+\.ts$/.test(file))
  const names = entries.flatMap((entry) => exportsOf(entry, (file) => sources[file] ?? ''))
  return new Set(names.map(({ file, name }) => `${file} ${name}`))
}

/** `*` stands for a whole module, as in a dynamic import. */
function namesImportedBy(text: string): { readonly name: string; readonly from: string }[] {
  const named = /^(?:import|export)\s+(?:type\s+)?\{([\w$\s,]*)\}\s*from\s*'(\.[^']+)'/gm
  const whole = /^(?:import|export)\s+(?:type\s+)?\*[^']*'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm
  return [
    ...[...text.matchAll(named)].flatMap(([, names = '', from = '']) =>
      names.split(',').flatMap((each) => {
        const [, name] = /^\s*(?:type\s+)?([\w$]+)/.exec(each) ?? []
        return name === undefined ? [] : [{ name, from }]
      }),
    ),
    ...[...text.matchAll(whole)].map(([, one, other = '']) => ({ name: '*', from: one ?? other })),
  ]
}

/** A port emits no JavaScript. */
function portRule(text: string): string[] {
  const statement = firstStatement(text)
  return statement === undefined ? [] : [`is a port and may hold types only: ${statement}`]
}

function judge(file: string, from: Place, specifier: string): string[] {
  if (!specifier.startsWith('.')) {
    const users = packages[packageOf(specifier)] ?? []
    return users.some((user) => file.startsWith(`src/${user}/`)) ? [] : [`may not use ${specifier}`]
  }
  const path = resolve(file, specifier)
  const target = placeOf(path)
  if (!target) return [`imports ${specifier}, which is in no wing`]
  if (mayImport(from, target)) return []
  return [`(${nameOf(from)}) may not import ${nameOf(target)}`]
}

function mayImport(from: Place, target: Place): boolean {
  if (from.wing !== target.wing) return wings[from.wing]!.includes(target.wing)
  if (from.folder === target.folder) return true
  return from.wing === 'core' ? heightOf(from) >= heightOf(target) : !apart.has(from.wing)
}

function heightOf({ folder }: Place): number {
  return core.findIndex((folders) => folders.includes(folder))
}

/** `kysely/migration` → `kysely`. */
function packageOf(specifier: string): string {
  const parts = specifier.split('/')
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}

const importForms = [
  /^import\s+(?:[\w$*{}\s,]+?\s*from\s*)?['"]([^'"]+)['"]/gm,
  /^export\s+(?:type\s+)?(?:\*(?:\s*as\s+\w+)?|\{[\w$\s,]*\})\s*from\s*['"]([^'"]+)['"]/gm,
  // Dynamic imports, imports in types, and other ways to a built-in module; not in comments.
  /(?<!^\s*(?:\*|\/\/|\/\*).*)\b(?:import|require|getBuiltinModule)\(\s*['"]([^'"]+)['"]/gm,
]
const comment = /\/\*[\s\S]*?\*\/|\/\/.*$/gm
const reExport = /^export\s+(?:type\s+)?(?:\*|\{[\w$\s,]*\})\s*from\s*'[^']+'[ \t]*;?$/gm

/** All imports of a file in any form; `import type` counts too. */
function importsOf(text: string): string[] {
  return importForms.flatMap((form) => [...text.matchAll(form)].map((match) => match[1] ?? ''))
}

/** A wing, and the folder in it; a file directly in the wing has no folder. */
interface Place {
  readonly wing: string
  readonly folder: string
}

function nameOf({ wing, folder }: Place): string {
  return folder === '' ? wing : `${wing}/${folder}`
}

function placeOf(path: string): Place | null {
  const [src, wing = '', ...inside] = path.split('/')
  if (src !== 'src' || inside.length === 0 || !Object.hasOwn(wings, wing)) return null
  const place = { wing, folder: inside.length === 1 ? '' : inside[0]! }
  return wing === 'core' && heightOf(place) < 0 ? null : place
}

function resolve(file: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : specifier
}

/** The first statement with code; formatted statements begin at the margin. */
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
