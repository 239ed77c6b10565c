// `npm run build`: makes dist/, the published package, and create-colophon/dist/, which calls its `colophon init`.
import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { bundle } from './bundle.ts'
import { emitDeclarations } from './inferred.ts'
import { filesOf, readCreator, readManifest, toCreator, toPublished } from './manifest.ts'
import { root } from './run.ts'

/** Files for readers. */
const pages = ['README.md', 'LICENSE', 'SECURITY.md', 'docs', 'deploy']

/**
 * Files that the package leaves out. Pictures weigh twice as much as the rest, the reference repeats the declarations, the page
 * of the command line repeats `--help`, and some pages are for people who choose, measure or change Colophon, who move to it
 * once, or who serve rows of an ORM other than Drizzle and Prisma.
 */
const left = [
  'architecture.md',
  'command-line.md',
  'comparison.md',
  'contributing',
  'decisions',
  'dependencies.md',
  'exact-cursors.md',
  'operations/faults.md',
  'operations/scale.md',
  'operations/scale.svg',
  'performance',
  'performance.md',
  'pictures',
  'recipes/better-auth.md',
  'recipes/moving-accounts.md',
  'recipes/orm.md',
  'reference',
  'rules.md',
  'what-we-do-not-do.md',
].map((page) => join(root, 'docs', page))
const filter = (file: string): boolean => !left.includes(file)

/**
 * Makes the package in an empty folder; `repository` is the address of the sources, and `options` are those of the compiler.
 */
export async function build(folder: string, repository?: string, options = ''): Promise<void> {
  await emitDeclarations(folder, options)
  const manifest = readManifest()
  await bundle(folder, filesOf(manifest))
  const published = toPublished(manifest, repository)
  for (const page of pages)
    cpSync(join(root, page), join(folder, page), { recursive: true, filter })
  const shown = repository && `${repository}/blob/v${String(manifest['version'])}/`
  for (const page of globSync('**/*.md', { cwd: folder })) turnLinks(page, folder, shown)
  // Links in projects belong to the projects that they become.
  cpSync(join(root, 'projects'), join(folder, 'projects'), { recursive: true })
  const files = readdirSync(folder).map((name) =>
    name.replace(/.+(?=\.(?:d\.ts|js|js\.map)$)/, '*'),
  )
  writeManifest(folder, { ...published, files: [...new Set(files)].toSorted() })
  for (const file of namesIn([published['exports'], published['bin']])) {
    if (!existsSync(join(folder, file))) throw new Error(`The build did not make ${file}.`)
  }
}

/** Makes `create-colophon` in a folder, with the version of the package, which alone it works with. */
export function buildCreator(folder: string, repository?: string): void {
  mkdirSync(folder, { recursive: true })
  for (const file of ['index.js', 'README.md'])
    cpSync(join(root, 'create-colophon', file), join(folder, file))
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  writeManifest(folder, toCreator(readCreator(), readManifest(), repository))
}

function writeManifest(folder: string, manifest: object): void {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Builds and packs within an empty folder; gives the path of the tarball. */
export async function pack(folder: string, repository?: string, options = ''): Promise<string> {
  return packed((made) => build(made, repository, options), folder)
}

/** Builds and packs `create-colophon` in the same way. */
export async function packCreator(folder: string, repository?: string): Promise<string> {
  return packed((made) => buildCreator(made, repository), folder)
}

async function packed(make: (folder: string) => unknown, folder: string): Promise<string> {
  const made = mkdtempSync(join(tmpdir(), 'colophon-pack-'))
  await make(made)
  const { stdout } = await promisify(execFile)(
    'npm',
    ['pack', made, '--json', '--ignore-scripts'],
    {
      cwd: folder,
    },
  )
  rmSync(made, { recursive: true })
  const [{ filename }] = JSON.parse(stdout) as readonly [{ readonly filename: string }]
  return join(folder, filename)
}

/**
 * The published pages lack the tests, the sources, the pictures and some pages. Links to these lead to the repository if its
 * address is known; otherwise a link becomes its label, and a picture is left out.
 */
function turnLinks(page: string, folder: string, shown: string | undefined): void {
  const text = readFileSync(join(folder, page), 'utf8')
  const links = /(!?)\[([^\][]*)\]\(([^)\s#]+)(#[^)\s]*)?\)/g
  const turned = text.replaceAll(links, (link, picture, label, target: string, hash = '') => {
    const file = join(dirname(page), target)
    if (/^[a-z]+:/.test(target) || existsSync(join(folder, file))) return link
    if (shown === undefined) return picture ? '' : label
    return `${picture}[${label}](${shown}${file}${picture ? '?raw=true' : ''}${hash})`
  })
  if (turned !== text) writeFileSync(join(folder, page), turned)
}

/** All texts in nested objects, which are names of files here. */
function namesIn(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : Object.values(value as object).flatMap(namesIn)
}

if (import.meta.main) {
  const [dist, creator] = [join(root, 'dist'), join(root, 'create-colophon/dist')]
  for (const folder of [dist, creator]) rmSync(folder, { recursive: true, force: true })
  const repository = process.env['REPOSITORY']
  await build(dist, repository)
  buildCreator(creator, repository)
  console.log('dist/ and create-colophon/dist/ are ready: npm pack ./dist ./create-colophon/dist')
  if (repository === undefined)
    console.log('They are private, and npm does not publish them: REPOSITORY is not set.')
}
