// The declaration files of the package: their declarations, imports and exports.
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parseSync } from 'rolldown/utils'

/** A top-level declaration with its text. */
interface Declaration {
  readonly name: string
  readonly text: string
  readonly start: number
  readonly exported: boolean
}

/** A declaration file: its declarations, and its own names for those of other files. */
export interface Module {
  readonly file: string
  readonly declarations: readonly Declaration[]
  readonly imports: ReadonlyMap<string, Place>
  readonly exports: ReadonlyMap<string, Place>
  /** Files whose names it all exports again. */
  readonly stars: readonly string[]
  /** Its text with spaces for comments, and its statements. */
  readonly bare: string
  readonly nodes: readonly Statement[]
}

/** A name with the file that declares it; `*` means the whole file. */
export interface Place {
  readonly file: string
  readonly name: string
}

/** The names that the entry points publish, and all names that their declarations mention. */
export function reachable(
  doors: ReadonlySet<string>,
  modules: ReadonlyMap<string, Module>,
): Place[] {
  const found = new Set(doors)
  // The loop also reaches the elements that are added meanwhile.
  for (const key of found) {
    const { file, name } = placeOf(key)
    const mentioned =
      name === '*' ? exportsOf(file, modules) : mentionedBy(name, modules.get(file)!, modules)
    for (const place of mentioned) found.add(keyOf(place))
  }
  return [...found].map(placeOf).filter(({ name }) => name !== '*')
}

function mentionedBy(name: string, module: Module, modules: ReadonlyMap<string, Module>): Place[] {
  const text = module.declarations.filter((each) => each.name === name).map((each) => each.text)
  const words = new Set(text.join('\n').match(/[A-Za-z_$][\w$]*/g))
  return [...words].flatMap((word) => resolve({ file: module.file, name: word }, modules))
}

/** The declaration of a name that a file uses; empty for a word that is no such name. */
export function resolve({ file, name }: Place, modules: ReadonlyMap<string, Module>): Place[] {
  const module = modules.get(file)
  if (module === undefined) return []
  if (name === '*' || module.declarations.some((each) => each.name === name))
    return [{ file, name }]
  const elsewhere = module.imports.get(name) ?? module.exports.get(name)
  if (elsewhere !== undefined) return resolve(elsewhere, modules)
  return module.stars.flatMap((each) => resolve({ file: each, name }, modules)).slice(0, 1)
}

function exportsOf(file: string, modules: ReadonlyMap<string, Module>): Place[] {
  const module = modules.get(file)
  if (module === undefined) return []
  const own = module.declarations.filter(({ exported }) => exported)
  return [
    ...own.map(({ name }) => ({ file, name })),
    ...[...module.exports.values()].flatMap((place) => resolve(place, modules)),
    ...module.stars.flatMap((each) => exportsOf(each, modules)),
  ]
}

/** Reads the files of a folder of declarations. */
export function readAll(folder: string, files: readonly string[]): ReadonlyMap<string, Module> {
  return new Map(files.map((file) => [file, read(folder, file)]))
}

/** The names that these files publish. */
export function publishedBy(
  doors: readonly string[],
  modules: ReadonlyMap<string, Module>,
): Set<string> {
  return new Set(doors.flatMap((door) => exportsOf(door, modules)).map(keyOf))
}

function read(folder: string, file: string): Module {
  const text = readFileSync(join(folder, file), 'utf8')
  const { program, comments } = parseSync(file, text)
  const bare = comments.reduceRight(
    (before, { start, end }) =>
      before.slice(0, start) + ' '.repeat(end - start) + before.slice(end),
    text,
  )
  const nodes = program.body as unknown as readonly Statement[]
  return {
    file,
    bare,
    nodes,
    declarations: nodes.flatMap((node) => declared(node, bare)),
    imports: new Map(nodes.flatMap((node) => passed(node, 'ImportDeclaration', file))),
    exports: new Map(nodes.flatMap((node) => passed(node, 'ExportNamedDeclaration', file))),
    stars: nodes.flatMap(({ type, source }) =>
      type === 'ExportAllDeclaration' && source ? fileFrom(file, source.value) : [],
    ),
  }
}

/** The part of the parser's tree that is read here. */
export interface Statement {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly id?: Named | null
  readonly declarations?: readonly { readonly id: Named }[]
  readonly declaration?: Statement | null
  readonly source?: { readonly value: string } | null
  readonly specifiers?: readonly Specifier[]
}

export interface Specifier {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly local: Named
  readonly imported?: Named
  readonly exported?: Named
}

interface Named {
  readonly name: string
}

export function declared(node: Statement, text: string): Declaration[] {
  const inner = node.declaration ?? node
  const ids = [inner.id, ...(inner.declarations ?? []).map(({ id }) => id)]
  return ids.flatMap((id) => {
    if (!id) return []
    const { start, end } = inner
    return [{ name: id.name, text: text.slice(start, end), start, exported: inner !== node }]
  })
}

/** The names that a file imports, each with its own name and its source. */
function passed(node: Statement, type: string, from: string): [string, Place][] {
  if (node.type !== type) return []
  const files = node.source ? fileFrom(from, node.source.value) : [from]
  return (node.specifiers ?? []).flatMap(({ local, imported, exported }) =>
    files.map((file): [string, Place] =>
      exported === undefined
        ? [local.name, { file, name: imported?.name ?? '*' }]
        : [exported.name, { file, name: local.name }],
    ),
  )
}

/** The file of a specifier: `'./routes.ts'` → `types/routes.d.ts`; empty for other packages. */
function fileFrom(file: string, specifier: string): string[] {
  if (!specifier.startsWith('.')) return []
  const path = posix.join(posix.dirname(file), specifier)
  return [path.replace(/\.(?:ts|js)$/, '.d.ts')]
}

export const keyOf = ({ file, name }: Place): string => `${file} ${name}`

function placeOf(key: string): Place {
  const [file = '', name = ''] = key.split(' ')
  return { file, name }
}
