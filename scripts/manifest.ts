import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.ts'

/** The part of the repository's package.json that is read here. */
export interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string>>
  readonly bin: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly [key: string]: unknown
}

/** Fields that only the repository needs. */
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

/** The manifest of `create-colophon`, which lacks a version and dependencies. */
export function readCreator(): Readonly<Record<string, unknown>> {
  const text = readFileSync(join(root, 'create-colophon/package.json'), 'utf8')
  return JSON.parse(text) as Record<string, unknown>
}

/** The published manifest: it depends on the package of the same version, whose command it runs. */
export function toCreator(
  creator: Readonly<Record<string, unknown>>,
  { name, version, license, author, engines, publishConfig }: Manifest,
  repository?: string,
): Record<string, unknown> {
  const own = Object.entries(creator).filter(([key]) => !ofTheRepository.includes(key))
  const shared = { version, license, author, engines, publishConfig, ...placeOf(repository) }
  return { ...Object.fromEntries(own), ...shared, dependencies: { [name]: version } }
}

/** The place of the sources, which provenance refers to. Without it a package is private, and npm refuses to publish it. */
function placeOf(repository: string | undefined): Readonly<Record<string, unknown>> {
  if (repository === undefined) return { private: true }
  return {
    repository: { type: 'git', url: `git+${repository}.git` },
    homepage: `${repository}#readme`,
    bugs: `${repository}/issues`,
  }
}

/** The files that a name of the package loads. */
export function filesOf({ exports, bin }: Manifest): readonly string[] {
  return [...Object.values(exports), ...Object.values(bin)]
}

/** The manifest of the package: built files, and ranges where the repository pins versions. */
export function toPublished(source: Manifest, repository?: string): Record<string, unknown> {
  const kept = Object.entries(source).filter(([key]) => !ofTheRepository.includes(key))
  return {
    ...Object.fromEntries(kept),
    ...placeOf(repository),
    exports: {
      ...mapValues(source.exports, (file) => ({
        types: built(file, '.d.ts'),
        default: built(file, '.js'),
      })),
      // Only the compiler names it, in declarations of applications.
      './inferred': { types: './inferred.d.ts' },
      './package.json': './package.json',
    },
    bin: mapValues(source.bin, (file) => built(file, '.js')),
    // Peers already have ranges: test/house/peer-ranges.test.ts tries both ends.
    dependencies: mapValues(source.dependencies, (version) => `^${version}`),
  }
}

/** `./src/index.ts` → `./index.js`. */
function built(file: string, ending: '.js' | '.d.ts'): string {
  return file.replace('./src/', './').replace(/\.ts$/, ending)
}

function mapValues<From, To>(
  values: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]))
}
