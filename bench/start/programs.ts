import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { rolldown } from 'rolldown'

/** The compared programs in TypeScript: their names, and their paths. */
export const sources: Readonly<Record<string, string>> = Object.fromEntries(
  globSync(['me*.ts', 'list*.ts'], { cwd: import.meta.dirname }).map((file) => [
    basename(file, '.ts'),
    join(import.meta.dirname, file),
  ]),
)

/** Writes programs in JavaScript, without the packages that they load; gives their paths by the same names. */
export async function compilePrograms(
  folder: string,
  programs: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const build = await rolldown({
    input: programs,
    external: (specifier) => /^[a-z]/.test(specifier),
    platform: 'node',
  })
  await build.write({ dir: folder, format: 'esm' })
  await build.close()
  return Object.fromEntries(Object.keys(programs).map((name) => [name, join(folder, `${name}.js`)]))
}
