// The JavaScript of the package: a file for each of its doors, and pieces that they share. Finding and
// reading a module costs half a millisecond of CPU time, whatever is in it, and there are 600 of them.
import { copyFileSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { root } from './run.ts'

/**
 * Packages that are built in; others are loaded from where they are installed. Of Kysely the published
 * package has the types, and they have to be those of this version.
 */
export const builtIn: readonly string[] = ['kysely']

/** Runs on a thread of its own, which loads it by name from beside the file that starts it. */
const worker = { 'bcrypt-worker': 'src/accounts/passwords/bcrypt-worker.ts' }

/** Makes the files of the package from those that its manifest names: `./src/cli/main.ts` → `cli/main.js`. */
export async function bundle(folder: string, files: readonly string[]): Promise<void> {
  const build = await rolldown({
    cwd: root,
    input: { ...Object.fromEntries(files.map((file) => [nameOf(file), file])), ...worker },
    external: isForeign,
    platform: 'node',
  })
  await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    // Beside the doors, where the worker is.
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: {
      groups: [
        ...builtIn.map((name) => ({ name, test: (id: string) => isIn(name, id), priority: 1 })),
        // With all that it imports. Otherwise each further door cuts it into more pieces, and every service reads them all.
        { name: 'core', test: (id) => id === join(root, 'src/index.ts') },
      ],
    },
    // Messages and configuration keys name classes.
    keepNames: true,
  })
  await build.close()
  // Read when the first page is asked for, from beside the code.
  cpSync(join(root, 'src/pages/templates'), join(folder, 'templates'), { recursive: true })
  cpSync(join(root, 'src/openapi/console'), join(folder, 'console'), { recursive: true })
  for (const name of builtIn) {
    copyFileSync(join(root, 'node_modules', name, 'LICENSE'), join(folder, `LICENSE.${name}`))
  }
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
