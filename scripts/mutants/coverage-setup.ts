// Notes which functions of the instrumented sources a file of tests runs: loaded before each of them.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'

const ran = new Set<string>()
Object.assign(globalThis, { functionsThatRan: ran })

// Sources are loaded once for many files of tests: what runs then would be noted for the first of them alone.
let loaded: readonly string[] = []
let started = 0
beforeAll(() => {
  started = performance.now()
  loaded = [...ran]
})

afterAll(() => {
  const file = expect.getState().testPath ?? ''
  const name = `${file.replaceAll(/\W/g, '_')}.json`
  const notes = { file, milliseconds: performance.now() - started, loaded, ran: [...ran] }
  writeFileSync(join(process.env['MUTANTS_NOTES'] ?? '', name), JSON.stringify(notes))
})
