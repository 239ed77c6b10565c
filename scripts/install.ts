import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundle } from './bundle.ts'
import { filesOf, readManifest, toPublished } from './manifest.ts'
import { root } from './run.ts'

/** Makes a folder as an installation has it: the built package with its dependencies, without types. */
export async function install(folder: string): Promise<void> {
  const manifest = readManifest()
  const packages = join(folder, 'node_modules')
  const home = join(packages, manifest.name)
  await bundle(home, filesOf(manifest))
  cpSync(join(root, 'projects'), join(home, 'projects'), { recursive: true })
  writeFileSync(join(home, 'package.json'), JSON.stringify(toPublished(manifest)))
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    link(join(root, 'node_modules', name), join(packages, name))
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}
