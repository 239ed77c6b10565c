// `npm run bench -- NAME [its options]`: runs bench/NAME.ts or bench/NAME/main.ts. Without a name, lists all benches.
import { globSync } from 'node:fs'
import { run, root } from './run.ts'

const files = globSync(['bench/*.ts', 'bench/*/main.ts'], { cwd: root })
const known = new Map(
  files.map((file) => [file.replace(/^bench\/(.+?)(?:\/main)?\.ts$/, '$1'), file]),
)
const [name = '', ...options] = process.argv.slice(2)
const file = known.get(name)

if (file !== undefined) {
  const { ok } = await run(['node', file, ...options].join(' '))
  process.exitCode = ok ? 0 : 1
} else {
  console.error(
    `There is no bench "${name}". There are: ${[...known.keys()].toSorted().join(', ')}`,
  )
  process.exitCode = 1
}
