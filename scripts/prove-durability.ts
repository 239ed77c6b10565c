// The long proof that no acknowledged write is lost: `node scripts/prove-durability.ts [kills]`. It kills a server on SQLite
// under 64 writers at random moments, 300 times by default.
import { run } from './run.ts'

const [kills = '300'] = process.argv.slice(2)
if (!/^[1-9]\d*$/.test(kills)) throw new Error(`"${kills}" is no number of kills.`)

process.env['KILLS'] = kills
const { ok, seconds } = await run('vitest run test/storage/write-kill.test.ts')
console.log(`${ok ? 'Proved' : 'Refuted'} in ${seconds} s.`)
process.exitCode = ok ? 0 : 1
