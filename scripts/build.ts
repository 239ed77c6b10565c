// `npm run build`: dist/, the package as it is published, and create-colophon/dist/, which calls its `colophon init`.
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

/** What is read rather than run. */
const pages = ['README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md', 'docs', 'deploy']

/** Makes the package in a folder, which holds nothing else. */
export async function build(folder: string): Promise<void> {
  await emitDeclarations(folder)
  const manifest = readManifest()
  await bundle(folder, filesOf(manifest))
  const published = toPublished(manifest)
  for (const file of namesIn([published['exports'], published['bin']])) {
    if (!existsSync(join(folder, file))) throw new Error(`The build did not make ${file}.`)
  }
  for (const page of pages) cpSync(join(root, page), join(folder, page), { recursive: true })
  for (const page of globSync('**/*.md', { cwd: folder })) cutLinks(join(folder, page))
  // Links in them are those of the project that they become.
  cpSync(join(root, 'projects'), join(folder, 'projects'), { recursive: true })
  const files = readdirSync(folder).map((name) => name.replace(/.+(?=\.(?:d\.ts|js)$)/, '*'))
  writeManifest(folder, { ...published, files: [...new Set(files)].toSorted() })
}

/** Makes `create-colophon` in a folder: of the version of the package, and with no other. */
export function buildCreator(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const file of ['index.js', 'README.md'])
    cpSync(join(root, 'create-colophon', file), join(folder, file))
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  writeManifest(folder, toCreator(readCreator(), readManifest()))
}

function writeManifest(folder: string, manifest: object): void {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Builds and packs within an empty folder; gives the path of the tarball. */
export async function pack(folder: string): Promise<string> {
  return packed(build, folder)
}

/** The same for `create-colophon`. */
export async function packCreator(folder: string): Promise<string> {
  return packed(buildCreator, folder)
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

/** The pages are read beside the package too, where the tests and the sources of the repository are not. */
function cutLinks(page: string): void {
  const text = readFileSync(page, 'utf8')
  const kept = text.replaceAll(/\[([^\][]*)\]\(([^)\s#]+)(#[^)\s]*)?\)/g, (link, label, target) =>
    /^[a-z]+:/.test(target) || existsSync(join(dirname(page), target)) ? link : label,
  )
  if (kept !== text) writeFileSync(page, kept)
}

/** All texts in a value of objects, which are the names of files here. */
function namesIn(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : Object.values(value as object).flatMap(namesIn)
}

if (import.meta.main) {
  const [dist, creator] = [join(root, 'dist'), join(root, 'create-colophon/dist')]
  for (const folder of [dist, creator]) rmSync(folder, { recursive: true, force: true })
  await build(dist)
  buildCreator(creator)
  console.log('dist/ and create-colophon/dist/ are ready: npm pack ./dist ./create-colophon/dist')
}
