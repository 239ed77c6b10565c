import { expect, test } from 'vitest'
import { readSources } from './floors.ts'
import { complaintsAbout } from './measures.ts'

test('the house keeps its measures', () => {
  expect(complaintsAbout(readSources())).toEqual([])
})

const many = (count: number, text: string): string => text.repeat(count)

test.each([
  ['a long file', { 'src/a/a.ts': many(351, 'a\n') }, 'src/a/a.ts has 351 lines, more than 350'],
  [
    'a crowded folder',
    Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`src/a/${at}.ts`, ''])),
    'src/a has 17 files, more than 16',
  ],
  [
    'confetti',
    Object.fromEntries(
      Array.from({ length: 80 }, (_, at) => [
        [`src/a${at}/whole.ts`, `import { part } from './part.ts'\n`],
        [`src/a${at}/part.ts`, ''],
      ]).flat(),
    ),
    '80 files have one importer, more than 33 of 160',
  ],
  [
    'a ring of types',
    {
      'src/a/a.ts': `import type { B } from '../b/b.ts'\n`,
      'src/b/b.ts': `export type { C } from './c.ts'\n`,
      'src/b/c.ts': `type A = import('../a/a.ts').A\n`.replaceAll('"', "'"),
    },
    'src/a/a.ts → src/b/b.ts → src/b/c.ts import each other in a ring',
  ],
  [
    'a mannered word',
    { 'src/a.ts': '// Nobody knows.\n' },
    'src/a.ts:1 "Nobody" is not a plain subject',
  ],
  [
    'a database by name',
    { 'src/sql/a.ts': `if (name === 'sqlite') return\n`, 'src/sqlite.ts': `// 'sqlite'\n` },
    `src/sql/a.ts:1 "'sqlite'" names a database outside of databases/`,
  ],
])('finds %s', (_, sources, complaint) => {
  expect(complaintsAbout(sources)).toEqual([complaint])
})
