// `npm run bench -- NAME [its options]`: runs bench/NAME/main.ts. Without a name: says which there are.
import { globSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { root, run } from './run.ts'

const known = globSync('bench/*/main.ts', { cwd: root }).map((file) => basename(dirname(file)))
const [name = '', ...options] = process.argv.slice(2)

if (known.includes(name)) {
  const { ok } = await run(['node', `bench/${name}/main.ts`, ...options].join(' '))
  process.exitCode = ok ? 0 : 1
} else {
  console.error(`There is no bench "${name}". There are: ${known.toSorted().join(', ')}`)
  process.exitCode = 1
}
