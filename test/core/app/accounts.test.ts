import { describe, expect, test } from 'vitest'
import { type Logger, configurationOf, defineApi, obtainToken } from '../../../src/index.ts'
import { defineAccounts } from '../../../src/accounts.ts'
import { client } from '../../../src/testing.ts'
import { CHEAP } from '../../accounts/fixtures.ts'
import { migratedSqlite } from '../../contract/temporary.ts'

function notebook(): Required<Omit<Logger, 'warn'>> & { readonly events: unknown[] } {
  const events: unknown[] = []
  return {
    events,
    error: ({ event }) => void events.push(event),
    info: ({ event }) => void events.push(event),
  }
}

describe('the log of an application', () => {
  test.each([
    ['hears of its accounts', false],
    ['does not, where the accounts have their own', true],
  ])('%s', async (_, hasOwn) => {
    const [own, ofApp] = [notebook(), notebook()]
    const accounts = defineAccounts({
      database: await migratedSqlite(),
      secretKey: 'a secret',
      passwordCost: CHEAP,
      ...(hasOwn ? { logger: own } : {}),
    })
    const api = defineApi({ urls: { token: '/token/' }, accounts, logger: ofApp })
    const app = api.serve([api.endpoint('token').post(obtainToken({ accounts }))], {
      configuration: configurationOf(),
    })
    const json = { username: 'nobody', password: 'x' }
    expect((await client(app).post('/token/', { json })).status).toBe(400)
    expect([own.events, ofApp.events]).toEqual(
      hasOwn ? [['login.failed'], []] : [[], ['login.failed']],
    )
  })
})

describe('SECRET_KEY_FALLBACKS', () => {
  test('are those of the configuration; a secret said in code has its own', async () => {
    const database = await migratedSqlite()
    const under = (SECRET_KEY: string, SECRET_KEY_FALLBACKS: readonly string[] = []) =>
      defineAccounts({
        database,
        configuration: configurationOf({ SECRET_KEY, SECRET_KEY_FALLBACKS }),
        noteTokenUse: 0,
      })
    const before = under('old')
    const alice = await before.users.create({ username: 'alice' })
    const { key } = await before.tokens.obtain(alice)
    expect(under('new').tokens.verify(key)).toBeNull()
    const configuration = configurationOf({ SECRET_KEY: 'x', SECRET_KEY_FALLBACKS: ['old'] })
    const inCode = defineAccounts({ database, configuration, secretKey: 'new' })
    expect(inCode.tokens.verify(key)).toBeNull()
    expect((await under('new', ['older', 'old']).tokens.verify(key))?.user).toEqual(alice)
    const secretKeyFallbacks = ['new']
    const again = defineAccounts({ database, secretKey: 'newest', secretKeyFallbacks })
    expect((await again.tokens.verify(key))?.user).toEqual(alice)
  })
})
