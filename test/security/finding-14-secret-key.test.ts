import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  ConfigurationError,
  type Logger,
  configurationOf,
  defineApi,
  readConfiguration,
} from '../../src/index.ts'
import { checkSecrets } from '../../src/core/secrets/secret-key.ts'
import { defineAccounts } from '../../src/accounts.ts'
import { notebook } from '../behaviour/fixtures.ts'
import { colophon } from '../tools/cli/colophon.ts'
import { migratedSqlite, temporaryDirectory } from '../contract/temporary.ts'

const GOOD = 'tN4vQ0xJ8wYcR2mZ6kLpD1sHfB7uGaE3'
const PRODUCTION = { NODE_ENV: 'production' }

/** What starting with these variables of the environment tells the log. */
function start(
  env: Readonly<Record<string, string>>,
): readonly Readonly<Record<string, unknown>>[] {
  const { records, error } = notebook()
  const api = defineApi({ urls: { here: '/here/' }, logger: { error, info: error } })
  const configuration = readConfiguration({ env, cwd: temporaryDirectory() })
  api.serve([api.endpoint('here').get(() => 1)], { configuration })
  return records.filter(({ event }) => event === 'secret.weak')
}

const WEAK: readonly (readonly [secret: string, problem: string])[] = [
  ['x', 'has 1 of the 32 bytes that it needs'],
  ['a long random text', 'has 18 of the 32 bytes that it needs'],
  [GOOD.slice(1), 'has 31 of the 32 bytes that it needs'],
  ['a'.repeat(64), 'has fewer than 7 different characters'],
  ['abcdef'.repeat(10), 'has fewer than 7 different characters'],
  ['s3cr3tK!'.repeat(4), 'is one text again and again'],
  [`${'s3cr3tK!'.repeat(5)}s3c`, 'is one text again and again'],
  ['abcdefghijklmnopqrstuvwxyz0123456789', 'mostly repeats characters, or counts'],
  ['zyxwvutsrqponmlkjihgfedcba9876543210', 'mostly repeats characters, or counts'],
  [`k7Qz${'0'.repeat(40)}pW9x`, 'mostly repeats characters, or counts'],
  ['changeme-in-production-8c1d5fe0b72a', 'holds the words of a placeholder'],
  ['django-insecure-8c1d5fe0b72a94kq03x', 'holds the words of a placeholder'],
  ['Your_Secret: 8c1d5fe0b72a94kq03xzpw', 'holds the words of a placeholder'],
  ['secret-key-8c1d5fe0b72a94kq03xzpw2m', 'holds the words of a placeholder'],
  ['my_secret_key_8c1d5fe0b72a94kq03xzp', 'holds the words of a placeholder'],
  ['SuperSecretKey8c1d5fe0b72a94kq03xzp', 'holds the words of a placeholder'],
]

