// SEC2 without a stopwatch: an address or a name that has an account costs as much as one that has none: hashes, statements, and
// mails before and after the answer, and rows before it. `npm run bench -- timing` measures it in microseconds.
import { createHook } from 'node:async_hooks'
import { describe, expect, onTestFinished, test } from 'vitest'
import { HashQueue } from '../../src/accounts.ts'
import { tellingOfStatements } from '../../src/core/std/statements.ts'
import { SERVERS } from '../setup/databases.ts'
import { type Person, type WholeService, wholeService } from './whole-service.ts'

class CountingQueue extends HashQueue {
  count = 0

  override run<T>(...[work, client]: Parameters<typeof HashQueue.prototype.run<T>>): Promise<T> {
    this.count++
    return super.run(work, client)
  }
}

interface Who {
  readonly username: string
  readonly email: string
}

const KNOWN: Who = { username: 'alice', email: 'alice@example.com' }
const UNKNOWN: Who = { username: 'alicf', email: 'alicf@example.com' }
/** Behind all others, and before. */
const ENDS: readonly Who[] = ['zzz', '+'].map((username) => ({
  username,
  email: `${username}@example.com`,
}))
const INACTIVE: Who = { username: 'bobby', email: 'bobby@example.com' }

type Ask = (browser: Person, who: Who) => Promise<unknown>
const wrong = ({ username }: Who) => ({ username, password: 'a wrong guess' })

const WAYS: Readonly<Record<string, Ask>> = {
  'a forgotten password': (browser, { email }) => browser.post('/password/forgotten/', { email }),
  'a registration': (browser, { email }) => browser.post('/register/', { username: 'x', email }),
  'a change of the own address': (browser, { email }) =>
    browser.post('/email/', { email, current: 'explorer' }),
  'a log-in as JSON': (browser, who) => browser.post('/session/', wrong(who)),
  'a log-in for a token': (browser, who) => browser.post('/token/', wrong(who)),
  'a log-in by Basic': (browser, { username }) =>
    browser.send('/me/', { headers: { authorization: `Basic ${btoa(`${username}:wrong`)}` } }),
  'a log-in on the page': (browser, { username }) => {
    const csrfmiddlewaretoken = browser.jar.get('csrftoken')!
    const body = new URLSearchParams({ ...wrong({ username, email: '' }), csrfmiddlewaretoken })
    return browser.send('/login/', { method: 'POST', body, headers: { accept: 'text/html' } })
  },
}

/** What came of it, and what it cost until the answer, and until all was done. */
async function costOf(
  service: WholeService,
  hashQueue: CountingQueue,
  ask: () => Promise<unknown>,
) {
  const { app, clock, mails } = service
  clock.advance(3_700_000)
  const statements: string[] = []
  const rows: number[] = []
  let promises = 0
  const hook = createHook({ init: (_, type) => void (promises += Number(type === 'PROMISE')) })
  hashQueue.count = 0
  const sent = mails.length
  return tellingOfStatements(
    (asked) => {
      statements.push(asked.sql)
      rows.push(asked.rows)
    },
    async () => {
      hook.enable()
      const answer = await ask()
      hook.disable()
      const [before, hashes, read] = [statements.length, hashQueue.count, [...rows]]
      await app.close()
      const text = answer instanceof Response ? [answer.status, plain(await answer.text())] : answer
      const mailed = mails.length - sent
      return {
        answer: text,
        promises,
        hashes,
        before,
        read,
        statements: [...statements],
        mailed,
      }
    },
  )
}

/** A page without its CSRF token and the name that was typed. */
function plain(page: string): string {
  return page.replaceAll(/ value="[^"]*"/g, '')
}

describe.each(['sqlite', ...SERVERS] as const)('on %s', (place) => {
  test.each(Object.entries(WAYS))('%s', async (name, ask) => {
    const hashQueue = new CountingQueue({ waiting: 1000 })
    const service = await wholeService(place, hashQueue)
    const { accounts, visitor } = service
    await accounts.users.create({ ...KNOWN, password: 'wonderland' })
    await accounts.users.create({ ...INACTIVE, password: 'builder', isActive: false })
    const user = await accounts.users.create({ username: 'dora', password: 'explorer' })
    const isOwner = name.includes('own')
    const cost = async (who: Who) => {
      const browser = visitor()
      if (isOwner) browser.jar.set('sessionid', await accounts.sessions.start(user))
      await browser.send('/session/')
      return costOf(service, hashQueue, () => ask(browser, who))
    }
    // What is made when it is first needed is made.
    for (const each of [KNOWN, UNKNOWN, INACTIVE, ...ENDS]) await cost(each)
    onTestFinished(() => service.app.close())
    const known = await cost(KNOWN)
    for (const other of [UNKNOWN, INACTIVE, ...ENDS]) {
      const { mailed, promises, ...rest } = await cost(other)
      // That of a forgotten password goes to an account. It is sent after the answer.
      const { mailed: own, promises: ownPromises, ...expected } = known
      expect(rest).toEqual(expected)
      if (name !== 'a forgotten password') expect(mailed).toBe(own)
      // Drivers of servers wait as it happens, and so does a hash, which another thread makes. A timer may fall into one of three.
      if (place === 'sqlite' && known.hashes === 0) {
        const again = [await cost(KNOWN), await cost(other), await cost(KNOWN), await cost(other)]
        const [ofKnown, ofOther] = [[ownPromises], [promises]]
        for (const [at, each] of again.entries())
          (at % 2 === 0 ? ofKnown : ofOther).push(each.promises)
        expect(Math.min(...ofOther)).toBe(Math.min(...ofKnown))
      }
    }
    expect(known.statements.length + known.hashes).toBeGreaterThan(0)
  })
})
