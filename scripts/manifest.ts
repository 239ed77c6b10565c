import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtIn } from './bundle.ts'
import { root } from './run.ts'

/** What is read here of the repository's package.json. */
export interface Manifest {
  readonly name: string
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

export function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
}

/** The manifest of `create-colophon`, which has neither a version nor dependencies of its own. */
export function readCreator(): Readonly<Record<string, unknown>> {
  const text = readFileSync(join(root, 'create-colophon/package.json'), 'utf8')
  return JSON.parse(text) as Record<string, unknown>
}

/** As it is published: with the package of the same version, whose command it runs. */
export function toCreator(
  creator: Readonly<Record<string, unknown>>,
  { name, version, license, engines, publishConfig }: Manifest,
): Record<string, unknown> {
  const own = Object.entries(creator).filter(([key]) => !ofTheRepository.includes(key))
  const shared = { version, license, engines, publishConfig }
  return { ...Object.fromEntries(own), ...shared, dependencies: { [name]: version } }
}

/** The files that others load by a name of the package. */
export function filesOf({ exports, bin }: Manifest): readonly string[] {
  return [...Object.values(exports), ...Object.values(bin)]
}

/** The manifest of the package: built files, and ranges where the repository pins versions. */
export function toPublished(source: Manifest): Record<string, unknown> {
  const kept = Object.entries(source).filter(([key]) => !ofTheRepository.includes(key))
  return {
    ...Object.fromEntries(kept),
    exports: {
      ...mapValues(source.exports, (file) => ({
        types: built(file, '.d.ts'),
        default: built(file, '.js'),
      })),
      // Named by the compiler in declarations of applications, and by people never.
      './inferred': { types: './inferred.d.ts' },
    },
    bin: mapValues(source.bin, (file) => built(file, '.js')),
    dependencies: mapValues(source.dependencies, compatible),
    peerDependencies: mapValues(source.peerDependencies, compatible),
  }
}

/** What the package was tested with, or newer; of what is built in, the types of that very version. */
function compatible(version: string, name: string): string {
  return builtIn.includes(name) ? version : `^${version}`
}

/** `./src/index.ts` → `./index.js`. */
function built(file: string, ending: '.js' | '.d.ts'): string {
  return file.replace('./src/', './').replace(/\.ts$/, ending)
}

function mapValues<From, To>(
  values: Readonly<Record<string, From>>,
  change: (value: From, key: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value, key)]))
}
