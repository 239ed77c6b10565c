// The small examples: their own tests pass, and they stay small.
import { execFile } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { PACKAGE, bareEnvironment } from '../tools/cli/colophon.ts'
import { ownPeers } from '../house/tarball.ts'

const execute = promisify(execFile)

describe.each([
  { name: 'issue-tracker', tests: 4, most: 250 },
  { name: 'beside-express', tests: 3, most: 250 },
  { name: 'clinic', tests: 6, most: 350 },
])('examples/$name', ({ name, tests, most }) => {
  const example = resolve('examples', name)
  const files = globSync('*.{ts,json}', { cwd: example })

  test('passes its own tests and the compiler', async () => {
    // Beside the original, where the compiler finds its settings and nothing of an earlier run lies.
    const folder = mkdtempSync(resolve('examples', `.${name}-test-`))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    for (const file of files) cpSync(join(example, file), join(folder, file))
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(PACKAGE, join(folder, 'node_modules/colophon'))
    if (files.includes('package.json')) await ownPeers(join(folder, 'node_modules'))
    else writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const { stdout } = await execute(process.execPath, ['--test'], {
      cwd: folder,
      env: bareEnvironment(),
    })
    expect(stdout).toMatch(new RegExp(`^ℹ pass ${tests}$`, 'm'))
    const tsc = resolve('node_modules/typescript/bin/tsc')
    // One checker: each of several would read the package anew.
    const options = ['--checkers', '1', '--pretty', 'false']
    await execute(process.execPath, [tsc, '-p', folder, ...options])
  })

  test(`has at most ${most} lines, tests included`, () => {
    const lines = files
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => readFileSync(join(example, file), 'utf8').trimEnd().split('\n'))
    expect(lines.length).toBeLessThanOrEqual(most)
  })
})

test('the example asks for the Express that the recipes are tried with', () => {
  const read = (file: string) =>
    JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, string>>
  const { dependencies } = read('test/house/peers/package.json')
  const { devDependencies } = read('examples/beside-express/package.json')
  expect(devDependencies).toMatchObject({
    express: dependencies!['express'],
    '@types/express': dependencies!['@types/express'],
  })
})
