// Notes the functions of the instrumented sources that a file of tests runs: loaded before each of them.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'

const ran = new Set<string>()
Object.assign(globalThis, { functionsThatRan: ran })

// Sources are loaded once for many files of tests, so functions that run then would be noted for the first file alone.
let loaded: readonly string[] = []
let started = process.threadCpuUsage()
beforeAll(() => {
  started = process.threadCpuUsage()
  loaded = [...ran]
})

afterAll(() => {
  const file = expect.getState().testPath ?? ''
  const name = `${file.replaceAll(/\W/g, '_')}.json`
  // This is the time of the thread, which other work on the machine does not lengthen.
  const { user, system } = process.threadCpuUsage(started)
  const notes = { file, milliseconds: (user + system) / 1000, loaded, ran: [...ran] }
  writeFileSync(join(process.env['MUTANTS_NOTES'] ?? '', name), JSON.stringify(notes))
})
