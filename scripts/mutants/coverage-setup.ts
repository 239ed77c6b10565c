// Notes which functions of the instrumented sources a file of tests runs: loaded before each of them.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect } from 'vitest'

const ran = new Set<string>()
const started = performance.now()
Object.assign(globalThis, { functionsThatRan: ran })

afterAll(() => {
  const file = expect.getState().testPath ?? ''
  const name = `${file.replaceAll(/\W/g, '_')}.json`
  const notes = { file, milliseconds: performance.now() - started, ran: [...ran] }
  writeFileSync(join(process.env['MUTANTS_NOTES'] ?? '', name), JSON.stringify(notes))
})
