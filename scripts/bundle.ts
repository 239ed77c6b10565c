// The JavaScript of the package: a file for each entry point, and pieces that they share. Finding and reading a module costs
// half a millisecond of processor time, whatever its size, and there are 600 modules.
import { copyFileSync, cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { type SourceMapSegment, decode, encode } from '@jridgewell/sourcemap-codec'
import { type OutputOptions, type PreRenderedChunk, rolldown } from 'rolldown'
import { minifySync } from 'rolldown/utils'
import { root } from './run.ts'

/** Packages that are built in; others are loaded from their own folders. Kysely's types are too, because it is a peer. */
export const builtIn: readonly string[] = ['kysely']

/** A thread of its own runs this file, and loads it by name from beside the file that starts it. */
const worker = { 'bcrypt-worker': 'src/accounts/passwords/bcrypt-worker.ts' }

/** This entry point runs wherever `fetch` exists, so it shares nothing with those that need Node. */
const forBrowsers = './src/client.ts'

/** Makes the files of the package from those that its manifest names: `./src/tools/cli/main.ts` → `tools/cli/main.js`. */
export async function bundle(folder: string, files: readonly string[]): Promise<void> {
  const inNode = files.filter((file) => file !== forBrowsers)
  await bundleForNode(folder, { ...inputOf(inNode), ...worker })
  const client = await rolldown({ cwd: root, input: inputOf([forBrowsers]), platform: 'browser' })
  // A map is left out: browsers would look for its sources, which are this code with types.
  await client.write({ ...written(folder), sourcemap: false })
  await client.close()
  // The first page reads the templates from beside the code.
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
    // The sources weigh half as much as the package, and differ from its code only by their types.
    sourcemapExcludeSources: true,
    codeSplitting: {
      groups: [
        ...builtIn.map((name) => ({ name, test: (id: string) => isIn(name, id), priority: 1 })),
        // This piece has all of its imports. Otherwise each further entry point cuts it into more pieces, which every service
        // reads.
        { name: 'core', test: (id) => id === join(root, 'src/index.ts') },
        // The part that opens any database, with the accounts in it.
        { name: 'databases', test: (id) => id === join(root, 'src/preset/open-database.ts') },
      ],
    },
    // Messages and configuration keys contain names of classes.
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
    // The declarations have the doc comments.
    comments: { jsdoc: false },
    sourcemap: true,
    sourcemapPathTransform: (source, map) =>
      relative(dirname(map), join(folder, relative(root, resolve(dirname(map), source)))),
  }
}

function inputOf(files: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(files.map((file) => [nameOf(file), file]))
}

/** Minifies a built-in package, whose own sources are for reading; the names of classes stay. */
function small(code: string, name: string): { code: string; map: { mappings: '' } } {
  return { code: minifySync(`${name}.js`, code, { module: true }).code, map: { mappings: '' } }
}

/** Removes comments and source maps from a built-in package, whose declarations have the comments. */
function plain(code: string, id: string): { code: string; map: { mappings: '' } } | null {
  if (!builtIn.some((name) => isIn(name, id))) return null
  return {
    code: minifySync(id, code, { compress: false, mangle: false }).code,
    map: { mappings: '' },
  }
}

/**
 * An `import` of a Node module reads all of its members, some of which load others, for a twentieth of the time of a start. The
 * replacement stays on the same line.
 */
function withoutReading(code: string): string {
  return code.replaceAll(
    /^import \{([^}]*)\} from "(node:[^"]+)";$/gm,
    (_, names: string, module: string) =>
      `const {${names.replaceAll(' as ', ': ')}} = process.getBuiltinModule("${module}");`,
  )
}

/** Keeps only the lines in a source map: traces need no more, and a map with every word is five times as large. */
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

/** Drops the columns of the sources, which take as much room as all the rest. */
function begun(segments: readonly SourceMapSegment[]): SourceMapSegment[] {
  return segments.map(([at, source, line]) => [at, source!, line!, 0])
}

/**
 * Names a piece. Pieces are beside the entry points, as the worker is, and keep their names in every build, so that traces of
 * an error look alike: `src/storage/sql/migrations/run-migrations.ts` → `storage-sql-migrations-run-migrations.js`.
 */
function pieceOf({ name, facadeModuleId }: PreRenderedChunk): string {
  const path = facadeModuleId?.startsWith(join(root, 'src/'))
    ? relative(join(root, 'src'), facadeModuleId).replace(/\.ts$/, '').split('/')
    : [name]
  return `${[...new Set(path)].join('-')}.js`
}

/** Does a specifier name a package that is neither this one nor built in? */
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
