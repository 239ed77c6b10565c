import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { exportsOf } from './exports.ts'

const read = (file: string): string => readFileSync(file, 'utf8')

for (const [entry, file] of Object.entries(manifest.exports)) {
  if (!existsSync(file)) continue
  describe(`every export of ${entry.replace('.', 'colophon')} has a doc comment`, () => {
    for (const { name, file: home, documented } of exportsOf(file, read)) {
      test(name, () => {
        expect(documented, `${home} says nothing above ${name}`).toBe(true)
      })
    }
  })
}

describe('the reader of exports', () => {
  const planted: Record<string, string> = {
    'src/index.ts': `export { open, type Door as Gate } from './doors/door.ts'\nexport * from './std/time.ts'\n`,
    'src/doors/door.ts': `/** Opens. */\nexport function open(): void {}\n\ninterface Door {}\nexport type { Door }\n`,
    'src/std/time.ts': `/** Now. */\n// oxlint-disable-next-line no-explicit-any -- why\nexport type Now = any\n\n/** */\nexport const soon = 1\n\n/** Gone. */\n\nexport class Later {}\n`,
  }
  const readPlanted = (file: string): string => planted[file] ?? ''

  test('follows re-exports to the declaration, and sees what has no comment', () => {
    expect(exportsOf('src/index.ts', readPlanted)).toEqual([
      { name: 'open', file: 'src/doors/door.ts', documented: true },
      { name: 'Gate', file: 'src/doors/door.ts', documented: false },
      { name: 'Now', file: 'src/std/time.ts', documented: true },
      { name: 'soon', file: 'src/std/time.ts', documented: false },
      { name: 'Later', file: 'src/std/time.ts', documented: false },
    ])
  })

  test('complains about a name that is not there', () => {
    planted['src/index.ts'] = `export { shut } from './doors/door.ts'`
    expect(() => exportsOf('src/index.ts', readPlanted)).toThrow(
      'src/doors/door.ts does not export shut.',
    )
  })
})
