// Declarations that an application emits may name every type that inference can reach. The doors publish what people
// write; `colophon/types` and `colophon/inferred` have the rest. Without it tsc refuses: "cannot be named without a reference to …".
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parseSync } from 'rolldown/utils'
import { filesOf, readManifest } from './manifest.ts'
import { run } from './run.ts'

/** Writes the declarations of the package as it is published into a folder. `--noCheck`: whether the types fit or not. */
export async function emitDeclarations(folder: string, options = ''): Promise<void> {
  const command = `tsc -p tsconfig.build.json --outDir ${folder} ${options}`
  const { ok, output } = await run(command, { show: false })
  if (!ok) throw new Error(`The compiler refused src/, so there is no build.\n${output}`)
  for (const file of globSync('**/*.d.ts', { cwd: folder })) {
    const path = join(folder, file)
    writeFileSync(path, readFileSync(path, 'utf8').split('\n').map(withoutLabels).join('\n'))
  }
  const doors = filesOf({ ...readManifest(), bin: {} })
  publishInferred(
    folder,
    doors.map((file) => file.replace('./src/', '').replace(/\.ts$/, '.d.ts')),
  )
}

/** A top-level declaration, by its text. */
interface Declaration {
  readonly name: string
  readonly text: string
  readonly start: number
  readonly exported: boolean
}

/** A declaration file: what it declares, and what it calls the names of others. */
interface Module {
  readonly file: string
  readonly declarations: readonly Declaration[]
  readonly imports: ReadonlyMap<string, Place>
  readonly exports: ReadonlyMap<string, Place>
  /** Files all of whose names it passes on. */
  readonly stars: readonly string[]
}

/** A name where it is declared; `*` is the whole file. */
interface Place {
  readonly file: string
  readonly name: string
}

/**
 * Writes `inferred.d.ts` into a folder of declarations, and has each door load it, and `types.d.ts`: the compiler looks for
 * names among the files that a program has loaded.
 */
function publishInferred(folder: string, doors: readonly string[]): void {
  const files = globSync('**/*.d.ts', { cwd: folder, exclude: ['node_modules'] })
  const modules = new Map(files.map((file) => [file, read(folder, file)]))
  const published = new Set(doors.flatMap((door) => exportsOf(door, modules)).map(keyOf))
  const hidden = reachable(published, modules).filter((place) => !published.has(keyOf(place)))
  for (const [holder, places] of Map.groupBy(hidden, ({ file }) => file))
    exportInterfaces(folder, modules.get(holder)!, places)
  writeFileSync(join(folder, 'inferred.d.ts'), lines(hidden, modules).join(''))
  for (const door of doors) {
    const path = join(folder, door)
    const others = [...(door === 'types.d.ts' ? [] : ['types']), 'inferred']
    const loading = others.map((name) => `import './${name}.js'\n`).join('')
    writeFileSync(path, `${readFileSync(path, 'utf8')}${loading}`)
  }
  const loaded = loadedBy([...doors, ...hidden.map(({ file }) => file)], modules)
  for (const file of files) if (!loaded.has(file)) rmSync(join(folder, file))
}

/** These files and all that they import, which a compiler reads: no others are published. */
function loadedBy(
  files: readonly string[],
  modules: ReadonlyMap<string, Module>,
): ReadonlySet<string> {
  const loaded = new Set(files)
  // A set that grows is walked to its end.
  for (const file of loaded) {
    const { imports, exports, stars } = modules.get(file)!
    for (const place of [...imports.values(), ...exports.values()]) loaded.add(place.file)
    for (const star of stars) loaded.add(star)
  }
  return loaded
}

