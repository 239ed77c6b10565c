import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { exportsOf } from './exports.ts'

const read = (file: string): string => readFileSync(file, 'utf8')

test('every name that somebody can import has a doc comment', () => {
  const files = Object.values(manifest.exports).filter((file) => existsSync(file))
  const exported = files.flatMap((file) => exportsOf(file, read))
  expect(exported.length).toBeGreaterThan(200)
  const silent = exported.filter(({ documented }) => !documented)
  expect(silent.map(({ name, file }) => `${file} says nothing above ${name}`)).toEqual([])
})

describe('the reader of exports', () => {
  const planted: Record<string, string> = {
    'src/index.ts': `export { open, type Door as Gate } from './core/serving/door.ts'\nexport * from './core/std/time.ts'\n`,
    'src/core/serving/door.ts': `/** Opens. */\nexport function open(): void {}\n\ninterface Door {}\nexport type { Door }\n`,
    'src/core/std/time.ts': `/** Now. */\n// oxlint-disable-next-line no-explicit-any -- why\nexport type Now = any\n\n/** */\nexport const soon = 1\n\n/** Gone. */\n\nexport class Later {}\n`,
  }
  const readPlanted = (file: string): string => planted[file] ?? ''

  test('follows re-exports to the declaration, and sees what has no comment', () => {
    expect(exportsOf('src/index.ts', readPlanted)).toEqual([
      { name: 'open', file: 'src/core/serving/door.ts', documented: true },
      { name: 'Gate', file: 'src/core/serving/door.ts', documented: false },
      { name: 'Now', file: 'src/core/std/time.ts', documented: true },
      { name: 'soon', file: 'src/core/std/time.ts', documented: false },
      { name: 'Later', file: 'src/core/std/time.ts', documented: false },
    ])
  })

  test('complains about a name that is not there', () => {
    planted['src/index.ts'] = `export { shut } from './core/serving/door.ts'`
    expect(() => exportsOf('src/index.ts', readPlanted)).toThrow(
      'src/core/serving/door.ts does not export shut.',
    )
  })
})
