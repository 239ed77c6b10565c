import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { loginPages, loginUrls } from '../../../src/browsable.ts'
import { factorEndpoints, factorUrls, secondFactors } from '../../../src/factors.ts'
import {
  ConfigurationError,
  SessionAuthentication,
  defineApi,
  defineUrls,
  loginSession,
  renewSession,
  showSession,
} from '../../../src/index.ts'
import {
  type PasskeysOptions,
  passkeyEndpoints,
  passkeyUrls,
  passkeys,
} from '../../../src/passkeys.ts'
import { openApiDocument } from '../../../src/openapi.ts'
import { Browser } from '../../behaviour/browser.ts'
import { doorsOn } from '../../behaviour/doors.ts'
import { type SessionService, startSessionsOnDatabases } from '../../behaviour/session-service.ts'

const ORIGIN = 'https://library.example'
const services = await startSessionsOnDatabases()

function serve({ accounts, configuration, clock }: SessionService, isApart = false) {
  const { now } = clock
  const factors = secondFactors({ accounts, issuer: 'Library', now })
  const asked = isApart ? {} : { factors }
  const keys = passkeys({ accounts, ...asked, name: 'Library', origins: [ORIGIN], now })
  const api = defineApi({
    urls: defineUrls({ ...loginUrls, ...factorUrls, ...passkeyUrls, session: '/session/' }),
    accounts,
    authentication: [new SessionAuthentication(accounts)],
  })
  const options = { accounts, factors, passkeys: keys }
  const session = api
    .endpoint('session')
    .get(showSession(options))
    .post(loginSession(options))
    .put(renewSession(options))
  const app = api.serve(
    [
      ...loginPages(api, options),
      ...factorEndpoints(api, { ...options, permissions: [] }),
      ...passkeyEndpoints(api, { ...options, permissions: [] }),
      session,
    ],
    { configuration },
  )
  return { app, door: doorsOn('SQLite', app)[0]! }
}

/** A device in software: what it answers is written here as WebAuthn has it (6.1, 6.5), and nothing of it is checked. */
class Device {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly id = randomBytes(16).toString('base64url')
  counter = 0
  handle = ''

  create({ challenge, user }: Options, changes: Changes = {}) {
    this.handle = user!.id
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' })
    // The key as COSE has it: { 1: 2, 3: -7, -1: 1, -2: x, -3: y }.
    const key = [hex('a5010203262001215820'), bytes(x!), hex('225820'), bytes(y!)]
    const id = bytes(this.id)
    const attested = [Buffer.alloc(16), Buffer.from([0, id.length]), id, ...key]
    const data = this.#data(changes, 0x40, attested)
    const head = hex('a363666d74646e6f6e656761747453746d74a06861757468446174615890')
    // The length of the data: one byte is enough for those of this device.
    const attestationObject = Buffer.concat([
      head.subarray(0, -2),
      Buffer.from([0x58, data.length]),
      data,
    ])
    return this.#answer('webauthn.create', challenge, changes, {
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    })
  }

  get({ challenge }: Options, changes: Changes = {}) {
    if (this.counter > 0) this.counter += 1
    const data = this.#data(changes)
    const client = clientData('webauthn.get', challenge, changes)
    const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
    const signature = sign('sha256', signed, this.#keys.privateKey)
    return this.#answer('webauthn.get', challenge, changes, {
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: changes.handle === undefined ? this.handle : changes.handle,
    })
  }

  #data({ rpId = 'library.example', flags = 0x05 }: Changes, more = 0, attested: Buffer[] = []) {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    const hashed = createHash('sha256').update(rpId).digest()
    return Buffer.concat([hashed, Buffer.from([flags | more]), counter, ...attested])
  }

  #answer(type: string, challenge: string, changes: Changes, response: object) {
    const clientDataJSON = clientData(type, challenge, changes).toString('base64url')
    return { id: this.id, type: 'public-key', response: { clientDataJSON, ...response } }
  }
}

interface Options {
  readonly challenge: string
  readonly user?: { readonly id: string }
}

interface Changes {
  readonly origin?: string
  readonly crossOrigin?: boolean
  readonly rpId?: string
  /** Bit 0: someone was there; bit 2: it was the user. */
  readonly flags?: number
  readonly handle?: string | null
}

