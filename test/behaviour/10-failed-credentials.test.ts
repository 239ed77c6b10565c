// `credentialFailures`: wrong credentials are limited before they are checked.
import { describe, expect, test } from 'vitest'
import {
  configurationOf,
  defineApi,
  loginSession,
  obtainToken,
  showSession,
} from '../../src/index.ts'
import { client } from '../../src/testing.ts'
import { PASSWORDS, guess, guessing, openPeople } from './guessing.ts'

const HOME = '192.0.2.1'
const AWAY = '198.51.100.7'
const THREE = ['400', '400', '400']

describe('wrong passwords', () => {
  test('of one client are refused beyond the limit of ten accounts, and no hash is computed', async () => {
    const { logIn, queue } = await guessing()
    for (let at = 0; at < 10; at++)
      expect(await guess((word) => logIn(AWAY, `name ${at}`, word), 3)).toEqual(THREE)
    expect(queue.hashed).toBe(30)
    for (const username of ['ada', 'bob', 'nobody', 'gone', '', '\u0001'])
      expect(await logIn(AWAY, username || 'x'.repeat(5000), 'y')).toBe('429 600')
    expect(queue.hashed).toBe(30)
  })

  test('for one account are refused beyond the limit, wherever they come from', async () => {
    const { logIn, queue } = await guessing()
    let place = 0
    const anywhere = (word: string) => logIn(`198.51.100.${++place}`, 'ada', word)
    expect(await guess(anywhere, 5)).toEqual([...THREE, '429 600', '429 600'])
    expect(queue.hashed).toBe(3)
  })

  test.each(['nobody', 'gone', 'x'.repeat(5000), 'ﬁ', '\u0001'])(
    'for an account that does not exist, or is switched off, get the same answers: %j',
    async (username) => {
      const { logIn, queue } = await guessing()
      let place = 0
      const anywhere = (word: string) => logIn(`198.51.100.${++place}`, username, word)
      expect(await guess(anywhere, 4)).toEqual([...THREE, '429 600'])
      expect(queue.hashed).toBe(3)
    },
  )

  test('count for one account however its name is typed', async () => {
    const { logIn, accounts } = await guessing()
    await accounts.users.create({ username: 'fi', password: 'x' })
    const spellings: readonly (readonly [string, string])[] = [
      ['fi', 'ﬁ'],
      ['nofi', 'noﬁ'],
    ]
    for (const [plain, ligature] of spellings) {
      let place = 0
      const anywhere = (name: string) => logIn(`${plain.length}.0.2.${++place}`, name, `x${place}`)
      for (const name of [plain, ligature, ` ${plain} `]) expect(await anywhere(name)).toBe('400')
      expect(await anywhere(plain)).toBe('429 600')
      expect(await anywhere(ligature)).toBe('429 600')
    }
  })

  test('are forgotten as they leave the window', async () => {
    const { logIn, clock } = await guessing()
    expect(await logIn(AWAY, 'ada', 'one')).toBe('400')
    clock.advance(60_000)
    expect(await guess((word) => logIn(AWAY, 'ada', word), 3)).toEqual(['400', '400', '429 540'])
    clock.advance(540_000)
    expect(await logIn(AWAY, 'ada', PASSWORDS.ada)).toBe('200')
  })

  test('may be limited by several rates at once', async () => {
    const { logIn, clock } = await guessing({ rate: ['2/m', '3/h'] })
    expect(await guess((word) => logIn(AWAY, 'ada', word), 3)).toEqual(['400', '400', '429 60'])
    clock.advance(60_000)
    expect(await guess((word) => logIn(AWAY, 'ada', word), 2)).toEqual(['400', '429 3540'])
  })

  test('count together at every door: Basic, the endpoint for tokens, the one for sessions and the page', async () => {
    const { basic, get, post, from, logIn } = await guessing({ rate: '4/10m' })
    expect(await basic(AWAY, 'ada', 'one')).toBe('401')
    expect(await logIn(AWAY, 'ada', 'two')).toBe('400')
    const asked = await get('/session/', from(AWAY))
    const cookies = asked.cookies
    const headers = { 'x-csrftoken': (asked.data as { csrf_token: string }).csrf_token }
    const inSession = (password: string) =>
      post('/session/', { ...from(AWAY), headers, cookies, json: { username: 'ada', password } })
    const onPage = (password: string) =>
      post('/login/', { ...from(AWAY), headers, cookies, form: { username: 'ada', password } })
    expect((await inSession('three')).status).toBe(400)
    expect((await onPage('four')).status).toBe(200)
    const answers = [await inSession('five'), await onPage('six')]
    expect(answers.map(({ status }) => status)).toEqual([429, 429])
    expect(answers.map((answer) => answer.header('retry-after'))).toEqual(['600', '600'])
    expect(await basic(AWAY, 'ada', 'seven')).toBe('429 600')
    expect(await logIn(AWAY, 'ada', PASSWORDS.ada)).toBe('429 600')
  })

  test('are refused with a sentence, on the page too', async () => {
    const { get, post, from, logIn } = await guessing({ rate: '1/10m' })
    await logIn(AWAY, 'ada', 'one')
    const json = { username: 'ada', password: 'two' }
    const { data } = await post('/token/', { ...from(AWAY), json })
    const sentence = 'Too many wrong credentials. Try again in 600 seconds.'
    expect(data).toEqual({ detail: sentence })
    const { cookies, text } = await get('/login/', from(AWAY))
    const csrfmiddlewaretoken = /name="csrfmiddlewaretoken" value="([^"]+)"/.exec(text)![1]!
    const form = { username: 'ada', password: 'three', csrfmiddlewaretoken }
    const page = await post('/login/', { ...from(AWAY), cookies, form })
    expect(page.text).toContain(sentence)
    expect(page.text).toContain('value="ada"')
  })

  test('that are repeated count once for client and account, and then for themselves', async () => {
    const { logIn, queue, clock } = await guessing()
    const again = () => logIn(AWAY, 'ada', 'old password')
    expect(await guess(again, 5)).toEqual([...THREE, '429 600', '429 600'])
    expect(queue.hashed).toBe(1)
    expect(await logIn(AWAY, 'ada', PASSWORDS.ada)).toBe('200')
    clock.advance(600_000)
    expect(await again()).toBe('400')
    expect(queue.hashed).toBe(3)
  })

  test('that become right are right at once', async () => {
    const { logIn, accounts } = await guessing()
    await guess(() => logIn(AWAY, 'ada', 'new password'), 3)
    await guess(() => logIn(AWAY, 'dan', 'new password'), 3)
    await accounts.users.setPassword((await accounts.users.byUsername('ada'))!, 'new password')
    await accounts.users.create({ username: 'dan', password: 'new password' })
    expect(await logIn(AWAY, 'ada', 'new password')).toBe('200')
    expect(await logIn(AWAY, 'dan', 'new password')).toBe('200')
  })
})

