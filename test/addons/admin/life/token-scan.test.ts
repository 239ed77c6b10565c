// Tokens that a scanner found in public: a signed report ends them, and no other report does anything.
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { tokenScan, tokenScanUrls } from '../../../../src/account.ts'
import { TokenAuthentication, configurationOf, defineApi } from '../../../../src/index.ts'
import { client } from '../../../../src/testing.ts'
import { createAccounts } from '../../../../src/accounts/create-accounts.ts'
import { migratedSqlite } from '../../../contract/temporary.ts'

const AT = 1_735_689_600_000
const pairOf = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve })
const pem = ({ publicKey }: ReturnType<typeof pairOf>) =>
  publicKey.export({ type: 'spki', format: 'pem' }) as string

async function service(more: Readonly<Record<string, ReturnType<typeof pairOf>>> = {}) {
  const own = pairOf('prime256v1')
  const published: Record<string, ReturnType<typeof pairOf>> = { k1: own, ...more }
  const clock = { now: AT }
  const state = { fetched: 0, isAway: false }
  const network = vi.fn<typeof fetch>(async () => {
    state.fetched++
    if (state.isAway) throw new TypeError('fetch failed')
    const public_keys = Object.entries(published).map(([key_identifier, pair]) => ({
      key_identifier,
      key: pem(pair),
      is_current: true,
    }))
    return Response.json({ public_keys })
  })
  const database = await migratedSqlite()
  const accounts = createAccounts({
    database,
    secretKey: () => 'a secret',
    tokenPrefix: 'acme',
    manyTokens: true,
    refreshTokens: {},
  })
  const ada = await accounts.users.create({ username: 'ada' })
  const leaks: string[] = []
  accounts.events.on('token.leaked', ({ user, token, family, url }) => {
    leaks.push(`${user.username} ${token?.name ?? family?.label} ${url}`)
  })
  const api = defineApi({
    urls: { ...tokenScanUrls, me: '/me/' },
    authentication: [new TokenAuthentication(accounts)],
    credentialFailures: '50/h',
    logger: { error() {}, info() {} },
  })
  const app = api.serve(
    [
      ...tokenScan(api, { accounts, fetch: network, now: () => clock.now }),
      api.endpoint('me').get(({ auth }) => auth?.name),
    ],
    { configuration: configurationOf({}) },
  )
  const send = (body: string, headers: Readonly<Record<string, string>>) =>
    client(app).post('/token-scan/', {
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })
  const signed = (body: string, name = 'k1', pair = own) =>
    send(body, {
      'github-public-key-identifier': name,
      'github-public-key-signature': sign('sha256', Buffer.from(body), pair.privateKey).toString(
        'base64',
      ),
    })
  const me = async (key: string) =>
    (await client(app).get('/me/', { headers: { authorization: `Token ${key}` } })).status
  return {
    api,
    accounts,
    ada,
    app,
    send,
    signed,
    me,
    leaks,
    own,
    published,
    clock,
    state,
    database,
  }
}

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')
const url = 'https://github.com/ada/x/blob/1/a.txt'

