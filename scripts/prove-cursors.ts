// The long proof of cursors: `node scripts/prove-cursors.ts [cases] [name of a test]`. It plays so many random cases on each
// database, 10,000 by default, all small tables on all databases, and a hundred times as many forged cursors.
import { run } from './run.ts'

const [cases = '10000', name] = process.argv.slice(2)
if (!/^[1-9]\d*$/.test(cases)) throw new Error(`"${cases}" is no number of cases.`)

process.env['CURSOR_CASES'] = cases
const { ok, seconds } = await run(
  `vitest run test/proofs test/policies/pagination/cursor-fuzz.test.ts${name === undefined ? '' : ` -t ${JSON.stringify(name)}`}`,
)
console.log(`${ok ? 'Proved' : 'Refuted'} in ${seconds} s.`)
process.exitCode = ok ? 0 : 1
