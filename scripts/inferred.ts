// Declarations that an application emits may name every type that inference can reach. The entry points publish the names that
// people write; `colophon/types` and `colophon/inferred` have the others. Without these, tsc refuses: "cannot be named without
// a reference to …".
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Module,
  type Place,
  type Specifier,
  type Statement,
  declared,
  keyOf,
  publishedBy,
  reachable,
  readAll,
  resolve,
} from './declarations.ts'
import { filesOf, readManifest } from './manifest.ts'
import { run } from './run.ts'

/** Writes the declarations of the published package into a folder. `--noCheck` does so even if the types are wrong. */
export async function emitDeclarations(folder: string, options = ''): Promise<void> {
  const command = `tsc -p tsconfig.build.json --outDir ${folder} ${options}`
  const { ok, output } = await run(command, { show: false })
  if (!ok) throw new Error(`The compiler refused src/, so there is no build.\n${output}`)
  for (const file of globSync('**/*.d.ts', { cwd: folder })) {
    const path = join(folder, file)
    const turn = file.endsWith('messages/english.d.ts') ? toParameters : withoutLabels
    writeFileSync(path, readFileSync(path, 'utf8').split('\n').map(turn).join('\n'))
  }
  const doors = filesOf({ ...readManifest(), bin: {} })
  publishInferred(
    folder,
    doors.map((file) => file.replace('./src/', '').replace(/\.ts$/, '.d.ts')),
  )
}

/**
 * Writes `inferred.d.ts` into a folder of declarations, and lets each entry point load it and `types.d.ts`: the compiler looks
 * for names only in the files that a program has loaded.
 */
function publishInferred(folder: string, doors: readonly string[]): void {
  const files = globSync('**/*.d.ts', { cwd: folder, exclude: ['node_modules'] })
  dropUnreached(folder, doors, files)
  const modules = readAll(folder, files)
  const published = publishedBy(doors, modules)
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

/** A part of a file, and its replacement. */
type Edit = readonly [start: number, end: number, text: string]

/** Removes the declarations that no published one mentions, and the imports that only they need. */
function dropUnreached(folder: string, doors: readonly string[], files: readonly string[]): void {
  const modules = readAll(folder, files)
  const reached = new Set(reachable(publishedBy(doors, modules), modules).map(keyOf))
  for (const module of modules.values()) {
    const isReached = (name: string): boolean =>
      resolve({ file: module.file, name }, modules).every(
        (place) => place.name === '*' || reached.has(keyOf(place)),
      )
    const edits = editsOf(module, isReached)
    const path = join(folder, module.file)
    if (edits.length > 0)
      writeFileSync(path, `${edited(readFileSync(path, 'utf8'), edits)}export {};\n`)
  }
}

/** Removing a declaration also removes its comment. */
function editsOf({ bare, nodes }: Module, isReached: (name: string) => boolean): Edit[] {
  const kept = nodes.filter((node) => {
    const names = declared(node, bare)
    return names.length === 0 || names.some(({ name }) => isReached(name))
  })
  const mentioned = wordsOf(
    kept.filter(({ type }) => type !== 'ImportDeclaration'),
    bare,
  )
  const isUsed = ({ local, exported }: Specifier): boolean =>
    exported === undefined ? mentioned.has(local.name) : isReached(exported.name)
  return nodes.flatMap((node, at): Edit[] =>
    kept.includes(node)
      ? withoutUnused(node, bare, isUsed)
      : [[nodes[at - 1]?.end ?? 0, node.end, '']],
  )
}

function withoutUnused(
  { start, end, specifiers = [] }: Statement,
  text: string,
  isUsed: (each: Specifier) => boolean,
): Edit[] {
  const [first, ...others] = specifiers.filter(isUsed)
  if (others.length + Number(first !== undefined) === specifiers.length) return []
  if (first === undefined) return [[start, end, '']]
  const names = [first, ...others].map((each) => text.slice(each.start, each.end)).join(', ')
  return [[specifiers[0]!.start, specifiers.at(-1)!.end, names]]
}

function edited(text: string, edits: readonly Edit[]): string {
  return edits.reduceRight(
    (before, [start, end, by]) => before.slice(0, start) + by + before.slice(end),
    text,
  )
}

function wordsOf(nodes: readonly Statement[], text: string): ReadonlySet<string> {
  const texts = nodes.map(({ start, end }) => text.slice(start, end))
  return new Set(texts.join('\n').match(/[A-Za-z_$][\w$]*/g))
}

/** These files with all of their imports, which a compiler reads: no others are published. */
function loadedBy(
  files: readonly string[],
  modules: ReadonlyMap<string, Module>,
): ReadonlySet<string> {
  const loaded = new Set(files)
  // The loop also reaches the elements that are added meanwhile.
  for (const file of loaded) {
    const { imports, exports, stars } = modules.get(file)!
    for (const place of [...imports.values(), ...exports.values()]) loaded.add(place.file)
    for (const star of stars) loaded.add(star)
  }
  return loaded
}

/** The compiler writes out an alias that is not exported, but must name an interface, so interfaces are exported. */
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

const LABEL = String.raw`(?:AB|AT|RU|[A-Z])\d{1,2}`
const LABELS = String.raw`${LABEL}(?:(?:–|, | and )${LABEL})*`
const parenthesis = new RegExp(String.raw`\s*\([^()]*\b(?:${LABEL}|E1\.\d+)\b[^()]*\)`, 'g')
const onlyLabels = new RegExp(
  String.raw`^(?:${LABELS}|E1\.\d+|(?:document|chapter|decisions|5\.2) .*)$`,
)
const heading = new RegExp(String.raw`^(\s*(?:/\*\*|\*) )${LABELS}[:.] (\S)`)

/** A sentence of the catalogue with its parameters alone, which types read: `'Hello {name},'` is `'{name}'`. */
function toParameters(line: string): string {
  return line.replace(
    /(?<=: )(['"]).*\1(?=;$)/,
    (text) => `'${text.match(/\{\w+\}/g)?.join('') ?? ''}'`,
  )
}

/** A line of a doc comment without the numbers of rules, which mean nothing outside of the repository. */
export function withoutLabels(line: string): string {
  if (!/^\s*(?:\/\*\*|\*)/.test(line)) return line
  const kept = line.replaceAll(parenthesis, (group) => {
    const parts = group.trim().slice(1, -1).split(', ')
    const rest = parts.filter((part) => !onlyLabels.test(part))
    return rest.length === 0 ? '' : ` (${rest.join(', ')})`
  })
  return kept.replace(heading, (_, start: string, first: string) => start + first.toUpperCase())
}
