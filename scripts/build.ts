// `npm run build`: dist/, the package as it is published.
import { copyFileSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.ts'
import { emitDeclarations } from './inferred.ts'
import { filesOf, readManifest, toPublished } from './manifest.ts'
import { root } from './run.ts'

const dist = join(root, 'dist')
rmSync(dist, { recursive: true, force: true })
await emitDeclarations(dist)
const manifest = readManifest()
await bundle(dist, filesOf(manifest))
const published = toPublished(manifest)
for (const file of namesIn([published.exports, published.bin])) {
  if (!existsSync(join(dist, file))) throw new Error(`The build did not make ${file}.`)
}
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
for (const file of ['README.md', 'LICENSE']) copyFileSync(join(root, file), join(dist, file))
console.log('dist/ is ready: npm pack ./dist')

/** All texts in a value of objects, which are the names of files here. */
function namesIn(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : Object.values(value as object).flatMap(namesIn)
}
