// Writes docs/performance.md and its pictures from the figures in docs/performance.
// `npm run bench -- report [--measure [independent,second-shape,works,depth,connections]]`: `--measure` takes them again first.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from '../../scripts/run.ts'
import { folder } from '../runs/kept.ts'
import { filled, shown } from './page.ts'

const COMMANDS: Readonly<Record<string, string>> = {
  independent: 'node bench/independent.ts all all --keep',
  'second-shape': 'node bench/second-shape/main.ts all --keep',
  works: 'node bench/works/main.ts 5 --rows 100000 --seconds 1 --mixed 60000 --keep',
  // MariaDB needs some minutes more for its indexes: add it by hand if time allows.
  depth: 'node bench/depth/main.ts 10000000 5 --curve --keep',
  connections: 'node bench/connections/main.ts all all --keep',
}

const [measure, names = Object.keys(COMMANDS).join(',')] = process.argv.slice(2)
if (measure === '--measure') {
  for (const name of names.split(',')) {
    const { ok, seconds } = await run(COMMANDS[name]!)
    console.log(`${name}: ${seconds} s`)
    if (!ok) throw new Error(`${name} failed.`)
  }
}

const page = join(root, 'docs/performance.md')
const { texts, pictures } = shown()
writeFileSync(page, filled(readFileSync(page, 'utf8'), texts))
for (const [name, picture] of Object.entries(pictures))
  writeFileSync(join(folder, `${name}.svg`), picture)
await run('oxfmt docs/performance.md')