describe('right passwords', () => {
  test('do not count', async () => {
    const { logIn, basic } = await guessing({ rate: '1/10m' })
    for (let times = 0; times < 5; times++) {
      expect(await logIn(HOME, 'ada', PASSWORDS.ada)).toBe('200')
      expect(await basic(AWAY, 'bob', PASSWORDS.bob)).toBe('200')
    }
  })

  test('of 50 people behind one address pass at the same moment, where one more wrong one is refused', async () => {
    const { logIn, accounts } = await guessing({ rate: '2/10m', running: 3 })
    const names = Array.from({ length: 50 }, (_, at) => `person ${at}`)
    await Promise.all(names.map((username) => accounts.users.create({ username, password: 'x y' })))
    expect(await logIn(HOME, 'eve', 'wrong')).toBe('400')
    const answers = await Promise.all(names.map((name) => logIn(HOME, name, 'x y')))
    expect(new Set(answers)).toEqual(new Set(['200']))
    expect(await guess((word) => logIn(HOME, 'eve', word), 2)).toEqual(['400', '429 600'])
  })

  test('pass where they have lately passed, whatever strangers do elsewhere and neighbours do there', async () => {
    const { logIn, clock } = await guessing()
    expect(await logIn(HOME, 'ada', PASSWORDS.ada)).toBe('200')
    clock.advance(29 * 86_400_000)
    await guess((word) => logIn(AWAY, 'ada', word), 5)
    await guess((word) => logIn(HOME, 'bob', word), 5)
    expect(await logIn(AWAY, 'ada', PASSWORDS.ada)).toBe('429 600')
    expect(await logIn(HOME, 'bob', PASSWORDS.bob)).toBe('429 600')
    expect(await logIn(HOME, 'ada', PASSWORDS.ada)).toBe('200')
    // There, wrong ones for ada count for ada.
    expect(await guess((word) => logIn(HOME, 'ada', word), 4)).toEqual([...THREE, '429 600'])
  })

  test('make a place known for 30 to 60 days', async () => {
    const { logIn, clock } = await guessing()
    for (const days of [0, 1, 29, 29, 29, 29, 29]) {
      clock.advance(days * 86_400_000)
      await guess((word) => logIn(AWAY, 'ada', word), 3)
      expect(await logIn(HOME, 'ada', PASSWORDS.ada)).toBe(days === 0 ? '429 600' : '200')
      clock.advance(600_000)
      expect(await logIn(HOME, 'ada', PASSWORDS.ada)).toBe('200')
    }
    clock.advance(61 * 86_400_000)
    await guess((word) => logIn(AWAY, 'ada', word), 3)
    expect(await logIn(HOME, 'ada', PASSWORDS.ada)).toBe('429 600')
  })

  test('that are remembered pass at once, a thousand at a time, where everything else is refused', async () => {
    const people = await openPeople(3, 30_000)
    const { logIn, basic, queue } = await guessing({ people })
    expect(await basic(HOME, 'ada', PASSWORDS.ada)).toBe('200')
    expect(await basic(HOME, 'bob', PASSWORDS.bob)).toBe('200')
    await guess((word) => logIn(AWAY, 'ada', word), 5)
    for (let at = 0; at < 12; at++) await guess((word) => logIn(HOME, `eve ${at}`, word), 5)
    expect(await logIn(HOME, 'eve', PASSWORDS.eve)).toBe('429 600')
    const hashed = queue.hashed
    const answers = Array.from({ length: 500 }, () => [
      basic(HOME, 'ada', PASSWORDS.ada),
      basic(HOME, 'bob', PASSWORDS.bob),
    ])
    expect(new Set(await Promise.all(answers.flat()))).toEqual(new Set(['200']))
    expect(queue.hashed).toBe(hashed)
  })
})

