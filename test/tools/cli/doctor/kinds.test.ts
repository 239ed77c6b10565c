import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { KINDS, diagnose } from '../../../../src/tools/cli/doctor/doctor-command.ts'
import { CASES, type Case, everyLogin, reading } from './cases.ts'

async function kindsIn(app: Case['right'], machine: Case['machine']): Promise<readonly string[]> {
  return (await diagnose(await app(), { cores: 8, ...machine })).map(({ kind }) => kind)
}

const page = readFileSync('docs/command-line.md', 'utf8')

test('a service without a mistake has no finding', async () => {
  expect(await diagnose(await reading()({}))).toEqual([])
})

describe('each mistake is found alone, and its fix takes it away', () => {
  test.each(CASES)('$kind', async ({ kind, wrong, right, elsewhere, machine }) => {
    const rest = elsewhere ? ['not-production'] : []
    expect(await kindsIn(wrong, machine)).toEqual([...rest, kind])
    expect(await kindsIn(right, {})).toEqual(rest)
  })
})

test.each([{ NUM_PROXIES: null }, { IPV6_PREFIX: 128 }, { TRUSTED_PROXIES: [] }])(
  'where nothing is counted, addresses do not matter: %j',
  async (keys) => {
    const app = await reading()({ CREDENTIAL_FAILURES: undefined, ...keys })
    expect(await diagnose(app)).toEqual([])
  },
)

test('every way to log in is one to guess passwords', async () => {
  const found = await diagnose(await everyLogin({ CREDENTIAL_FAILURES: undefined }))
  expect(found.map(({ kind, endpoints }) => [kind, endpoints])).toEqual([
    ['unlimited-guesses', ['login', 'session', 'token']],
  ])
  expect(await diagnose(await everyLogin({}))).toEqual([])
})

test('every kind has a case', () => {
  expect(new Set(CASES.map(({ kind }) => kind))).toEqual(new Set(KINDS))
})

describe('the page of the command line has each kind with its fix, and no other', () => {
  const rows = [...page.matchAll(/^\| `([a-z][a-z-]+)` +\| (.+?) +\| (.+?) +\|$/gm)]

  test('kinds', () => {
    expect(rows.map(([, kind]) => kind)).toEqual(KINDS)
  })

  test.each(CASES)('$kind', async ({ kind, wrong, machine }) => {
    const found = (await diagnose(await wrong(), { cores: 8, ...machine })).find(
      (each) => each.kind === kind,
    )
    const row = rows.find((each) => each[1] === kind)
    expect(row?.[3]?.replaceAll('`', '')).toContain(found!.fix.replaceAll('`', ''))
  })
})
