// Each shell that is installed runs the script that it is given, and says what it would offer.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAIN, SERVICE, colophon } from './colophon.ts'

const folder = mkdtempSync(join(tmpdir(), 'colophon-completion-'))
// The program, as a shell finds it in a project.
const program = `#!/bin/sh\ncd ${SERVICE} && exec ${process.execPath} ${MAIN} "$@"\n`
writeFileSync(join(folder, 'colophon'), program, { mode: 0o755 })
afterAll(() => rmSync(folder, { recursive: true }))

/** How a shell is asked about the words of `$@`: the last is being typed. */
const ASK: Readonly<Record<string, string>> = {
  bash: `source ./script; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=\${#COMP_LINE}
    COMP_LINE="\${COMP_LINE// : /:}"; _colophon; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: `compdef() {}; _files() {}; compadd() { shift; print -l -- \${(M)@:#$words[CURRENT]*}; }
    source ./script; words=("$@"); CURRENT=$#; _colophon`,
  fish: `source ./script; complete -C "$argv" | string replace -r '\\t.*' ''; true`,
}
const isThere = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0

function offered(shell: string, ...typed: readonly string[]): readonly string[] {
  const words = ['colophon', ...typed]
  const args = shell === 'fish' ? [words.join(' ')] : [shell, ...words]
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` }
  const output = execFileSync(shell, ['-c', ASK[shell]!, ...args], { cwd: folder, env })
  return String(output).trim().split('\n')
}

describe.each(Object.keys(ASK).filter(isThere))('in %s', (shell) => {
  beforeAll(async () => {
    const { status, output } = await colophon(['completion', shell])
    expect(status).toBe(0)
    writeFileSync(join(folder, 'script'), output)
  })

  test('commands, those below them, options and values', () => {
    expect(offered(shell, '')).toEqual(expect.arrayContaining(['init', 'serve', 'completion']))
    expect(offered(shell, 'ser')).toEqual(['serve'])
    expect([...offered(shell, 'token', 'r')].toSorted()).toEqual(['revoke', 'rotate'])
    expect(offered(shell, 'token', 'sh')).toEqual(['show'])
    expect(offered(shell, 'user', 'cre')).toEqual(['create'])
    expect(offered(shell, 'token', 'create', '--e')).toEqual(['--expires'])
    expect(offered(shell, 'inspect', '--naming', 'c')).toEqual(['camel'])
    expect(offered(shell, 'serve', '--wat')).toEqual(['--watch'])
  })

  test('endpoints are named by the application', () => {
    expect(offered(shell, 'explain', 'm')).toEqual(['me'])
    expect(offered(shell, 'explain', '--js')).toEqual(['--json'])
  })

  test('what an option takes is no command', () => {
    expect(offered(shell, '--app', 'app.ts', 'migr')).toEqual(['migrate'])
  })
})

test('bash is among them, and a value that names a command is none', async () => {
  expect(isThere('bash')).toBe(true)
  writeFileSync(join(folder, 'script'), (await colophon(['completion', 'bash'])).output)
  expect(offered('bash', '--app', 'token', 'user', 'l')).toEqual(['list'])
  expect(offered('bash', 'serve', '--port', '')).toEqual([''])
})

test('in bash a name goes on behind its colon, where a word begins', async () => {
  writeFileSync(join(folder, 'script'), (await colophon(['completion', 'bash'])).output)
  const names = `#!/bin/sh\nfor word; do :; done\nprintf 'v1:cities\\t/\\nv1:towns\\t/\\nv2:cities\\t/\\n' | grep "^$word"\n`
  writeFileSync(join(folder, 'colophon'), names, { mode: 0o755 })
  expect(offered('bash', 'explain', 'v1')).toEqual(['v1:cities', 'v1:towns'])
  expect(offered('bash', 'explain', 'v1', ':', 'ci')).toEqual(['cities'])
  expect(offered('bash', 'explain', 'v2', ':', '')).toEqual(['cities'])
  writeFileSync(join(folder, 'colophon'), program, { mode: 0o755 })
})

test('another shell is refused', async () => {
  const { status, output, complaint } = await colophon(['completion', 'tcsh'])
  expect({ status, output }).toEqual({ status: 2, output: '' })
  expect(complaint).toContain('bash, zsh, fish')
})
