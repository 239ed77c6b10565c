// A forgotten password: what is sent to whom, what a link is good for, and what answers give away.
import { configurationOf, defineApi, defineUrls } from 'colophon'
import { passwordReset, passwordResetUrls } from 'colophon/account'
import { describe, expect, test } from 'vitest'
import { SERVERS } from '../../../setup/databases.ts'
import { SECRET_KEY, lives, tokenOf } from './service.ts'

const FORGOTTEN = '/password/forgotten/'
const RESET = '/password/reset/'

describe.each(['sqlite', ...SERVERS] as const)('a link for a new password on %s', (place) => {
  test('is sent to the address as it is kept, and sets one password', async () => {
    const { post, accounts, alice, mails, settled, trail } = await lives(place)
    const { key } = await accounts.tokens.obtain(alice)
    const session = await accounts.sessions.start(alice)
    const asked = await post(FORGOTTEN, { json: { email: 'aLice@example.com' } })
    expect([asked.status, asked.data]).toEqual([202, { accepted: true }])
    await settled()
    expect(mails).toEqual([])
    // As it is kept, or in small letters; unknown ones are answered alike.
    for (const email of ['Alice@example.com', 'nobody@example.com'])
      expect((await post(FORGOTTEN, { json: { email } })).text).toBe(asked.text)
    await settled()
    expect(mails).toHaveLength(1)
    const [mail] = mails
    expect(mail).toMatchObject({ to: 'Alice@example.com', kind: 'password-reset', language: 'en' })
    expect(mail!.text).toContain(mail!.link)
    const token = tokenOf(mail)
    const set = (password: string) => post(RESET, { json: { token, password } })
    expect((await set('short')).data).toEqual({ password: [expect.any(String)] })
    expect((await set('through the glass')).data).toEqual({ changed: true })
    expect(await accounts.users.authenticate('alice', 'through the glass')).not.toBeNull()
    expect([await accounts.sessions.read(session), await accounts.tokens.verify(key)]).toEqual([
      null,
      null,
    ])
    const again = await set('another password')
    expect([again.status, again.data]).toEqual([
      400,
      { non_field_errors: ['This link is no longer valid. Ask for a new one.'] },
    ])
    expect(await trail()).toContainEqual({
      actor: 'alice',
      action: 'user.password_changed',
      username: 'alice',
    })
  })

  test('is spent once by a hundred at the same moment', async () => {
    const { accounts, alice } = await lives(place)
    const token = (await accounts.links.make('password', alice, { lifetime: 1000 }))!
    const use = async (at: number) => {
      const { user } = (await accounts.links.open('password', token))!
      await accounts.by({ user }).users.setPassword(user, `password ${at}`)
      return at
    }
    const uses = await Promise.allSettled(Array.from({ length: 100 }, (_, at) => use(at)))
    const won = uses.filter(({ status }) => status === 'fulfilled')
    expect(won).toHaveLength(1)
    const { value } = won[0] as PromiseFulfilledResult<number>
    expect(await accounts.users.authenticate('alice', `password ${value}`)).not.toBeNull()
    expect(await accounts.links.open('password', token)).toBeNull()
  })

  test('is in no table, and ends with another password, another address, and in time', async () => {
    const { accounts, alice, clock } = await lives(place)
    const made = async () => (await accounts.links.make('password', alice, { lifetime: 1000 }))!
    const opens = async (token: string) => (await accounts.links.open('password', token)) !== null
    const first = await made()
    expect(await accounts.links.open('email', first)).toBeNull()
    // A newer one does not end it: others can ask for those.
    await made()
    expect(await opens(first)).toBe(true)
    await accounts.users.update(alice, { email: 'other@example.com' })
    const second = await made()
    expect([await opens(first), await opens(second)]).toEqual([false, true])
    await accounts.users.setPassword(alice, 'another password')
    const third = await made()
    expect([await opens(second), await opens(third)]).toEqual([false, true])
    await accounts.users.update(alice, { isActive: false })
    expect(await opens(third)).toBe(false)
    await accounts.users.update(alice, { isActive: true })
    clock.advance(1000)
    expect(await opens(third)).toBe(false)
  })
})

