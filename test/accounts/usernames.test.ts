// RFC 8265 §3.4 and the IdentifierClass of RFC 8264: which names new users may have, and at which doors that is asked.
import { describe, expect, test } from 'vitest'
import { AuthenticationFailed, RemoteUserAuthentication, defineApi } from '../../src/index.ts'
import { configurationOf } from '../../src/core/settings/configuration.ts'
import { client } from '../../src/testing.ts'
import { administration } from '../addons/admin/service.ts'
import { openAccounts } from './fixtures.ts'
import { storesOf } from '../../src/accounts/tables/stores.ts'

const REFUSED: readonly (readonly [string, string, string])[] = [
  ['zero width space', 'ada\u200b', 'U+200B'],
  ['zero width no-break space', 'a\ufeffda', 'U+FEFF'],
  ['word joiner', 'a\u2060da', 'U+2060'],
  ['zero width joiner', 'a\u200dda', 'U+200D'],
  ['zero width non-joiner', 'a\u200cda', 'U+200C'],
  ['soft hyphen', 'a\u00adda', 'U+00AD'],
  ['right-to-left override', '\u202eada', 'U+202E'],
  ['left-to-right mark', 'ada\u200e', 'U+200E'],
  ['isolate', '\u2066ada\u2069', 'U+2066'],
  ['tag', 'ada\u{e0061}', 'U+E0061'],
  ['variation selector', 'ada\ufe0f', 'U+FE0F'],
  ['combining grapheme joiner', 'a\u034fda', 'U+034F'],
  ['Mongolian vowel separator', 'a\u180eda', 'U+180E'],
  ['Hangul filler', 'a\u3164da', 'U+1160'],
  ['conjoining jamo', 'a\u1100', 'U+1100'],
  ['line separator', 'a\u2028da', 'U+2028'],
  ['Ogham space', 'a\u1680da', 'U+1680'],
  ['symbol', 'ada♥', 'U+2665'],
  ['emoji', 'ada😀', 'U+1F600'],
  ['currency', '€da', 'U+20AC'],
  ['other punctuation', 'a‐da', 'U+2010'],
  ['letter number', 'adaↀ', 'U+2180'],
  ['enclosing mark', 'a\u20dd', 'U+20DD'],
  ['private use', 'ada\ue000', 'U+E000'],
  ['unassigned', 'ada\u0378', 'U+0378'],
  ['noncharacter', 'ada\uffff', 'U+FFFF'],
  ['tatweel', 'م\u0640م', 'U+0640'],
  ['middle dot elsewhere', 'a·b', 'U+00B7'],
  ['geresh elsewhere', 'a׳', 'U+05F3'],
  ['katakana dot elsewhere', 'a・b', 'U+30FB'],
  ['Latin in Hebrew', 'אבגada', 'right to left'],
  ['Hebrew in Latin', 'adaאבג', 'right to left'],
  ['Hebrew behind a digit', '1אבג', 'right to left'],
  ['Arabic that ends in punctuation', 'سلام!', 'right to left'],
  ['two kinds of digits', 'سلام1\u0661', 'right to left'],
]

const ALLOWED = [
  'ada',
  'ada@example.com',
  "o'dell",
  'first last',
  '~!#$%^&*()_+{}|:"<>?[]\\;,./-=`',
  'zoë',
  'Straße',
  'ςοφία',
  'аda',
  'נועה',
  'סלאם 12',
  'سلام١٢',
  'يُوسُف',
  '山田',
  'アダ・ラブレス',
  'cel·la',
  'נ׳',
  'भारत',
  '한국',
  '〇',
]

test.each(REFUSED)('no new user has a name with %s', async (_, username, sentence) => {
  const { users } = await openAccounts()
  const error = await users.create({ username }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ status: 400, message: expect.stringContaining(sentence) })
  const user = await users.create({ username: 'ada' })
  await expect(users.update(user, { username })).rejects.toThrow(sentence)
  expect((await users.byId(user.id))!.username).toBe('ada')
})

test.each(ALLOWED)('a new user may have the name %s', async (username) => {
  const { users } = await openAccounts()
  expect((await users.create({ username })).username).toBe(username)
})

test('names are composed first: what has a compatible form is that', async () => {
  const { users } = await openAccounts()
  expect((await users.create({ username: 'Åsa' })).username).toBe('Åsa')
  expect((await users.create({ username: 'ａｄａ' })).username).toBe('ada')
})

describe('users with such a name from before', () => {
  async function old() {
    const accounts = await openAccounts()
    const { id } = await accounts.users.create({ username: 'ada', password: 'engine' })
    await storesOf(accounts.database).users.update(id, { username: 'ada\u200b' })
    return accounts
  }

  test('log in as ever, and change what is not the name', async () => {
    const { users } = await old()
    const user = (await users.authenticate('ada\u200b', 'engine'))!
    expect(user.username).toBe('ada\u200b')
    expect(await users.authenticate('ada', 'engine')).toBeNull()
    expect(await users.remoteUser('ada\u200b')).toMatchObject({ id: user.id })
    await users.update(user, { username: 'ada\u200b', email: 'ada@example.com' })
    expect((await users.byId(user.id))!.email).toBe('ada@example.com')
    const given = { ...user, email: 'a\u200bda@example.com' }
    expect(await users.update(given, { email: given.email })).toBe(true)
    await expect(users.update(user, { username: 'ad\u200ba' })).rejects.toThrow('U+200B')
    expect(await users.update(user, { username: 'ada' })).toBe(true)
  })
})

describe('each door says which field it is, and why', () => {
  const refusal = {
    username: [
      'A user name must not contain U+202E. Use letters, digits, and visible characters of ASCII.',
    ],
  }

  test('the administration', async () => {
    const { post, staff } = await administration('sqlite')
    const json = { username: '\u202eada', password: 'a first secret' }
    const { status, data } = await post('/admin/users/', { as: staff, json })
    expect([status, data]).toEqual([400, refusal])
  })

  test('a web server in front that names somebody new', async () => {
    const { users } = await openAccounts()
    const api = defineApi({
      urls: { who: '/who/' },
      authentication: [new RemoteUserAuthentication({ users })],
    })
    const who = api.endpoint('who').get(({ user }) => (user === null ? null : 'somebody'))
    const configuration = configurationOf({ REMOTE_USER_SOURCE: 'environ' })
    const { get } = client(api.serve([who], { configuration }))
    const { status, data } = await get('/who/', { environ: { REMOTE_USER: '\u202eada' } })
    expect([status, data]).toEqual([400, refusal])
    expect(await users.count()).toBe(0)
  })
})

test('they are no failures of a login', async () => {
  const { users } = await openAccounts()
  await expect(users.create({ username: 'ada\u200b' })).rejects.not.toThrow(AuthenticationFailed)
})
