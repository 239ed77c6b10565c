import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { developmentSecretKey } from '../../../src/core/secrets/secret-key.ts'
import { ConfigurationError } from '../../../src/core/errors/configuration-error.ts'
import { temporaryDirectory, temporaryPath } from '../../contract/temporary.ts'

const PROGRAM = `
import { developmentSecretKey } from ${JSON.stringify(join(process.cwd(), 'src/core/secrets/secret-key.ts'))}
process.stdout.write(developmentSecretKey(process.argv[1]))`

async function fromAnotherProcess(path: string): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, path])
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part))
  await once(child, 'close')
  return text
}

describe('the secret of development', () => {
  test('is made once, long and random, in a file that only its owner can read', () => {
    const path = temporaryPath()
    const secret = developmentSecretKey(path)
    expect(secret).toMatch(/^[\w-]{50,}$/)
    expect(developmentSecretKey(path)).toBe(secret)
    expect(developmentSecretKey(temporaryPath())).not.toBe(secret)
    expect(readdirSync(dirname(path))).toEqual(['colophon.sqlite.key'])
    expect(statSync(`${path}.key`).mode & 0o777).toBe(0o600)
    expect(readFileSync(`${path}.key`, 'utf8').trim()).toBe(secret)
  })

  test('is one, however many processes come first at once', async () => {
    const path = temporaryPath()
    const secrets = await Promise.all(Array.from({ length: 5 }, () => fromAnotherProcess(path)))
    expect(new Set(secrets)).toEqual(new Set([developmentSecretKey(path)]))
    expect(readdirSync(dirname(path))).toEqual(['colophon.sqlite.key'])
  })

  test('is taken from the file that is there', () => {
    const path = temporaryPath()
    writeFileSync(`${path}.key`, '  my own secret\n')
    expect(developmentSecretKey(path)).toBe('my own secret')
  })

  test('is only read once it is there: its folder may not be one to write into', () => {
    const path = temporaryPath()
    developmentSecretKey(path)
    utimesSync(dirname(path), 1, 1)
    developmentSecretKey(path)
    expect(statSync(dirname(path)).mtimeMs).toBe(1000)
  })

  test('cannot be had, and the cause is in the error', () => {
    const causeFor = (path: string): unknown => {
      try {
        return developmentSecretKey(path)
      } catch (error) {
        return (error as Error).cause
      }
    }
    const [empty, leadsNowhere] = [temporaryPath(), temporaryPath()]
    writeFileSync(`${empty}.key`, '\n')
    symlinkSync('/nowhere/at/all', `${leadsNowhere}.key`)
    expect(causeFor(empty)).toMatchObject({ message: 'The file is empty.' })
    // The name is taken, as by a faster process.
    const place = { code: 'ENOENT', syscall: 'open' }
    expect(causeFor(leadsNowhere)).toMatchObject({ ...place, path: `${leadsNowhere}.key` })
    expect(readdirSync(dirname(leadsNowhere))).toEqual(['colophon.sqlite.key'])
    const draft = expect.stringMatching(/^\/nowhere\/app\.key\.[0-9a-f]{12}$/) as unknown
    expect(causeFor('/nowhere/app')).toMatchObject({ ...place, path: draft })
  })

  test('cannot be had where its file is empty, is no file, or has no place', () => {
    const [empty, folder] = [temporaryPath(), temporaryPath()]
    writeFileSync(`${empty}.key`, '\n')
    mkdirSync(`${folder}.key`)
    for (const path of [empty, folder, join(temporaryDirectory(), 'missing', 'colophon.sqlite')]) {
      expect(() => developmentSecretKey(path)).toThrow(ConfigurationError)
      expect(() => developmentSecretKey(path)).toThrow(`${path}.key`)
    }
  })
})
