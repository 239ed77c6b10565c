import { expect, test } from 'vitest'
import { readSources } from './wings.ts'
import { complaintsAbout } from './measures.ts'

test('the house keeps its measures', () => {
  expect(complaintsAbout(readSources())).toEqual([])
})

const many = (count: number, text: string): string => text.repeat(count)

test.each([
  ['a long file', { 'src/a/a.ts': many(301, 'a\n') }, 'src/a/a.ts has 301 lines, more than 300'],
  [
    'a long story',
    { 'src/policies/pagination/cursor.ts': many(701, 'a\n') },
    'src/policies/pagination/cursor.ts has 701 lines, more than 700',
  ],
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
    '80 files have one importer, more than 24 of 160',
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
    'a name with two meanings',
    {
      'src/a/a.ts': 'export const placeOf = 1\n',
      'src/b/b.ts': 'export async function placeOf() {}\n',
      'src/storage/mysql/a.ts': 'export class Pool {}\n',
      'src/storage/sqlite/a.ts': 'export class Pool {}\n',
    },
    'placeOf is exported by src/a/a.ts and src/b/b.ts: give one of them another name',
  ],
  [
    'a mannered word',
    { 'src/a.ts': '// Nobody knows.\n' },
    'src/a.ts:1 "Nobody" is not a plain subject',
  ],
  [
    'a database by name',
    {
      'src/accounts/a.ts': `if (name === 'sqlite') return\n`,
      'src/accounts/b.ts': `read() // SQLite reads at once.\n`,
      'src/core/settings/service-keys.ts': `const address = 'sqlite:colophon.sqlite'\n`,
      'src/preset/open-database.ts': `const openers = [sqliteOpener]\n`,
      'src/sqlite.ts': `export { openSqlite }\n`,
    },
    `src/accounts/a.ts:1 "sqlite" names a database outside of storage/`,
  ],
  [
    'an address of a database where none is chosen',
    { 'src/core/settings/endpoint-settings.ts': `const address = 'sqlite:colophon.sqlite'\n` },
    `src/core/settings/endpoint-settings.ts:1 "sqlite" names a database outside of storage/`,
  ],
])('finds %s', (_, sources, complaint) => {
  expect(complaintsAbout(sources)).toEqual([complaint])
})
