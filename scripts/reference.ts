// `node scripts/reference.ts`: writes docs/reference/ from the doc comments of every published name, a page for each entry
// point of the package. With --check it writes nothing, and fails if a page is out of date.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseSync } from 'rolldown/utils'
import { type Exported, exportsOf } from '../test/house/exports.ts'
import { withoutLabels } from './inferred.ts'
import { readManifest } from './manifest.ts'
import { root, run } from './run.ts'

const folder = join(root, 'docs', 'reference')

/** A published name, and the entry that publishes it. */
interface Entry extends Exported {
  readonly from: string
}

const entries = published()
const declarations = await emitDeclarations()
const byEntry = [...Map.groupBy(entries, ({ from }) => from)]
const pages = new Map(byEntry.map(([from, names]) => [`${pageOf(from)}.md`, page(from, names)]))
pages.set('index.md', index(byEntry))

if (process.argv.includes('--check')) check()
else write()

/** Every name that an entry point publishes, in the order of the entry points. */
function published(): readonly Entry[] {
  return Object.entries(readManifest().exports).flatMap(([entry, file]) =>
    exportsOf(file, (path) => readFileSync(join(root, path), 'utf8'))
      .map((each) => ({ ...each, from: entry.replace('.', 'colophon') }))
      .toSorted((one, other) => compare(one.name, other.name)),
  )
}

/** The page of an entry point: `colophon/sql` → `sql`. */
function pageOf(from: string): string {
  return from.slice(from.indexOf('/') + 1)
}

// This order does not depend on a language, so it is the same on every machine.
function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

/** Emits the declarations of source files: signatures and doc comments. */
async function emitDeclarations(): Promise<(file: string) => string> {
  const target = mkdtempSync(join(tmpdir(), 'colophon-reference-'))
  process.on('exit', () => rmSync(target, { recursive: true }))
  // Checking the types takes much longer, and is done elsewhere.
  const { ok } = await run(`tsc -p tsconfig.build.json --noCheck --outDir ${target}`)
  if (!ok) throw new Error('The compiler refuses src/.')
  return (file) =>
    readFileSync(join(target, file.replace('src/', '').replace(/\.ts$/, '.d.ts')), 'utf8')
      .split('\n')
      .map(withoutLabels)
      .join('\n')
}

function index(found: readonly (readonly [string, readonly Entry[]])[]): string {
  const sections = found.map(([from, names]) => {
    const bySubject = [...Map.groupBy(names, subjectOf)].toSorted(([one], [other]) =>
      compare(one, other),
    )
    const lines = bySubject.map(([subject, some]) => `- ${subject}: ${some.map(link).join(', ')}`)
    return `## ${from}\n\n${lines.join('\n')}\n`
  })
  const what =
    'Every published name with its documentation, by the entry that it is imported from. Made from the sources by `npm run reference`.'
  return `# Reference\n\n${what}\n\n${sections.join('\n')}`
}

function link({ name, from }: Entry): string {
  return `[${name}](${pageOf(from)}.md#${name.toLowerCase()})`
}

/** The subject of a name: the folder that declares it. */
function subjectOf({ file }: Entry): string {
  const [, wing = '', ...inside] = file.split('/')
  return inside.length > 1 ? inside[0]! : wing
}

function page(from: string, names: readonly Entry[]): string {
  return `# Reference: ${from}\n\n${names.map(section).join('\n')}`
}

function section({ name, file }: Entry): string {
  const { comment, code } = declarationOf(name, declarations(file))
  return `## ${name}\n\n${prose(comment)}\n\n\`\`\`typescript\n${code}\n\`\`\`\n`
}

/** The declarations of a name, with the first one's doc comment; a function may have several. */
function declarationOf(name: string, text: string): { comment: string; code: string } {
  const { program, comments } = parseSync('declarations.d.ts', text)
  const found = program.body.filter((node) => namesOf(node).includes(name))
  const first = found[0]
  if (first === undefined) throw new Error(`There is no declaration of ${name}.`)
  const before = comments.findLast(({ end }) => end <= first.start)
  const code = found.map(({ start, end }) => text.slice(start, end)).join('\n')
  return {
    comment: before?.value ?? '',
    code: code.replace(/^\s*#private;\n/m, '').replace(/^export (?:declare )?/gm, ''),
  }
}

function namesOf(node: object): readonly string[] {
  const declaration = ((node as { declaration?: object | null }).declaration ?? node) as {
    readonly id?: { readonly name?: string } | null
    readonly declarations?: readonly { readonly id: { readonly name?: string } }[]
  }
  const ids = [declaration.id, ...(declaration.declarations ?? []).map(({ id }) => id)]
  return ids.flatMap((id) => (id?.name === undefined ? [] : [id.name]))
}

/** A doc comment as Markdown: tags become paragraphs, examples become code. */
function prose(comment: string): string {
  const text = comment
    .slice(1)
    .replace(/^[ \t]*\*[ \t]?/gm, '')
    .trim()
  return text
    .replace(/^@example\n([^]*?)(?=^@|$(?![^]))/gm, '\n```typescript\n$1```\n')
    .replace(/^@throws /gm, '\nThrows: ')
    .replace(/^@default /gm, '\nDefault: ')
    .replace(/^@returns /gm, '\nReturns: ')
    .replace(/([^\n])```\n/g, '$1\n```\n')
    .trim()
}

function write(): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [file, text] of pages) writeFileSync(join(folder, file), text)
}

function check(): void {
  const stale = [...pages].filter(([file, text]) => read(file) !== text).map(([file]) => file)
  const left = readdirSync(folder).filter((file) => !pages.has(file))
  for (const file of [...stale, ...left]) console.error(`docs/reference/${file} is not up to date.`)
  if (stale.length + left.length > 0) console.error('Run `npm run reference`.')
  process.exitCode = stale.length + left.length > 0 ? 1 : 0
}

function read(file: string): string | null {
  try {
    return readFileSync(join(folder, file), 'utf8')
  } catch {
    return null
  }
}
