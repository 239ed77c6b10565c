// `npm run build`: dist/, the package as it is published.
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from './run.ts'

interface Manifest {
  readonly exports: Readonly<Record<string, string>>
  readonly bin: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly [key: string]: unknown
}

/** What only the repository needs, and never whoever installs the package. */
const ofTheRepository = [
  'private',
  'scripts',
  'devDependencies',
  'optionalDependencies',
  'allowScripts',
]

const dist = join(root, 'dist')
rmSync(dist, { recursive: true, force: true })
const { ok } = await run('tsc -p tsconfig.build.json')
if (!ok) throw new Error('The compiler refused src/, so there is no build.')
const manifest = toPublished(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
for (const file of ['README.md', 'LICENSE']) copyFileSync(join(root, file), join(dist, file))
console.log('dist/ is ready: npm pack ./dist')

/** The manifest of the package: compiled files, and ranges where the repository pins versions. */
function toPublished(source: Manifest): Record<string, unknown> {
  const kept = Object.entries(source).filter(([key]) => !ofTheRepository.includes(key))
  return {
    ...Object.fromEntries(kept),
    exports: mapValues(source.exports, (file) => ({
      types: compiled(file, '.d.ts'),
      default: compiled(file, '.js'),
    })),
    bin: mapValues(source.bin, (file) => compiled(file, '.js')),
    dependencies: mapValues(source.dependencies, compatible),
    peerDependencies: mapValues(source.peerDependencies, compatible),
  }
}

/** What the package was tested with, or newer. */
function compatible(version: string): string {
  return `^${version}`
}

/** `./src/index.ts` → `./index.js`. Refuses to name a file that the build did not make. */
function compiled(file: string, ending: '.js' | '.d.ts'): string {
  const output = file.replace('./src/', './').replace(/\.ts$/, ending)
  if (!existsSync(join(dist, output)))
    throw new Error(`package.json names ${file}, which is not there.`)
  return output
}

function mapValues<From, To>(
  values: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]))
}