describe('A report of leaked tokens', () => {
  test('ends each that is known, and says which were made here', async () => {
    const { accounts, ada, signed, me, leaks } = await service()
    const ci = (await accounts.tokens.issue(ada, { name: 'ci' }))!
    const kept = (await accounts.tokens.issue(ada, { name: 'kept' }))!
    const spent = await accounts.families.begin(ada, { label: 'phone' })
    const pair = (await accounts.families.use(spent.refresh))!
    const forged = `${ci.key.slice(0, -1)}${ci.key.endsWith('0') ? '1' : '0'}`
    const tokens = [ci.key, forged, spent.refresh, 'acme_rt_x', 'x'.repeat(5000)]
    const body = JSON.stringify(
      tokens.map((token) => ({ token, type: 'acme_token', url, source: 'content' })),
    )
    const labels = ['true', 'false', 'true', 'false', 'false']
    const { status, data } = await signed(body)
    expect(status).toBe(200)
    expect(data).toEqual(
      tokens.map((token, at) => ({
        token_hash: hashOf(token),
        token_type: 'acme_token',
        label: `${labels[at]}_positive`,
      })),
    )
    expect([await me(ci.key), await me(pair.access), await me(kept.key)]).toEqual([401, 401, 200])
    expect(leaks).toEqual([`ada ci ${url}`, `ada phone ${url}`])
    // Once more, as a scanner does that got no answer: they were made here all the same.
    expect((await signed(body)).data).toEqual(data)
    expect(leaks).toHaveLength(2)
    const trail = await accounts.lists.audit.slice(0, 10)
    expect(trail.map(({ action, token, details }) => [action, token, details])).toEqual([
      ['token.leaked', 'ci', JSON.stringify({ url })],
      ['family.ended', null, JSON.stringify({ label: 'phone', reason: 'leaked' })],
    ])
  })

  test.each<[string, string, object]>([
    ['a long address', `${url}/${'a'.repeat(2500)}`, {}],
    ['no characters in its address', 'a\0b\ud800', {}],
    ['an address cut in a pair', `${'a'.repeat(1999)}\u{1f600}`, {}],
    ['a long type', url, { type: 't'.repeat(201) }],
    ['null for a type', url, { type: null }],
  ])('ends a token with %s', async (_, address, more) => {
    const { accounts, ada, signed, me, leaks } = await service()
    const { key } = (await accounts.tokens.issue(ada, { name: 'ci' }))!
    const token = `${key}\n`
    const odd = [{ token: '' }, { token: {} }, 7, null, { token: 'a\0\ud800' }, {}]
    const { status, data } = await signed(
      JSON.stringify([...odd, { token, url: address, ...more }]),
    )
    const labels = (data as { label: string }[]).map(({ label }) => label)
    expect([status, labels]).toEqual([200, [...odd.map(() => 'false_positive'), 'true_positive']])
    expect(data).toContainEqual(expect.objectContaining({ token_hash: hashOf(token) }))
    expect(await me(key)).toBe(401)
    const kept = address.slice(0, 2000).toWellFormed().replace('\0', '\ufffd')
    expect(leaks).toEqual([`ada ci ${kept}`])
  })

  test('needs the signature of the scanner over the very bytes', async () => {
    const other = pairOf('prime256v1')
    // Of another curve, whose signatures look the same.
    const odd = pairOf('secp256k1')
    const { accounts, ada, send, signed, me, own, database } = await service({ odd })
    const { key } = (await accounts.tokens.issue(ada, { name: 'ci' }))!
    const body = JSON.stringify([{ token: key, type: 't', url }])
    const rows = vi.spyOn(database, 'rows')
    const signature = sign('sha256', Buffer.from(body), own.privateKey).toString('base64')
    const headers = (identifier: string, of: string) => ({
      'github-public-key-identifier': identifier,
      'github-public-key-signature': of,
    })
    const refused = [
      await send(body, {}),
      await send(body, { 'github-public-key-signature': signature }),
      await send(body, headers('k1', '')),
      await send(`${body} `, headers('k1', signature)),
      await send(body, headers('k1', 'A'.repeat(96))),
      await send(body, headers('k1', 'A'.repeat(10_000))),
      await send(body, headers('__proto__', signature)),
      await send('', headers('k1', signature)),
      await signed(body, 'k1', other),
      await signed(body, 'odd', odd),
    ]
    for (const { status, data } of refused)
      expect([status, data]).toEqual([403, { detail: expect.stringContaining('not signed') }])
    expect(rows).not.toHaveBeenCalled()
    expect(await me(key)).toBe(200)
    expect((await send(body, headers('k1', signature))).status).toBe(200)
    expect(await me(key)).toBe(401)
  })

  test.each([
    '{}',
    '[1]',
    '[{"token": ""}]',
    '[{"token": null}]',
    '[{"token": {}}]',
    '[',
    'null',
    '[{"type": "x"}]',
  ])('that is %s is 400', async (body) => {
    const { signed } = await service()
    expect((await signed(body)).status).toBe(400)
  })

  test('asks for keys when it needs one, once in a cool-down, and uses known ones while the scanner is away', async () => {
    const { signed, state, clock, published } = await service()
    for (let at = 0; at < 3; at++) expect((await signed('[]')).status).toBe(200)
    expect(state.fetched).toBe(1)
    const next = pairOf('prime256v1')
    published['k2'] = next
    clock.now += 30_000
    expect((await signed('[]', 'k2', next)).status).toBe(200)
    for (let at = 0; at < 20; at++) expect((await signed('[]', `x${at}`)).status).toBe(403)
    expect(state.fetched).toBe(2)
    state.isAway = true
    clock.now += 3_600_000
    expect((await signed('[]', 'k2', next)).status).toBe(200)
    clock.now += 24 * 3_600_000
    const { status, header } = await signed('[]')
    expect([status, header('retry-after')]).toEqual([503, '30'])
    state.isAway = false
    clock.now += 30_000
    expect((await signed('[]')).status).toBe(200)
  })

  test('takes keys from an address of HTTPS alone', async () => {
    const { accounts, api } = await service()
    for (const keys of ['http://keys.example/', 'keys'])
      expect(() => tokenScan(api, { accounts, keys })).toThrow('tokenScan: "keys" is')
  })
})

test('Scanners find tokens of each kind by the published pattern', async () => {
  const { accounts, ada } = await service()
  const { key } = (await accounts.tokens.issue(ada, { name: 'ci' }))!
  const { access, refresh } = await accounts.families.begin(ada)
  const text = `KEY=${key}\n"${access}", ${refresh}. x${key} ${access}_ acme_rt_`
  // One with scopes of its own is longer: the last is found, and is none.
  expect(text.match(accounts.tokens.pattern!)).toEqual([key, access, refresh, `${access}_`])
})