describe('a SECRET_KEY that could be guessed', () => {
  test.each(WEAK)('%s does not start in production', (secret, problem) => {
    const serve = (): unknown => start({ ...PRODUCTION, SECRET_KEY: secret })
    expect(serve).toThrow(ConfigurationError)
    expect(serve).toThrow(`SECRET_KEY ${problem}. Make one with \`npx colophon secret\`.`)
  })

  test.each(WEAK)('%s is told to the log elsewhere', (secret, problem) => {
    expect(start({ SECRET_KEY: secret })).toEqual([
      {
        event: 'secret.weak',
        key: 'SECRET_KEY',
        message: `SECRET_KEY ${problem}. Make one with \`npx colophon secret\`.`,
      },
    ])
  })

  test('is none that repeats sixteen characters, nor that of the independent bench, which runs in production', () => {
    const twice = GOOD.slice(0, 16).repeat(2)
    expect(start({ ...PRODUCTION, SECRET_KEY: twice })).toEqual([])
    const repeated = GOOD.slice(0, 15).repeat(3)
    for (const SECRET_KEY of [repeated, repeated.slice(0, 32)])
      expect(() => start({ ...PRODUCTION, SECRET_KEY })).toThrow('again and again')
    const server = readFileSync('bench/independent/peers/colophon/server.mjs', 'utf8')
    const [, ofBench = ''] = /SECRET_KEY: '(.+?)'/.exec(server)!
    expect(start({ ...PRODUCTION, SECRET_KEY: ofBench })).toEqual([])
  })

  test.each([
    ['half of whose characters follow the one before', 'aaKKccMMeeOOggQQiiSSkkUUmmWWooYY'],
    ['whose neighbours are two apart', 'acegikmoqsuwyACEGIKMOQSUWY02468ab'],
    ['of seven different characters', 'aGcMeQ8aeGQc8MaGGe8cQMaQcG8eMaMQ'],
    ['that ends as it begins', '猫犬鳥魚馬羊豚鶏蛇虎猫'],
    ['that has its beginning in it again', `${GOOD.slice(0, 8)}.${GOOD.slice(0, 17)}-${GOOD}`],
  ])('is none %s', (_, secret) => {
    expect(start({ ...PRODUCTION, SECRET_KEY: secret })).toEqual([])
  })

  test('is one more than half of whose characters are the same as the one before', () => {
    for (const SECRET_KEY of [
      'aaaKKccMMeeOOggQQiiSSkkUUmmWWooo',
      'aaKKccMMeeOOggQQiiSSkkUUmmWWooYYY',
    ])
      expect(() => start({ ...PRODUCTION, SECRET_KEY })).toThrow('mostly repeats characters')
  })

  test('is told of to the log alone where an operator set it, and the log wants it', () => {
    const served = (logger: Logger, SECRET_KEY: string) => {
      const api = defineApi({ urls: { here: '/here/' }, logger })
      const endpoints = [api.endpoint('here').get(() => 1)]
      const configuration = configurationOf({ SECRET_KEY }, { production: false })
      return api.serve(endpoints, { configuration })
    }
    const { records, error } = notebook()
    served({ error, info: error }, 'x')
    expect(records).toEqual([])
    const env = { SECRET_KEY: 'x' }
    const configuration = readConfiguration({ env, cwd: temporaryDirectory() })
    expect(() => checkSecrets(configuration, { error })).not.toThrow()
    expect(records).toEqual([])
  })

  test('neither message shows it', () => {
    const secret = 'hunter2'
    const told = JSON.stringify(start({ SECRET_KEY: secret }))
    expect(told).not.toContain(secret)
    expect(() => start({ ...PRODUCTION, SECRET_KEY: secret })).not.toThrow(secret)
  })

  test('may still open what it has sealed: one that came before is told, and starts', () => {
    const env = { ...PRODUCTION, SECRET_KEY: GOOD, COLOPHON_SECRET_KEY_FALLBACKS: `${GOOD}2,x` }
    expect(start(env)).toEqual([
      {
        event: 'secret.weak',
        key: 'SECRET_KEY_FALLBACKS',
        message:
          'SECRET_KEY_FALLBACKS has 1 of the 32 bytes that it needs. Take it out as soon as what it sealed is no longer needed.',
      },
    ])
  })

  test('is refused of accounts in code too', async () => {
    const database = await migratedSqlite()
    const serve = (secretKey: string, env: Readonly<Record<string, string>>): unknown => {
      const configuration = readConfiguration({ env, cwd: temporaryDirectory() })
      const accounts = defineAccounts({ database, secretKey, configuration })
      const api = defineApi({ urls: { here: '/here/' }, accounts, logger: notebook() })
      return api.serve([api.endpoint('here').get(() => 1)], { configuration })
    }
    expect(() => serve('x', PRODUCTION)).toThrow('SECRET_KEY has 1 of the 32 bytes')
    expect(() => serve(GOOD, PRODUCTION)).not.toThrow()
    expect(() => serve('x', {})).not.toThrow()
  })
})

describe('a SECRET_KEY of chance', () => {
  test.each(['hex', 'base64', 'base64url'] as const)('in %s starts', (encoding) => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 64 })
    fc.assert(
      fc.property(bytes, (seed) => {
        // The bytes that shrink to zeros are not chance: only their number is taken.
        const secret = randomBytes(seed.length).toString(encoding)
        expect(start({ ...PRODUCTION, SECRET_KEY: secret })).toEqual([])
      }),
      { numRuns: 50 },
    )
  })

  test('is what `colophon secret` prints, without an application', async () => {
    const made = await Promise.all([colophon(['secret']), colophon(['secret'])])
    const [first, second] = made.map(({ output }) => output.trim())
    expect(first).toMatch(/^[A-Za-z0-9]{64}$/)
    expect(second).not.toBe(first)
    expect(start({ ...PRODUCTION, SECRET_KEY: first! })).toEqual([])
  })
})
