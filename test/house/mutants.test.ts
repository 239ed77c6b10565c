// Tests of `npm run mutants`: it detects a wrong change, and not one without an effect.
import { existsSync, globSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CURSOR_FAULTS } from '../../scripts/cursor-faults.ts'
import { type Mutant, mutantsOf, mutated } from '../../scripts/mutants/mutate.ts'
import { ROOMS, roomOf, testsFor, testsOf } from '../../scripts/mutants/coverage.ts'
import { Sandbox, instrumented, original } from '../../scripts/mutants/sandbox.ts'
import known from '../../scripts/mutants/known.json' with { type: 'json' }

const changesOf = (text: string): string[] =>
  mutantsOf('a.ts', text).mutants.map((mutant) => mutated(text, mutant))

describe('the faults', () => {
  test.each([
    ['a boundary', 'f(a < b)', [';', 'f(a <= b)', 'f(a >= b)']],
    ['logic', 'f(a && b)', [';', 'f(a || b)']],
    ['a condition', 'if (a) {}', ['if (true) {}', 'if (false) {}']],
    ['a negation', 'const x = !a', ['const x = (a)']],
    ['a branch', 'const x = a ? b : c', ['const x = (b)', 'const x = (c)']],
    ['a number', 'const x = 1', ['const x = 2']],
    ['a text', "const x = 'a'", ["const x = ''"]],
    ['a list', 'const x = [a]', ['const x = []']],
    ['optional chaining', 'const x = a?.b', ['const x = a.b']],
    ['arithmetic', 'const x = a + b', ['const x = a - b']],
    ['what is returned', 'const f = () => a', ['const f = () => undefined']],
    ['a method', 'const x = a.some(f)', ['const x = a.every(f)']],
    ['a call that is left out', 'const x = a.trim()', ['const x = a']],
    ['no type', "type A = 'a' | 1; const x = a as 'b'", []],
    ['no name of a module', "import { a } from 'a'", []],
  ])('%s', (_, text, changes) => {
    expect(changesOf(text)).toEqual(changes)
  })
})

test('which functions ran is noted without a change to what they do', () => {
  const text = 'function f(a) { return [a].map((b) => ({ b })) }; f(1)'
  const functionsThatRan = new Set<string>()
  Object.assign(globalThis, { functionsThatRan })
  const noting = instrumented('a.ts', text, mutantsOf('a.ts', text).functions)
  // oxlint-disable-next-line no-eval -- the text stands above
  expect((0, eval)(noting)).toEqual([{ b: 1 }])
  expect([...functionsThatRan]).toEqual(['a.ts#0', 'a.ts#1'])
})

test('tests of the room come first, and others while there is time', () => {
  const mutant = { file: 'src/core/urls/a.ts', start: 0, end: 0, to: '', operator: '', within: 1 }
  const note = (ran: string, milliseconds = 10) => ({ digest: '', milliseconds, ran: [ran] })
  const reach = {
    'test/behaviour/18-urls.test.ts': note('src/core/urls/a.ts#1'),
    'test/core/urls/match.test.ts': note('src/core/urls/a.ts#1'),
    'test/core/urls/reverse.test.ts': note('src/core/urls/a.ts#1', 1000),
    'test/core/urls/encoding.test.ts': note('src/core/urls/a.ts#2'),
  }
  expect(testsFor(reach, mutant, 500)).toEqual({
    files: ['test/core/urls/match.test.ts', 'test/behaviour/18-urls.test.ts'],
    milliseconds: 20,
  })
})

test('what runs when a source is loaded has all tests that reach the source, as only the first of them loads it', () => {
  const mutant = { file: 'src/core/urls/a.ts', start: 0, end: 0, to: '', operator: '', within: 1 }
  const note = { digest: '', milliseconds: 10 }
  const reach = {
    'test/core/urls/match.test.ts': { ...note, ran: ['src/core/urls/a.ts#2'] },
    'test/core/urls/encoding.test.ts': { ...note, ran: ['src/core/urls/b.ts#1'] },
    'test/core/urls/reverse.test.ts': {
      ...note,
      loaded: ['src/core/urls/a.ts#1'],
      ran: ['src/core/urls/a.ts#1', 'src/core/urls/a.ts#2'],
    },
  }
  const { files } = testsFor(reach, mutant, 500)
  expect(files).toEqual(['test/core/urls/reverse.test.ts', 'test/core/urls/match.test.ts'])
})

test('a fault is another text', () => {
  const { mutants } = mutantsOf('a.ts', 'function f() { return undefined }')
  expect(mutants).toEqual([])
})

test('what an arrow function gives is inside of it', () => {
  const { mutants } = mutantsOf('a.ts', 'function f() { return { g: () => a } }')
  expect(mutants.map(({ to, within }) => [to, within])).toEqual([
    ['undefined', 0],
    ['undefined', 1],
  ])
})

describe('the rooms', () => {
  test('have every file of the wings', () => {
    const files = globSync('src/*/**/*.ts').map((file) => file.replaceAll('\\', '/'))
    expect(files.filter((file) => roomOf(file) === '')).toEqual([])
    const used = new Set(files.map(roomOf))
    expect(Object.keys(ROOMS).filter((room) => !used.has(room))).toEqual([])
  })

  test.each(Object.entries(ROOMS))('%s has tests at each of its places', (_, places) => {
    expect(places.filter((place) => testsOf([place]).length === 0)).toEqual([])
  })
})

test('each fault that is known to live stands in the sources', () => {
  const gone = known.filter(
    ({ file, line, from }) =>
      !existsSync(file) || !original(file).includes(line) || !line.includes(from),
  )
  expect(gone).toEqual([])
})

test('each fault that the proofs of cursors have to find can be put into the sources', () => {
  const gone = CURSOR_FAULTS.filter(({ file, from }) => original(file).split(from).length !== 2)
  expect(gone.map(({ name }) => name)).toEqual([])
})

describe('a fault in a copy of the sources', () => {
  const file = 'src/core/urls/encoding.ts'
  const tests = ['test/core/urls/encoding.test.ts']
  let sandbox: Sandbox
  beforeAll(() => {
    // On a busy machine, a late test must not count as one that detected the fault.
    sandbox = new Sandbox({ MUTANTS_PATIENCE: '300000' })
  })
  afterAll(() => sandbox.close())

  const replaced = (from: string, to: string): Mutant => {
    const start = original(file).indexOf(from)
    expect(start).toBeGreaterThan(-1)
    return { file, start, end: start + from.length, to, operator: 'by hand', within: -1 }
  }

  test('is killed where it is one, and lives where nobody can tell; what never ends is stopped', async () => {
    const judge = async (mutant: Mutant, limit = 60_000) =>
      (await sandbox.judge(mutant, tests, limit)).verdict
    const wrong = replaced("segment === '.'", "segment !== '.'")
    expect(await judge(wrong)).toBe('killed')
    const same = replaced("segment === '.'", "'.' === segment")
    expect(await sandbox.judge(same, tests, 60_000)).toEqual({ verdict: 'survived', reason: null })
    expect(await judge(replaced('slash >= 0', 'true'), 1500)).toBe('timed out')
    expect(await judge(wrong)).toBe('killed')
  })
})
