// The JavaScript of the package: a file for each of its doors, and pieces that they share. Finding and
// reading a module costs half a millisecond of CPU time, whatever is in it, and there are 600 of them.
import { copyFileSync, cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { type SourceMapSegment, decode, encode } from '@jridgewell/sourcemap-codec'
import { type OutputOptions, type PreRenderedChunk, rolldown } from 'rolldown'
import { minifySync } from 'rolldown/utils'
import { root } from './run.ts'

/** Packages that are built in; others are loaded from where they are installed. Kysely's types are: it is a peer. */
export const builtIn: readonly string[] = ['kysely']

/** Runs on a thread of its own, which loads it by name from beside the file that starts it. */
const worker = { 'bcrypt-worker': 'src/accounts/passwords/bcrypt-worker.ts' }

/** Runs wherever there is `fetch`, so it shares nothing with the doors that run in Node. */
const forBrowsers = './src/client.ts'

/** Makes the files of the package from those that its manifest names: `./src/tools/cli/main.ts` → `tools/cli/main.js`. */
export async function bundle(folder: string, files: readonly string[]): Promise<void> {
  const inNode = files.filter((file) => file !== forBrowsers)
  await bundleForNode(folder, { ...inputOf(inNode), ...worker })
  const client = await rolldown({ cwd: root, input: inputOf([forBrowsers]), platform: 'browser' })
  // Without a map: browsers would look for its sources, which are this code but for its types.
  await client.write({ ...written(folder), sourcemap: false })
  await client.close()
  // Read when the first page is asked for, from beside the code.
  cpSync(join(root, 'src/addons/pages/templates'), join(folder, 'templates'), { recursive: true })
  cpSync(join(root, 'src/addons/pages/console'), join(folder, 'console'), { recursive: true })
  for (const name of builtIn) {
    copyFileSync(join(root, 'node_modules', name, 'LICENSE'), join(folder, `LICENSE.${name}`))
  }
}

async function bundleForNode(folder: string, input: Readonly<Record<string, string>>) {
  const build = await rolldown({
    cwd: root,
    input,
    external: isForeign,
    platform: 'node',
    plugins: [
      { name: 'plain-packages', transform: (code, id) => plain(code, id) },
      {
        name: 'unread-builtins',
        renderChunk: (code) => ({ code: withoutReading(code), map: null }),
      },
      {
        name: 'small-packages',
        renderChunk: (code, { name }) => (builtIn.includes(name) ? small(code, name) : null),
      },
    ],
  })
  await build.write({
    ...written(folder),
    chunkFileNames: pieceOf,
    // The sources weigh as much as half of the package: the code here is theirs but for its types.
    sourcemapExcludeSources: true,
    codeSplitting: {
      groups: [
        ...builtIn.map((name) => ({ name, test: (id: string) => isIn(name, id), priority: 1 })),
        // With all that it imports. Otherwise each further door cuts it into more pieces, and every service reads them all.
        { name: 'core', test: (id) => id === join(root, 'src/index.ts') },
        // What opens a database, whichever it is, and the accounts in it.
        { name: 'databases', test: (id) => id === join(root, 'src/preset/open-database.ts') },
      ],
    },
    // Messages and configuration keys name classes.
    keepNames: true,
  })
  await build.close()
  for (const map of globSync('**/*.js.map', { cwd: folder })) keepLines(join(folder, map))
}

function written(folder: string): OutputOptions {
  return {
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    // Doc comments stand in the declarations.
    comments: { jsdoc: false },
    sourcemap: true,
    sourcemapPathTransform: (source, map) =>
      relative(dirname(map), join(folder, relative(root, resolve(dirname(map), source)))),
  }
}

function inputOf(files: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(files.map((file) => [nameOf(file), file]))
}

/** A package that is built in, as bundlers write it for browsers: its own sources are for reading. Names of classes stay. */
function small(code: string, name: string): { code: string; map: { mappings: '' } } {
  return { code: minifySync(`${name}.js`, code, { module: true }).code, map: { mappings: '' } }
}

/** A package that is built in, without the comments that its own declarations have, and without a map to its files. */
function plain(code: string, id: string): { code: string; map: { mappings: '' } } | null {
  if (!builtIn.some((name) => isIn(name, id))) return null
  return {
    code: minifySync(id, code, { compress: false, mangle: false }).code,
    map: { mappings: '' },
  }
}

/**
 * An `import` of a module of Node reads all of its members, and some of them load others, for a twentieth of the time of
 * a start. Each stays on its line.
 */
function withoutReading(code: string): string {
  return code.replaceAll(
    /^import \{([^}]*)\} from "(node:[^"]+)";$/gm,
    (_, names: string, module: string) =>
      `const {${names.replaceAll(' as ', ': ')}} = process.getBuiltinModule("${module}");`,
  )
}

/** Which lines each line comes from is what traces need, and a fifth of a map that knows each word. */
function keepLines(path: string): void {
  const map = JSON.parse(readFileSync(path, 'utf8')) as { mappings: string }
  const lines = decode(map.mappings).map((segments) =>
    segments.filter(
      ([, source, line], at) =>
        at === 0 || source !== segments[at - 1]![1] || line !== segments[at - 1]![2],
    ),
  )
  writeFileSync(path, JSON.stringify({ ...map, names: [], mappings: encode(lines.map(begun)) }))
}

/** Where their lines begin: columns of the sources take as much room as all the rest. */
function begun(segments: readonly SourceMapSegment[]): SourceMapSegment[] {
  return segments.map(([at, source, line]) => [at, source!, line!, 0])
}

/**
 * Beside the doors, where the worker is, and called the same in every build, so that traces of one error look alike:
 * `src/storage/sql/migrations/run-migrations.ts` → `storage-sql-migrations-run-migrations.js`.
 */
function pieceOf({ name, facadeModuleId }: PreRenderedChunk): string {
  const path = facadeModuleId?.startsWith(join(root, 'src/'))
    ? relative(join(root, 'src'), facadeModuleId).replace(/\.ts$/, '').split('/')
    : [name]
  return `${[...new Set(path)].join('-')}.js`
}

/** Is it in another package than this one and those that are built in? */
function isForeign(specifier: string): boolean {
  return isPackage(specifier) && !builtIn.some((name) => isOf(name, specifier))
}

function isPackage(specifier: string): boolean {
  return /^(node:|@?[a-z0-9])/.test(specifier)
}

function isOf(name: string, specifier: string): boolean {
  return specifier === name || specifier.startsWith(`${name}/`)
}

function isIn(name: string, file: string): boolean {
  return file.replaceAll('\\', '/').includes(`/node_modules/${name}/`)
}

function nameOf(file: string): string {
  return file.replace('./src/', '').replace(/\.ts$/, '')
}