function clientData(
  type: string,
  challenge: string,
  { origin = ORIGIN, crossOrigin = false }: Changes,
) {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }))
}

const hex = (text: string) => Buffer.from(text, 'hex')
const bytes = (text: string) => Buffer.from(text, 'base64url')

describe.each(services)('passkeys on $on', (service) => {
  const { accounts, clock } = service
  const { app, door } = serve(service)
  let people = 0

  const send = async (browser: Browser, question: string, json: unknown = {}) => {
    if (browser.cookie('csrftoken') === '') await browser.ask('GET /session/')
    const headers = { 'X-CSRFToken': browser.cookie('csrftoken') }
    const more = question.startsWith('GET') ? {} : { json, headers }
    const answer = await browser.ask(question, more)
    return { ...answer, data: answer.text === '' ? null : JSON.parse(answer.text) }
  }
  const optionsOf = async (browser: Browser, path: string, json: object = {}): Promise<Options> =>
    (await send(browser, `POST ${path}`, json)).data.options
  const logIn = async (browser: Browser, device: Device, changes: Changes = {}) => {
    const options = await optionsOf(browser, '/login/passkey/')
    return send(browser, 'POST /session/', { passkey: device.get(options, changes) })
  }

  /** Someone new, with a session. */
  const someone = async () => {
    const username = `person${++people}`
    const user = await accounts.users.create({ username, password: 'wonderland' })
    const browser = new Browser(door)
    await send(browser, 'POST /session/', { username, password: 'wonderland' })
    return { username, user, browser }
  }
  const add = async (browser: Browser, device: Device, changes: Changes = {}) => {
    const options = await optionsOf(browser, '/account/passkeys/begin/')
    const passkey = device.create(options, changes)
    return send(browser, 'POST /account/passkeys/add/', { name: 'phone', passkey })
  }
  /** Someone with a passkey that counts. */
  const careful = async () => {
    const person = await someone()
    const device = new Device()
    device.counter = 1
    const added = await add(person.browser, device)
    if (added.status !== 201) throw new Error(added.text)
    return { ...person, device, codes: added.data.recovery_codes as string[] }
  }

  test('a passkey logs in, is a second factor, and is in the list with the day of its last use', async () => {
    const { username, browser, device, codes } = await careful()
    expect(codes).toHaveLength(10)
    const other = new Browser(door)
    const answer = await logIn(other, device)
    expect([answer.status, answer.data.user.username]).toEqual([200, username])
    const password = { username, password: 'wonderland' }
    const waiting = new Browser(door)
    expect((await send(waiting, 'POST /session/', password)).data.code).toBe(
      'second_factor_required',
    )
    const options = await optionsOf(waiting, '/login/passkey/', { known: true })
    expect(options).toMatchObject({
      allowCredentials: [{ id: device.id, transports: ['internal'] }],
    })
    const passkey = device.get(options, { handle: null })
    expect((await send(waiting, 'POST /session/', { passkey })).status).toBe(200)
    expect(waiting.cookie('second_factor')).toBe('')
    const { factors } = (await send(browser, 'GET /account/factors/')).data
    expect(factors).toMatchObject([{ kind: 'passkey', name: 'phone' }])
    expect(factors[0].lastUsed).not.toBeNull()
    // Lost: a recovery code lets in as before.
    const lost = new Browser(door)
    await send(lost, 'POST /session/', password)
    expect((await send(lost, 'POST /session/', { code: codes[0] })).status).toBe(200)
  })

  test('a passkey ends the sessions and refresh tokens that were begun without it, but for its own session', async () => {
    const { browser, user, username } = await someone()
    const other = new Browser(door)
    await send(other, 'POST /session/', { username, password: 'wonderland' })
    const { refresh } = await accounts.families.begin(user)
    expect((await add(browser, new Device())).status).toBe(201)
    const who = async (each: Browser) => (await send(each, 'GET /session/')).data.user?.username
    expect([await who(browser), await who(other)]).toEqual([username, undefined])
    expect(await accounts.families.use(refresh)).toBeNull()
  })

  test('a passkey shows recovery codes wherever the accounts ask for a second factor', async () => {
    const { browser } = await someone()
    const apart = new Browser(doorsOn('SQLite', serve(service, true).app)[0]!)
    for (const [name, value] of browser.cookies) apart.cookies.set(name, value)
    expect((await add(apart, new Device())).data.recovery_codes).toHaveLength(10)
  })

  test.each([
    ['another origin', { origin: 'https://evil.library.example' }],
    ['a page within another', { crossOrigin: true }],
    ['another domain', { rpId: 'evil.example' }],
    ['no finger and no PIN', { flags: 0x01 }],
    ['no one there', { flags: 0x04 }],
    ['another user of the device', { handle: 'AAAA' }],
    ['no user of the device', { handle: null }],
  ] satisfies readonly [string, Changes][])('refused is %s', async (_, changes) => {
    const { device } = await careful()
    expect((await logIn(new Browser(door), device, changes)).status).toBe(400)
    expect((await logIn(new Browser(door), device)).status).toBe(200)
    if ('handle' in changes) return
    const { browser } = await someone()
    expect((await add(browser, new Device(), changes)).data).toHaveProperty('passkey')
  })

  test('a challenge is answered once, also at the same moment, in time, and in its own session', async () => {
    const { browser: own } = await careful()
    // One that counts nothing: no counter stands in for the challenge.
    const device = new Device()
    await add(own, device)
    const browser = new Browser(door)
    const passkey = device.get(await optionsOf(browser, '/login/passkey/'))
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const again = new Browser(door)
        for (const [name, value] of browser.cookies) again.cookies.set(name, value)
        return (await send(again, 'POST /session/', { passkey })).status
      }),
    )
    expect(answers.filter((status) => status === 200)).toHaveLength(1)

    const late = device.get(await optionsOf(browser, '/login/passkey/'))
    clock.advance(300_001)
    expect((await send(browser, 'POST /session/', { passkey: late })).status).toBe(400)

    const foreign = await someone()
    const begun = await optionsOf(own, '/account/passkeys/begin/')
    const made = { passkey: new Device().create(begun) }
    const again = new Browser(door)
    expect((await logIn(again, device)).status).toBe(200)
    for (const other of [foreign.browser, again]) {
      other.cookies.set('passkey_challenge', own.cookie('passkey_challenge'))
      expect((await send(other, 'POST /account/passkeys/add/', made)).status).toBe(400)
    }
    expect((await send(own, 'POST /account/passkeys/add/', made)).status).toBe(201)
  })

  test('one that no one has writes nothing, since anyone may send it as often as they like', async () => {
    const { device } = await careful()
    const browser = new Browser(door)
    const options = await optionsOf(browser, '/login/passkey/')
    const spent = async (own: Device) => {
      const { status } = await send(browser, 'POST /session/', { passkey: own.get(options) })
      const digest = createHash('sha256').update(`passkey ${options.challenge}`).digest('base64')
      return [status, await accounts.links.isSpent({ digest, end: 0 })]
    }
    expect(await spent(new Device())).toEqual([400, false])
    expect(await spent(device)).toEqual([200, true])
  })

  test('a counter that goes back is refused and in the log; one that stays at 0 counts nothing', async () => {
    const { device, username } = await careful()
    const reasons: string[] = []
    const off = accounts.events.on('login.failed', (event) => {
      if (event.username === username) reasons.push(event.reason)
    })
    device.counter = 40
    expect((await logIn(new Browser(door), device)).status).toBe(200)
    device.counter = 40
    const answers = [await logIn(new Browser(door), device), await logIn(new Browser(door), device)]
    // The device counts before it answers: 41 was used, and 42 was not.
    expect(answers.map(({ status }) => status)).toEqual([400, 200])
    expect(reasons).toEqual(['counter'])
    off()
    const { browser } = await someone()
    const synced = new Device()
    await add(browser, synced)
    expect((await logIn(new Browser(door), synced)).status).toBe(200)
    expect((await logIn(new Browser(door), synced)).status).toBe(200)
  })

  test('one of another user is no proof of who waits, and is not registered twice', async () => {
    const ada = await careful()
    const eve = await careful()
    const options = await optionsOf(ada.browser, '/login/passkey/', { known: true })
    const passkey = eve.device.get(options)
    expect((await send(ada.browser, 'PUT /session/', { passkey })).status).toBe(400)
    const own = ada.device.get(await optionsOf(ada.browser, '/login/passkey/', { known: true }))
    expect((await send(ada.browser, 'PUT /session/', { passkey: own })).status).toBe(200)
    expect((await add(eve.browser, ada.device)).status).toBe(409)
    const nobody = await send(new Browser(door), 'POST /login/passkey/', { known: true })
    expect(nobody.status).toBe(403)
  })

  test.each([
    ['nothing', null],
    ['a text', 'passkey'],
    ['no parts', { id: 'AAAA' }],
    ['a long id', { id: 'A'.repeat(1401), response: {} }],
    ['a part that is no text', { id: 'AAAA', response: { clientDataJSON: 5 } }],
    ['a part that is no JSON', { id: 'AAAA', response: { clientDataJSON: 'AAAA' } }],
    [
      'deep CBOR',
      {
        id: 'AAAA',
        response: {
          clientDataJSON: Buffer.from('{}').toString('base64url'),
          attestationObject: Buffer.alloc(5900, 0x81).toString('base64url'),
        },
      },
    ],
  ])('%s in place of a passkey is refused', async (_, passkey) => {
    const { browser } = await careful()
    await optionsOf(browser, '/login/passkey/')
    expect((await send(browser, 'POST /session/', { passkey })).status).toBe(400)
    await optionsOf(browser, '/account/passkeys/begin/')
    expect((await send(browser, 'POST /account/passkeys/add/', { passkey })).status).toBe(400)
  })

  test('an id beside that of the key is refused: it would be one of another passkey', async () => {
    const { browser } = await someone()
    const options = await optionsOf(browser, '/account/passkeys/begin/')
    const passkey = { ...new Device().create(options), id: randomBytes(16).toString('base64url') }
    const added = await send(browser, 'POST /account/passkeys/add/', { name: 'phone', passkey })
    expect(added.status).toBe(400)
    const { factors } = (await send(browser, 'GET /account/factors/')).data
    expect(factors).toEqual([])
  })

  test('what is done is in the audit trail, and in the document', async () => {
    const { browser, user, username, codes } = await careful()
    const lost = new Browser(door)
    await send(lost, 'POST /session/', { username, password: 'wonderland' })
    await send(lost, 'POST /session/', { code: codes[0] })
    const [factor] = await accounts.factors.passkeys(user)
    const removed = await send(browser, 'POST /account/factors/remove/', { id: factor!.id })
    expect([removed.status, await accounts.factors.of(user)]).toEqual([204, []])
    const { values } = await accounts.database.rows({
      sql: `select action from colophon_audit where user_id = ${user.id} order by id`,
      parameters: [],
    })
    expect(values.flat()).toEqual(['factor.added', 'recovery_code.used', 'factor.removed'])
    const { paths } = openApiDocument(app)
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(Object.values(passkeyUrls)))
  })
})

test.each([
  [{ name: '' }, 'passkeys: "name" is "". It is the name of your service, which devices show.'],
  [{ origins: [] }, 'passkeys: "origins" must name the pages'],
  [{ origins: ['http://library.example'] }, 'passkeys: "origins" has "http://library.example".'],
  [{ origins: ['https://library.example/login'] }, 'passkeys: "origins" has'],
  [{ origins: [ORIGIN, 'https://other.example'] }, 'passkeys: "rpId" is "library.example"'],
  [{ origins: ['https://192.0.2.1'] }, 'passkeys: "rpId" is "192.0.2.1"'],
  [{ rpId: 'ibrary.example' }, 'passkeys: "rpId" is "ibrary.example"'],
] satisfies readonly [Partial<PasskeysOptions>, string][])(
  '%o is refused at the start',
  (wrong, sentence) => {
    const { accounts } = services[0]!
    const made = () => passkeys({ accounts, name: 'Library', origins: [ORIGIN], ...wrong })
    expect(made).toThrow(ConfigurationError)
    expect(made).toThrow(sentence)
  },
)
