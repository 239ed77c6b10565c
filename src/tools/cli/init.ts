import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { randomToken } from '../../core/secrets/keys.ts'
import { type CommandNode, ONE_OBJECT, command } from './command.ts'
import { jsonObjectIn, readText, thereIn, writeFiles } from './files.ts'
import { CommandFailed, UsageError } from './terminal.ts'

const MANIFEST = 'package.json'
/** The addition of a folder of templates to the manifest. */
const PART = 'manifest.json'

/** The folder of this package, or of its repository. */
const HOME = homeOf(import.meta.dirname)

function homeOf(folder: string): string {
  return existsSync(join(folder, MANIFEST)) ? folder : homeOf(dirname(folder))
}

/** The beginning of a project: names of `projects/index.json`. */
export interface ProjectChoice {
  readonly template?: string | undefined
  readonly database?: string | undefined
}

/** `projects/index.json`: the folders that make a project, a later one over those before. The first name is the default. */
interface Templates {
  readonly templates: Readonly<Record<string, readonly string[]>>
  readonly databases: Readonly<Record<string, readonly string[]>>
}

const { templates, databases } = JSON.parse(
  readFileSync(join(HOME, 'projects/index.json'), 'utf8'),
) as Templates

/** The template of a service that stores nothing. */
const WITHOUT_DATABASE = 'minimal'

/** `npm create colophon` calls it, too. */
export const initCommand: CommandNode = command({
  name: 'init [folder]',
  summary: 'write a first project: a service with tests',
  description:
    'Writes a first project: a service with tests, a Dockerfile and checks. Nothing is overwritten.',
  args: { folder: ['where to write; it is made where there is none', { default: '.' }] },
  options: [
    choice('--template <name>', 'what it begins with', Object.keys(templates)),
    choice('--database <name>', 'where it keeps its tables', Object.keys(databases)),
  ],
  json: ONE_OBJECT,
  run({ args: [named = '.'], options, terminal, json }) {
    const folder = resolve(terminal.cwd, named)
    const files = projectFiles(folder, options)
    refuseToOverwrite(folder, Object.keys(files))
    writeFiles(folder, files)
    const server = files['compose.yaml'] === undefined ? [] : ['docker compose up --wait']
    const go = named === '.' ? [] : [`cd ${named}`]
    const next = [...go, 'npm install', ...server, 'npm test', START]
    const written = Object.keys(files).map((name) => join(named, name))
    if (json) return terminal.print(JSON.stringify({ files: written, next }))
    for (const path of written) terminal.print(`Wrote ${path}`)
    terminal.print(`\nNext:\n\n${next.map((step) => `  ${step}`).join('\n')}`)
  },
})

const START = 'npm start    # http://127.0.0.1:8000/'

function choice<const Flags extends string>(
  flags: Flags,
  meaning: string,
  names: readonly string[],
) {
  return [flags, `${meaning} (default: "${names[0]}")`, { choices: names }] as const
}

function refuseToOverwrite(folder: string, names: readonly string[]): void {
  const there = thereIn(folder, names).filter((name) => name !== MANIFEST)
  if (there.length === 0) return
  throw new CommandFailed(
    `There is ${there.join(', ')} in ${folder} already. Nothing was written; name an empty folder.`,
  )
}

/**
 * The texts of a project by the names of their files, its manifest first.
 *
 * @throws UsageError a database is named for a template that keeps nothing
 */
export function projectFiles(
  folder: string,
  beginning: ProjectChoice,
): Readonly<Record<string, string>> {
  const { template = Object.keys(templates)[0]!, database } = beginning
  if (template === WITHOUT_DATABASE && database !== undefined)
    throw new UsageError(`The template ${template} keeps nothing, so it takes no --database.`)
  const keeper = database ?? Object.keys(databases)[0]!
  const layers = [...templates[template]!, ...databases[keeper]!]
  const found = layers.map((layer) => textsIn(join(HOME, 'projects', layer)))
  const parts = found.map((texts) => JSON.parse(texts[PART] ?? '{}') as Manifest)
  const manifest = manifestOf(folder, parts)
  const { [PART]: _, ...texts } = Object.assign({}, ...found) as Readonly<Record<string, string>>
  const words = template === WITHOUT_DATABASE ? [template] : [template, keeper]
  const values = {
    name: manifest.name!,
    secret: randomToken(48, 'base64url'),
    prefix: template === 'beside-express' ? '/api' : '',
  }
  return {
    [MANIFEST]: `${JSON.stringify(manifest, null, 2)}\n`,
    ...Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [name, fill(choose(text, words), values)]),
    ),
  }
}

/** The files of a folder of templates. npm publishes no `.gitignore`, so a name that begins with a dot has `_` in its place. */
function textsIn(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()
  const files = names.filter((name) => statSync(join(folder, name)).isFile())
  return Object.fromEntries(
    files.map((name) => [
      name.replaceAll(sep, '/').replace(/^_/, '.'),
      readFileSync(join(folder, name), 'utf8'),
    ]),
  )
}

/** Leaves out what stands between lines with `<if word>`, or `<if not word>`, and `<end>`, where it does not hold. */
function choose(text: string, words: readonly string[]): string {
  return text.replaceAll(
    /^.*<if (not )?([a-z-]+)>.*\n([^]*?)^.*<end>.*\n/gm,
    (_, not: string | undefined, word: string, inner: string) =>
      words.includes(word) === (not === undefined) ? inner : '',
  )
}

function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name]!)
}

interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly private?: boolean
  readonly type?: string
  readonly engines?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly scripts?: Readonly<Record<string, string>>
}

/** The failing test that `npm init` writes. */
const NO_TEST = /no test specified/

/**
 * The manifest of a project. One that is there keeps everything but its type of modules, its scripts and versions too.
 *
 * @throws CommandFailed it cannot be read
 */
function manifestOf(folder: string, parts: readonly Manifest[]): Manifest {
  const there = readManifest(join(folder, MANIFEST))
  const own = Object.entries(there?.scripts ?? {}).filter(([, text]) => !NO_TEST.test(text))
  const all = [...parts, { ...there, scripts: Object.fromEntries(own) }]
  const { version } = readManifest(join(HOME, MANIFEST))!
  return {
    ...(there ?? { private: true }),
    name: there?.name ?? nameOf(folder),
    type: 'module',
    engines: Object.assign({}, ...all.map(({ engines }) => engines)),
    scripts: Object.assign({}, ...all.map(({ scripts }) => scripts)),
    dependencies: Object.assign(
      { colophon: `^${version}` },
      ...all.map(({ dependencies }) => dependencies),
    ),
    devDependencies: Object.assign({}, ...all.map(({ devDependencies }) => devDependencies)),
  }
}

function readManifest(path: string): Manifest | null {
  const problem = `${path} is not the package.json of a project. Nothing was written.`
  return existsSync(path) ? jsonObjectIn(readText(path), problem) : null
}

/** A folder's name as npm and Docker take it. */
function nameOf(folder: string): string {
  const plain = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  return plain === '' ? 'service' : plain
}
