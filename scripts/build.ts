// `npm run build`: dist/, the package as it is published.
import { execFile } from 'node:child_process'
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { bundle } from './bundle.ts'
import { emitDeclarations } from './inferred.ts'
import { filesOf, readManifest, toPublished } from './manifest.ts'
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
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  // Read when the first page is asked for, from beside the code.
  cpSync(join(root, 'src/pages/templates'), join(folder, 'templates'), { recursive: true })
  for (const page of pages) cpSync(join(root, page), join(folder, page), { recursive: true })
  for (const page of globSync('**/*.md', { cwd: folder })) cutLinks(join(folder, page))
}

/** Builds and packs within an empty folder; gives the path of the tarball. */
export async function pack(folder: string): Promise<string> {
  const made = join(folder, 'package')
  await build(made)
  const { stdout } = await promisify(execFile)(
    'npm',
    ['pack', made, '--json', '--ignore-scripts'],
    {
      cwd: folder,
    },
  )
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
  const dist = join(root, 'dist')
  rmSync(dist, { recursive: true, force: true })
  await build(dist)
  console.log('dist/ is ready: npm pack ./dist')
}