describe('wrong tokens', () => {
  test('are refused beyond the limit, and not looked up; right ones that are known pass', async () => {
    const { key, accounts } = await guessing()
    const asked = lookUps(accounts)
    expect(await key(HOME, 'a'.repeat(40))).toBe('200')
    expect(await guess((word) => key(HOME, word.replace(' ', '')), 5)).toEqual([
      '401',
      '401',
      '401',
      '429 600',
      '429 600',
    ])
    expect(asked()).toBe(4)
    expect(await key(HOME, 'a'.repeat(40))).toBe('200')
    expect(await key(AWAY, 'c'.repeat(40))).toBe('401')
  })

  test('of users who are switched off count as well', async () => {
    const { key } = await guessing({ rate: '2/10m' })
    expect(await key(HOME, 'b'.repeat(40))).toBe('401')
    expect(await guess((word) => key(HOME, word.replace(' ', '')), 2)).toEqual(['401', '429 600'])
  })

  test('that are repeated count once, so that a program with a revoked one keeps no neighbour out', async () => {
    const { key, accounts } = await guessing()
    const old = 'a'.repeat(40)
    expect(await key(HOME, old)).toBe('200')
    const fresh = await accounts.tokens.regenerate((await accounts.users.byUsername('ada'))!)
    const answers = []
    for (let times = 0; times < 5; times++) answers.push(await key(HOME, old))
    expect(answers).toEqual(['401', '401', '401', '429 600', '429 600'])
    expect(await key(HOME, fresh.key)).toBe('200')
  })

  test('that come into being work at once', async () => {
    const { key, accounts } = await guessing()
    const late = 'c'.repeat(40)
    expect([await key(HOME, late), await key(HOME, late)]).toEqual(['401', '401'])
    await accounts.tokens.create((await accounts.users.byUsername('bob'))!, late)
    expect(await key(HOME, late)).toBe('200')
  })

  test('do not keep logins away, nor the other way round', async () => {
    const { key, logIn } = await guessing()
    await guess((word) => key(HOME, word.replace(' ', '')), 5)
    expect(await logIn(HOME, 'ada', PASSWORDS.ada)).toBe('200')
    await guess((word) => logIn(AWAY, 'ada', word), 5)
    expect(await key(AWAY, 'a'.repeat(40))).toBe('200')
  })

  test('no token is no wrong token', async () => {
    const { get, from, key } = await guessing({ rate: '1/10m' })
    for (let times = 0; times < 3; times++)
      expect((await get('/key/', from(HOME))).status).toBe(200)
    expect(await key(HOME, 'x')).toBe('401')
  })
})

