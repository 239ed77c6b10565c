import { describe, expect, test } from 'vitest'
import { readSources, violations } from './wings.ts'

test('§2 every import goes down the wings', () => {
  expect(violations(readSources())).toEqual([])
})

describe('what the wings refuse', () => {
  for (const [title, file, text, complaint] of [
    [
      'an upper folder of core',
      'src/core/errors/planted.ts',
      `import { fold } from '../settings/fold.ts'`,
      '(core/errors) may not import core/settings',
    ],
    [
      'a sibling policy',
      'src/policies/versioning/planted.ts',
      `import { Links } from '../pagination/links.ts'`,
      '(policies/versioning) may not import policies/pagination',
    ],
    [
      'a policy in the pipeline',
      'src/core/pipeline/planted.ts',
      `import { Basic } from '../../policies/authentication/basic.ts'`,
      '(core/pipeline) may not import policies/authentication',
    ],
    [
      'a type of an upper folder',
      'src/core/std/planted.ts',
      `import type { Incoming } from '../ports/request.ts'`,
      '(core/std) may not import core/ports',
    ],
    [
      'a type taken inside another type',
      'src/core/std/planted.ts',
      `type Incoming = import('../ports/request.ts').Incoming`,
      '(core/std) may not import core/ports',
    ],
    [
      'an import over several lines',
      'src/core/urls/planted.ts',
      `import {\n  a,\n  type B,\n} from '../../storage/sql/a.ts'`,
      '(core/urls) may not import storage/sql',
    ],
    [
      'a re-export',
      'src/core/urls/planted.ts',
      `export * as api from '../app/group.ts'`,
      '(core/urls) may not import core/app',
    ],
    [
      'the second dynamic import of a line',
      'src/core/serving/planted.ts',
      `await Promise.all([import('./fetch.ts'), import('../app/serve.ts')])`,
      '(core/serving) may not import core/app',
    ],
    [
      'an import for its effects',
      'src/addons/openapi/planted.ts',
      `import '../../tools/testing/client.ts'`,
      '(addons/openapi) may not import tools/testing',
    ],
    [
      'a name in an add-on that no entry publishes',
      'src/addons/openapi/planted.ts',
      `import { attempt } from '../../core/std/attempt.ts'`,
      'takes attempt of src/core/std/attempt.ts, which no entry publishes',
    ],
    [
      'a module that an add-on loads later',
      'src/addons/pages/planted.ts',
      `const { attempt } = await import('../../core/std/attempt.ts')`,
      'takes * of src/core/std/attempt.ts, which no entry publishes',
    ],
    [
      'a package of another wing',
      'src/accounts/planted.ts',
      `import { DatabaseSync } from 'node:sqlite'`,
      'may not use node:sqlite',
    ],
    [
      'a package that nobody argued for',
      'src/tools/cli/planted.ts',
      `import chalk from "chalk"`,
      'may not use chalk',
    ],
    [
      'a built-in module by the back door',
      'src/core/urls/planted.ts',
      `const fs = process.getBuiltinModule('node:fs')`,
      'may not use node:fs',
    ],
    [
      'the package by its own name',
      'src/tools/cli/planted.ts',
      `import { defineApi } from 'colophon'`,
      'may not use colophon',
    ],
    [
      'what lies outside src',
      'src/tools/testing/planted.ts',
      `import { root } from '../../../scripts/run.ts'`,
      'imports ../../../scripts/run.ts, which is in no wing',
    ],
    ['a file in no wing', 'src/helpers/planted.ts', '', 'is in no wing'],
    ['a folder of core that has no place', 'src/core/helpers/planted.ts', '', 'is in no wing'],
    [
      'a value in a port',
      'src/core/ports/planted.ts',
      `/** Doc. */\nexport const limit = 5`,
      'is a port and may hold types only: export const limit = 5',
    ],
    [
      'a value imported by a port',
      'src/core/ports/planted.ts',
      `import { type Query } from '../std/query.ts'`,
      `is a port and may hold types only: import { type Query } from '../std/query.ts'`,
    ],
    [
      'a declaration in a entry',
      'src/index.ts',
      `export { a } from './core/app/a.ts'\nexport const b = 1`,
      'does more than re-export: export const b = 1',
    ],
    [
      'a package behind a entry',
      'src/index.ts',
      `export { sql } from 'kysely'`,
      're-exports kysely, which is in no wing',
    ],
    [
      'the inside of src in an example',
      'examples/planted/app.ts',
      `import { fold } from '../../src/core/settings/fold.ts'`,
      'imports ../../src/core/settings/fold.ts, which is not a published name',
    ],
  ] as const) {
    test(title, () => {
      expect(violations({ [file]: text })).toEqual([`${file} ${complaint}`])
    })
  }
})

describe('what the wings allow', () => {
  for (const [title, file, text] of [
    ['the own folder', 'src/core/std/planted.ts', `import { Query } from './query.ts'`],
    [
      'a lower folder',
      'src/core/app/planted.ts',
      `import { createKernel } from '../pipeline/kernel.ts'`,
    ],
    [
      'files, promised or not',
      'src/tools/cli/planted.ts',
      `import { open } from 'node:fs/promises'`,
    ],
    ['types in a port', 'src/core/ports/planted.ts', `export interface A {\n  b: string\n}`],
    [
      're-exports in a entry',
      'src/index.ts',
      `// the door\nexport type { A } from './core/app/a.ts'\nexport {\n  b,\n  type C,\n} from './core/app/b.ts'\n`,
    ],
    [
      'an example in a comment',
      'src/core/std/planted.ts',
      `/**\n * import { a } from 'colophon'\n */`,
    ],
    ['published names in a bench', 'bench/planted/main.ts', `import { list } from 'colophon'`],
  ] as const) {
    test(title, () => {
      expect(violations({ [file]: text })).toEqual([])
    })
  }
})
