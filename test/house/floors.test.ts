import { describe, expect, test } from 'vitest'
import { readSources, violations } from './floors.ts'

test('§2 every import of the house goes down the floors', () => {
  expect(violations(readSources())).toEqual([])
})

describe('what the floors refuse', () => {
  for (const [title, file, text, complaint] of [
    [
      'an upper floor',
      'src/errors/planted.ts',
      `import { fold } from '../settings/fold.ts'`,
      '(errors, floor 2) may not import settings (floor 2)',
    ],
    [
      'a sibling policy',
      'src/versioning/planted.ts',
      `import { Links } from '../pagination/links.ts'`,
      '(versioning, floor 3) may not import pagination (floor 3)',
    ],
    [
      'a policy in the pipeline',
      'src/pipeline/planted.ts',
      `import { Basic } from '../authentication/basic.ts'`,
      '(pipeline, floor 4) may not import authentication (floor 3)',
    ],
    [
      'a type of an upper floor',
      'src/std/planted.ts',
      `import type { Incoming } from '../contract/request.ts'`,
      '(std, floor 0) may not import contract (floor 1)',
    ],
    [
      'a type taken inside another type',
      'src/std/planted.ts',
      `type Incoming = import('../contract/request.ts').Incoming`,
      '(std, floor 0) may not import contract (floor 1)',
    ],
    [
      'an import over several lines',
      'src/links/planted.ts',
      `import {\n  a,\n  type B,\n} from '../sql/a.ts'`,
      '(links, floor 2) may not import sql (floor 3)',
    ],
    [
      'a re-export',
      'src/links/planted.ts',
      `export * as api from '../api/define-api.ts'`,
      '(links, floor 2) may not import api (floor 5)',
    ],
    [
      'the second dynamic import of a line',
      'src/doors/planted.ts',
      `await Promise.all([import('./fetch.ts'), import('../api/serve.ts')])`,
      '(doors, floor 4) may not import api (floor 5)',
    ],
    [
      'an import for its effects',
      'src/openapi/planted.ts',
      `import '../testing/client.ts'`,
      '(openapi, floor 6) may not import testing (floor 6)',
    ],
    [
      'a package of another room',
      'src/databases/planted.ts',
      `import { DatabaseSync } from 'node:sqlite'`,
      'may not use node:sqlite',
    ],
    [
      'a package that nobody argued for',
      'src/cli/planted.ts',
      `import chalk from "chalk"`,
      'may not use chalk',
    ],
    [
      'a built-in module by the back door',
      'src/links/planted.ts',
      `const fs = process.getBuiltinModule('node:fs')`,
      'may not use node:fs',
    ],
    [
      'the package by its own name',
      'src/cli/planted.ts',
      `import { defineApi } from 'colophon'`,
      'may not use colophon',
    ],
    [
      'what lies outside src',
      'src/testing/planted.ts',
      `import { root } from '../../scripts/run.ts'`,
      'imports ../../scripts/run.ts, which is in no room',
    ],
    ['a room without a floor', 'src/helpers/planted.ts', '', 'is in a room without a floor'],
    [
      'a value in a contract',
      'src/contract/planted.ts',
      `/** Doc. */\nexport const limit = 5`,
      'is a contract and may hold types only: export const limit = 5',
    ],
    [
      'a value imported by a contract',
      'src/contract/planted.ts',
      `import { type Query } from '../std/query.ts'`,
      `is a contract and may hold types only: import { type Query } from '../std/query.ts'`,
    ],
    [
      'a declaration in a front door',
      'src/index.ts',
      `export { a } from './api/a.ts'\nexport const b = 1`,
      'does more than re-export: export const b = 1',
    ],
    [
      'a package behind a front door',
      'src/index.ts',
      `export { sql } from 'kysely'`,
      're-exports kysely, which is in no room',
    ],
    [
      'the inside of the house in an example',
      'examples/planted/app.ts',
      `import { fold } from '../../src/settings/fold.ts'`,
      'imports ../../src/settings/fold.ts, which is not a published name',
    ],
  ] as const) {
    test(title, () => {
      expect(violations({ [file]: text })).toEqual([`${file} ${complaint}`])
    })
  }
})

describe('what the floors allow', () => {
  for (const [title, file, text] of [
    ['the own room', 'src/std/planted.ts', `import { Query } from './query.ts'`],
    ['a lower floor', 'src/api/planted.ts', `import { run } from '../pipeline/run.ts'`],
    ['files, promised or not', 'src/cli/planted.ts', `import { open } from 'node:fs/promises'`],
    ['types in a contract', 'src/contract/planted.ts', `export interface A {\n  b: string\n}`],
    [
      're-exports in a front door',
      'src/index.ts',
      `// the door\nexport type { A } from './api/a.ts'\nexport {\n  b,\n  type C,\n} from './api/b.ts'\n`,
    ],
    ['an example in a comment', 'src/std/planted.ts', `/**\n * import { a } from 'colophon'\n */`],
    ['published names in a bench', 'bench/planted/main.ts', `import { list } from 'colophon'`],
  ] as const) {
    test(title, () => {
      expect(violations({ [file]: text })).toEqual([])
    })
  }
})