describe('schemes and layers', () => {
  test('what a scheme of the application refuses counts by client', async () => {
    const { pin } = await guessing()
    expect(await guess((word) => pin(HOME, word), 4)).toEqual(['401', '401', '401', '429 600'])
    expect(await pin(AWAY, 'x')).toBe('401')
    expect(await pin(HOME, '1234')).toBe('200')
  })

  test('so does what a check of passwords of the application refuses', async () => {
    const { tokens, sessions } = (await openPeople()).accounts
    const own = { users: { authenticate: async () => null }, tokens, sessions }
    const api = defineApi({
      urls: { token: '/token/', session: '/session/' },
      credentialFailures: '2/10m',
      logger: { error: () => undefined },
    })
    const endpoints = [
      api.endpoint('token').post(obtainToken({ accounts: own })),
      api
        .endpoint('session')
        .get(showSession({ accounts: own }))
        .post(loginSession({ accounts: own })),
    ]
    const { get, post } = client(api.serve(endpoints, { configuration: configurationOf() }))
    const asked = await get('/session/')
    const headers = { 'x-csrftoken': (asked.data as { csrf_token: string }).csrf_token }
    const json = { username: 'ada', password: 'x' }
    const ask = async (path: string) =>
      (await post(path, { headers, cookies: asked.cookies, json })).status
    expect([await ask('/token/'), await ask('/session/')]).toEqual([400, 400])
    expect([await ask('/token/'), await ask('/session/')]).toEqual([429, 429])
  })

  test('an endpoint may have a rate of its own, or none', async () => {
    const none = await guessing()
    expect(new Set(await guess((word) => none.logIn(AWAY, 'ada', word, '/own/'), 9))).toEqual(
      new Set(['400']),
    )
    const own = await guessing({ own: '1/h' })
    expect(await guess((word) => own.logIn(AWAY, 'ada', word, '/own/'), 2)).toEqual([
      '400',
      '429 3600',
    ])
  })

  test('off by default: nothing is counted', async () => {
    const { logIn, key, counters, queue } = await guessing({ rate: null })
    expect(new Set(await guess((word) => logIn(AWAY, 'ada', word), 9))).toEqual(new Set(['400']))
    expect(new Set(await guess((word) => key(AWAY, word.replace(' ', '')), 9))).toEqual(
      new Set(['401']),
    )
    expect(queue.hashed).toBe(9)
    expect(counters).toHaveProperty('size', 0)
  })

  test.each([
    ['0/m', 'has to allow 1 to 1000 wrong credentials'],
    ['1001/h', 'has to allow 1 to 1000 wrong credentials'],
    ['10/month', 'period "month"'],
    ['10', 'is no rate'],
  ])('the rate %j refuses to start', (rate, sentence) => {
    const api = defineApi({ urls: {}, credentialFailures: rate })
    expect(() => api.serve([], { configuration: configurationOf() })).toThrow(sentence)
    expect(() => api.serve([], { configuration: configurationOf() })).toThrow('credentialFailures')
  })

  test('one line switches it on', () => {
    const configuration = configurationOf({ CREDENTIAL_FAILURES: '10/10m' })
    const api = defineApi({ urls: { a: '/a/' } })
    const [endpoint] = api.serve([api.endpoint('a').get(() => 1)], { configuration }).describe()
    expect(endpoint!.settings.credentialFailures).toBe('10/10m')
  })
})

test('the log has a line a second for each kind, and neither names nor passwords in it', async () => {
  const { logIn, log } = await guessing({ rate: '1/10m' })
  await guess((word) => logIn(AWAY, 'nobody', `${word} secret`), 20)
  await guess((word) => logIn(HOME, `nobody ${word}`, `${word} secret`), 20)
  const lines = log.filter(({ event }) => event === 'login.limited')
  expect(lines.map(({ level, by, endpoint }) => [level, by, endpoint])).toEqual([
    ['info', 'account', 'token'],
    ['info', 'client', 'token'],
  ])
  expect(JSON.stringify(lines)).not.toMatch(/nobody|secret/)
})

/** How often the store of tokens has been asked since. */
function lookUps({ database }: Awaited<ReturnType<typeof guessing>>['accounts']): () => number {
  let asked = 0
  const rows = database.rows.bind(database)
  database.rows = (statement) => {
    if (statement.sql.includes('"colophon_token"."digest" ')) asked++
    return rows(statement)
  }
  return () => asked
}