describe('who has forgotten a password', () => {
  test('gets no link without a password, when inactive, or for the address of another', async () => {
    const { post, accounts, mails, settled } = await lives()
    const bob = { username: 'bob', email: 'bob@example.com' }
    await accounts.users.create(bob)
    await accounts.users.create({ ...bob, username: 'eve', password: 'eve', isActive: false })
    await post(FORGOTTEN, { json: { email: 'bob@example.com' } })
    await settled()
    expect(mails).toEqual([])
  })

  test('costs as many statements and hashes before the answer, whether known or not', async () => {
    const { post, database, settled } = await lives()
    const counts: number[] = []
    const texts: string[] = []
    for (const email of ['alice@example.com', 'Alice@example.com', 'who@example.com']) {
      const statements: string[] = []
      const off = spyOn(database, statements)
      const { text } = await post(FORGOTTEN, { json: { email } })
      counts.push(statements.length)
      texts.push(text)
      await settled()
      off()
    }
    expect(counts).toEqual([0, 0, 0])
    expect(new Set(texts).size).toBe(1)
  })

  test('gets three mails an hour, and asks five times a minute', async () => {
    const { post, clock, mails, settled } = await lives()
    const ask = () => post(FORGOTTEN, { json: { email: 'Alice@example.com' } })
    const answers = []
    for (let times = 0; times < 6; times++) answers.push((await ask()).status)
    expect(answers).toEqual([202, 202, 202, 202, 202, 429])
    await settled()
    expect(mails).toHaveLength(3)
    clock.advance(3_600_001)
    expect((await ask()).status).toBe(202)
    await settled()
    expect(mails).toHaveLength(4)
  })

  test('sees pages without script, whose address loses the token', async () => {
    const { visitor, mails, settled, logged, accounts } = await lives()
    const person = visitor()
    const sent = await person.form(FORGOTTEN, { email: 'Alice@example.com' })
    expect([sent.status, await sent.text()]).toEqual([202, expect.stringContaining('on its way')])
    await settled()
    const { pathname, search } = new URL(mails[0]!.link)
    // A program that looks through mail.
    await visitor().page(pathname + search)
    const moved = await person.send(pathname + search)
    expect([moved.status, moved.headers.get('location')]).toEqual([302, RESET])
    expect(moved.headers.getSetCookie()[0]).toMatch(/; HttpOnly; SameSite=Lax$/)
    const page = await person.page(RESET)
    expect(page).toContain('Choose a new password for alice.')
    expect(page).not.toContain(tokenOf(mails[0]))
    const refused = await person.form(RESET, { password: 'short' })
    expect(refused.status).toBe(400)
    const done = await person.form(RESET, { password: 'through the glass' })
    expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('/login/')])
    expect(await accounts.users.authenticate('alice', 'through the glass')).not.toBeNull()
    expect(await person.page(RESET)).toContain('This link is no longer valid.')
    expect(logged.join('\n')).not.toContain(tokenOf(mails[0]).slice(0, 40))
  })

  test('has its cookie by https as one that no other host can set', async () => {
    const { visitor } = await lives('sqlite', {}, { PUBLIC_URL: 'https://books.example.com' })
    const moved = await visitor().send(`${RESET}?token=v1.AAAA`)
    expect([moved.status, moved.headers.getSetCookie()[0]]).toEqual([
      302,
      expect.stringMatching(/^__Host-password_link=v1\.AAAA;.*; Secure/),
    ])
  })

  test('is not sent by forms of other sites, nor without their token', async () => {
    const { visitor, mails, settled } = await lives()
    const person = visitor()
    const body = new URLSearchParams({ email: 'Alice@example.com' })
    const plain = { method: 'POST', body, headers: { accept: 'text/html' } }
    const foreign = { ...plain, headers: { ...plain.headers, origin: 'https://evil.example' } }
    for (const init of [plain, foreign])
      expect((await person.send(FORGOTTEN, init)).status).toBe(403)
    expect((await person.send(RESET, plain)).status).toBe(403)
    await settled()
    expect(mails).toEqual([])
  })

  test.each([
    ['empty', ''],
    ['a beginning', 'v1.'],
    ['short', 'v1.AAAA'],
    ['long', `v1.${'A'.repeat(3000)}`],
    ['longer', `v1.${'A'.repeat(9000)}`],
    ['null', '\0'],
    ['a path', '../../'],
    ['a picture', 'v1.\u{1F600}'],
    ['part of a cookie', '"; Path=/evil'],
  ])('is refused a token that is none: %s', async (_, token) => {
    const { post, get } = await lives()
    const { status } = await post(RESET, { json: { token, password: 'through the glass' } })
    expect(status).toBe(400)
    const moved = await get(`${RESET}?token=${encodeURIComponent(token)}`)
    expect([302, 400]).toContain(moved.status)
    expect(moved.header('set-cookie') ?? '').not.toContain('evil')
  })

  test('reads mail in German', async () => {
    const { post, mails, settled } = await lives()
    const headers = { 'accept-language': 'de' }
    await post(FORGOTTEN, { json: { email: 'Alice@example.com' }, headers })
    await settled()
    expect(mails[0]).toMatchObject({ language: 'de', subject: 'Ein neues Passwort' })
  })
})

test.each([
  ['nothing sends mail in production', {}, { production: true }, /has no way to/],
  ['clients choose the host', { ALLOWED_HOSTS: ['*'] }, {}, /PUBLIC_URL/],
  ['clients choose a neighbour', { ALLOWED_HOSTS: ['.example.com'] }, {}, /PUBLIC_URL/],
  [
    'clients choose the port in production',
    { ALLOWED_HOSTS: ['example.com'] },
    { production: true },
    /Set PUBLIC_URL/,
  ],
])('a service does not start where %s', async (at, keys, more, message) => {
  const { accounts } = await lives()
  const api = defineApi({ urls: defineUrls(passwordResetUrls), accounts })
  const configuration = { ...configurationOf({ SECRET_KEY, ...keys }), ...more }
  const mail = at.startsWith('nothing') ? {} : { mail: () => {} }
  const serve = () => api.serve(passwordReset(api, { accounts, ...mail }), { configuration })
  expect(serve).toThrow(message)
})

function spyOn(database: object, statements: string[]): () => void {
  const own = database as Record<'rows' | 'write', (statement: { sql: string }) => unknown>
  const { rows, write } = own
  const spied = (method: typeof rows) =>
    function (this: unknown, statement: { sql: string }) {
      statements.push(statement.sql)
      return method.call(this, statement)
    }
  Object.assign(own, { rows: spied(rows), write: spied(write) })
  return () => void Object.assign(own, { rows, write })
}