/** What the doors publish, and everything that its declarations mention. */
function reachable(doors: ReadonlySet<string>, modules: ReadonlyMap<string, Module>): Place[] {
  const found = new Set(doors)
  // A set that grows is walked to its end.
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

/** Where a name is declared that a file uses; nothing for words that mean something else. */
function resolve({ file, name }: Place, modules: ReadonlyMap<string, Module>): Place[] {
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

/** An alias that is not exported is written out by the compiler; an interface it has to name. */
function exportInterfaces(folder: string, module: Module, places: readonly Place[]): void {
  const path = join(folder, module.file)
  const wanted = module.declarations.filter(
    ({ name, text, exported }) =>
      !exported && isNamed(text) && places.some((place) => place.name === name),
  )
  const text = wanted.reduceRight(
    (before, { start }) => `${before.slice(0, start)}export ${before.slice(start)}`,
    readFileSync(path, 'utf8'),
  )
  writeFileSync(path, text)
}

const isNamed = (text: string): boolean =>
  /^(?:declare )?(?:abstract )?(?:class|interface) /.test(text)
const isType = (text: string): boolean => isNamed(text) || /^(?:declare )?type /.test(text)

function lines(places: readonly Place[], modules: ReadonlyMap<string, Module>): string[] {
  const named = places.filter(({ file, name }) => {
    const all = modules.get(file)!.declarations.filter((each) => each.name === name)
    return all.some(({ exported, text }) => (exported ? isType(text) : isNamed(text)))
  })
  const uses = Map.groupBy(named, ({ name }) => name)
  return named
    .map(({ file, name }) => {
      const room = file.replace(/\.d\.ts$/, '')
      const alias = uses.get(name)!.length === 1 ? '' : ` as ${name}_${room.replace(/\W/g, '_')}`
      return `export type { ${name}${alias} } from './${room}.js'\n`
    })
    .toSorted()
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
    declarations: nodes.flatMap((node) => declared(node, bare)),
    imports: new Map(nodes.flatMap((node) => passed(node, 'ImportDeclaration', file))),
    exports: new Map(nodes.flatMap((node) => passed(node, 'ExportNamedDeclaration', file))),
    stars: nodes.flatMap(({ type, source }) =>
      type === 'ExportAllDeclaration' && source ? fileFrom(file, source.value) : [],
    ),
  }
}

/** What is read here of the parser's tree. */
interface Statement {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly id?: Named | null
  readonly declarations?: readonly { readonly id: Named }[]
  readonly declaration?: Statement | null
  readonly source?: { readonly value: string } | null
  readonly specifiers?: readonly {
    readonly type: string
    readonly local: Named
    readonly imported?: Named
    readonly exported?: Named
  }[]
}

interface Named {
  readonly name: string
}

function declared(node: Statement, text: string): Declaration[] {
  const inner = node.declaration ?? node
  const ids = [inner.id, ...(inner.declarations ?? []).map(({ id }) => id)]
  return ids.flatMap((id) => {
    if (!id) return []
    const { start, end } = inner
    return [{ name: id.name, text: text.slice(start, end), start, exported: inner !== node }]
  })
}

/** Names that a file has from others: its own name for each, with where it comes from. */
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

/** `'./routes.ts'` → `types/routes.d.ts`; nothing of other packages. */
function fileFrom(file: string, specifier: string): string[] {
  if (!specifier.startsWith('.')) return []
  const path = posix.join(posix.dirname(file), specifier)
  return [path.replace(/\.(?:ts|js)$/, '.d.ts')]
}

const keyOf = ({ file, name }: Place): string => `${file} ${name}`

function placeOf(key: string): Place {
  const [file = '', name = ''] = key.split(' ')
  return { file, name }
}

const LABEL = String.raw`(?:AB|AT|RU|[A-Z])\d{1,2}`
const LABELS = String.raw`${LABEL}(?:(?:–|, | and )${LABEL})*`
const parenthesis = new RegExp(String.raw`\s*\([^()]*\b(?:${LABEL}|E1\.\d+)\b[^()]*\)`, 'g')
const onlyLabels = new RegExp(
  String.raw`^(?:${LABELS}|E1\.\d+|(?:document|chapter|decisions|5\.2) .*)$`,
)
const heading = new RegExp(String.raw`^(\s*(?:/\*\*|\*) )${LABELS}[:.] (\S)`)

/** A line of a doc comment without the numbers of rules, which mean something beside the sources only. */
export function withoutLabels(line: string): string {
  if (!/^\s*(?:\/\*\*|\*)/.test(line)) return line
  const kept = line.replaceAll(parenthesis, (group) => {
    const parts = group.trim().slice(1, -1).split(', ')
    const rest = parts.filter((part) => !onlyLabels.test(part))
    return rest.length === 0 ? '' : ` (${rest.join(', ')})`
  })
  return kept.replace(heading, (_, start: string, first: string) => start + first.toUpperCase())
}
