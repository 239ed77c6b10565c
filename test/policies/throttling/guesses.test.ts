// People and strangers at several places, in random order: who gets in, and how much can be guessed.
import { describe, expect, test } from 'vitest'
import { DatabaseUnavailable } from '../../../src/core/errors/storage-errors.ts'
import {
  AuthenticationFailed,
  MemoryCounters,
  ServiceUnavailable,
  Throttled,
} from '../../../src/index.ts'
import type { CounterStore, Counters, Guess } from '../../../src/types.ts'
import type { Standing } from '../../../src/core/ports/policies/throttling.ts'
import {
  limitRefusal,
  subjectOf,
  GuessLimits,
} from '../../../src/policies/throttling/credential-limits.ts'
import { PASSWORDS, guess, guessing, openPeople } from '../../behaviour/guessing.ts'

const SEED = Number(process.env['GUESS_SEED'] ?? 12)
const PLACES = ['192.0.2.1', '192.0.2.2', '198.51.100.3', '203.0.113.4'] as const
const PEOPLE = ['ada', 'bob', 'eve'] as const
/** So many that a client may reach the limit of its own, which is that of ten accounts. */
const NAMES = [...PEOPLE, ...Array.from({ length: 60 }, (_, at) => `nobody ${at}`)]
const [LIMIT, WINDOW] = [3, 600_000]
const RATE = { limit: 1, seconds: 600 }

/** The same numbers for the same seed (a linear congruence). */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * sides)
  }
}

/** What has to come of each attempt, by the rules as they are written. */
class Rules {
  readonly #wrong = new Map<string, number[]>()
  readonly #known = new Set<string>()
  /** Kinds of what was full. */
  readonly refused = new Set<string>()

  subjects(name: string, place: string): readonly string[] {
    const pair = `${name} at ${place}`
    return this.#known.has(pair) ? [pair] : [`account ${name}`, `client ${place}`]
  }

  answer(name: string, place: string, isRight: boolean, now: number): number {
    const subjects = this.subjects(name, place)
    const most = (subject: string): number => (subject.startsWith('client') ? 10 : 1) * LIMIT
    const full = subjects.filter((subject) => this.recent(subject, now) >= most(subject))
    for (const subject of full) this.refused.add(subject.split(' ')[0]!)
    if (full.length > 0) return 429
    if (isRight) {
      this.#known.add(`${name} at ${place}`)
      return 200
    }
    for (const subject of subjects)
      this.#wrong.set(subject, [...(this.#wrong.get(subject) ?? []), now])
    return 400
  }

  recent(subject: string, now: number): number {
    return (this.#wrong.get(subject) ?? []).filter((moment) => moment > now - WINDOW).length
  }
}

describe.each(Array.from({ length: 10 }, (_, at) => SEED * 1000 + at))('GUESS_SEED %j', (seed) => {
  test('each attempt is answered by the rules, and a refused one costs no hash', async () => {
    const { logIn, clock, queue } = await guessing()
    const [roll, rules] = [dice(seed), new Rules()]
    for (let at = 0; at < 500; at++) {
      clock.advance(roll(40) === 0 ? roll(300_000) : roll(2000))
      const names = roll(3) === 0 ? PEOPLE : NAMES
      const [name, place] = [names[roll(names.length)]!, PLACES[roll(PLACES.length)]!]
      const right = PASSWORDS[name as keyof typeof PASSWORDS] as string | undefined
      const isRight = right !== undefined && roll(3) === 0
      const password = isRight ? right : `wrong ${at}`
      const [hashed, wanted] = [queue.hashed, rules.answer(name, place, isRight, clock.now())]
      const [status] = (await logIn(place, name, password)).split(' ')
      expect([at, name, place, Number(status)]).toEqual([at, name, place, wanted])
      expect(queue.hashed - hashed).toBe(wanted === 429 ? 0 : 1)
    }
    // Each kind of limit has refused something: an account, a client, and a person at a place.
    for (const kinds of [['account'], ['client'], PEOPLE])
      expect(kinds.some((kind) => rules.refused.has(kind))).toBe(true)
  })
})

test('the owner gets in at home, while strangers guess at the same moment from everywhere', async () => {
  const { logIn, clock, queue } = await guessing()
  const [home, ...elsewhere] = PLACES
  expect(await logIn(home, 'ada', PASSWORDS.ada)).toBe('200')
  for (let round = 0; round < 5; round++) {
    queue.hashed = 0
    const strangers = [...elsewhere, home].flatMap((place) =>
      Array.from({ length: 40 }, (_, at) =>
        logIn(place, place === home ? 'bob' : 'ada', `wrong ${round} ${at} ${place}`),
      ),
    )
    const owner = Array.from({ length: 10 }, () => logIn(home, 'ada', PASSWORDS.ada))
    expect(new Set(await Promise.all(owner))).toEqual(new Set(['200']))
    const answers = await Promise.all(strangers)
    // Three for ada, and three for bob, who is not known there.
    expect(answers.filter((answer) => answer === '400')).toHaveLength(6)
    expect(queue.hashed).toBe(16)
    clock.advance(WINDOW)
  }
})

describe('a thousand at once', () => {
  test('wrong passwords cost as many hashes as may be wrong', async () => {
    const { logIn, queue } = await guessing({ rate: '10/10m' })
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, at) => logIn(PLACES[0], 'ada', `wrong ${at}`)),
    )
    expect(queue.hashed).toBe(10)
    expect(answers.filter((answer) => answer === '400')).toHaveLength(10)
    expect(new Set(answers)).toEqual(new Set(['400', '429 600']))
  })

  test('wrong passwords for one account, each from another address', async () => {
    const { logIn, queue } = await guessing({ rate: '10/10m' })
    const from = (at: number) => `10.0.${at >> 8}.${at & 255}`
    await Promise.all(
      Array.from({ length: 1000 }, (_, at) => logIn(from(at), 'ada', `wrong ${at}`)),
    )
    expect(queue.hashed).toBe(10)
  })

  test('the same wrong password is one guess, and keeps the right one out nowhere', async () => {
    const { logIn, queue } = await guessing({ rate: '2/10m' })
    const answers = await Promise.all(
      Array.from({ length: 1000 }, () => logIn(PLACES[0], 'ada', 'wrong')),
    )
    expect(queue.hashed).toBe(1)
    expect(answers.filter((answer) => answer === '400')).toHaveLength(2)
    expect(await logIn(PLACES[0], 'ada', PASSWORDS.ada)).toBe('200')
  })

  test('the same wrong token is one guess, for a client without wrong ones and for one that had some', async () => {
    const { key } = await guessing({ rate: '3/10m' })
    for (const word of ['one', 'two'])
      await Promise.all(Array.from({ length: 1000 }, () => key(PLACES[0], word)))
    expect(await key(PLACES[0], 'a'.repeat(40))).toBe('200')
    expect(await key(PLACES[0], 'three')).toBe('401')
    expect(await key(PLACES[0], 'four')).toBe('429 600')
  })

  test('the same right password passes each time', async () => {
    const { logIn } = await guessing({ rate: '2/10m' })
    const answers = Array.from({ length: 100 }, () => logIn(PLACES[0], 'ada', PASSWORDS.ada))
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['200']))
  })

  test('right tokens pass, also where wrong ones are refused', async () => {
    const { key, accounts } = await guessing({ rate: '10/10m' })
    const all = (word: string) => Array.from({ length: 1000 }, () => key(PLACES[0], word))
    expect(new Set(await Promise.all(all('a'.repeat(40))))).toEqual(new Set(['200']))
    const wrong = await guess((word) => key(PLACES[0], word.replace(' ', '').padEnd(40, 'x')), 15)
    expect(wrong).toEqual([...Array<string>(10).fill('401'), ...Array<string>(5).fill('429 600')])
    expect(new Set(await Promise.all(all('a'.repeat(40))))).toEqual(new Set(['200']))
    // So does one that no process has seen, as after a restart: it is too long to be guessed.
    const bob = (await accounts.users.byUsername('bob'))!
    const { key: unseen } = await accounts.tokens.obtain(bob)
    expect(await key(PLACES[0], unseen)).toBe('200')
  })

  test('keys that are short enough to be guessed are refused before they are looked up', async () => {
    const { key, accounts } = await guessing({ rate: '10/10m' })
    const bob = (await accounts.users.byUsername('bob'))!
    await accounts.tokens.create(bob, 'b'.repeat(31))
    await guess((word) => key(PLACES[0], word.replace(' ', '')), 10)
    expect(await key(PLACES[0], 'b'.repeat(31))).toBe('429 600')
    expect(await key(PLACES[1], 'b'.repeat(31))).toBe('200')
    expect(await key(PLACES[0], 'b'.repeat(31))).toBe('200')
  })

  test('unseen right tokens of a client that had a wrong one wait for each other, and pass', async () => {
    const { key, accounts } = await guessing({ rate: '2/10m' })
    expect(await key(PLACES[0], 'wrong')).toBe('401')
    const keys = Array.from({ length: 6 }, (_, at) => `short ${at}`.replace(' ', '-'))
    for (const word of keys) {
      const user = await accounts.users.create({ username: `person of ${word}` })
      await accounts.tokens.create(user, word)
    }
    const answers = await Promise.all(keys.map((each) => key(PLACES[0], each)))
    expect(new Set(answers)).toEqual(new Set(['200']))
    expect(await guess((word) => key(PLACES[0], word.replace(' ', '')), 2)).toEqual([
      '401',
      '429 600',
    ])
  })
})

describe('processes that share a store', () => {
  test('refuse together, and right ones under way in one keep none out of another', async () => {
    const [counters, people] = [new MemoryCounters(), await openPeople(3)]
    const apps = await Promise.all(
      Array.from({ length: 4 }, () => guessing({ rate: '2/10m', counters, people })),
    )
    const logIn = (at: number, name: string, word: string) =>
      apps[at % 4]!.logIn(PLACES[0], name, word)
    expect(await logIn(0, 'eve', 'wrong')).toBe('400')
    const names = Array.from({ length: 24 }, (_, at) => `person ${at}`)
    const { users } = people.accounts
    await Promise.all(names.map((username) => users.create({ username, password: 'x y' })))
    const answers = await Promise.all(names.map((name, at) => logIn(at, name, 'x y')))
    expect(new Set(answers)).toEqual(new Set(['200']))
    people.queue.hashed = 0
    await Promise.all(Array.from({ length: 100 }, (_, at) => logIn(at, 'eve', `wrong ${at}`)))
    expect(people.queue.hashed).toBe(1)
  })
})

describe('checks of an application', () => {
  const store = new MemoryCounters()
  const counters: Counters = {
    hit: (limits, { counting = true } = {}) => store.hit({ limits, counting, at: null }),
    withdraw: (limits, { at }) => store.withdraw(limits, at),
  }
  const settings = { onStoreError: 'local' } as const
  const limits = new GuessLimits(Date.now, counters)
  const guesses = (client: string) =>
    limits.of({ client, endpointName: 'a', id: '1', settings }, '2/10m')
  let secret = 0
  const password = (client: string, check: Guess<string>['check']) =>
    guesses(client).password({ account: client, secret: `${secret++}`, check })

  test('what fails, rather than being wrong, does not count', async () => {
    const failing = (error: Error) =>
      password('a', async (begin) => {
        await begin()
        throw error
      })
    for (let times = 0; times < 5; times++)
      await expect(failing(new ServiceUnavailable())).rejects.toThrow(ServiceUnavailable)
    for (let times = 0; times < 2; times++)
      await expect(failing(new AuthenticationFailed())).rejects.toThrow(AuthenticationFailed)
    await expect(failing(new AuthenticationFailed())).rejects.toThrow(Throttled)
  })

  test('those that take no place are counted when they are over', async () => {
    const wrong = () => password('b', () => Promise.resolve(null))
    expect([await wrong(), await wrong()]).toEqual([null, null])
    await expect(wrong()).rejects.toThrow(Throttled)
  })

  test('where the last place is taken by one that is under way, the next waits for what comes of it', async () => {
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<string | null>()]
    const one = () => limits.of({ client: 'd', endpointName: 'a', id: '1', settings }, '1/10m')
    const check = async (begin: () => Promise<void>) => (
      await begin(),
      begun.resolve(),
      gate.promise
    )
    const first = one().password({ account: 'd', secret: 'first', check })
    await begun.promise
    const second = one().password({ account: 'd', secret: 'second', check })
    gate.resolve('in')
    expect(await Promise.all([first, second])).toEqual(['in', 'in'])
  })

  test('it waits for none where another limit is full anyway', () => {
    const standing = (allowed: boolean, wait: number, remaining: number): Standing => {
      return { allowed, wait, remaining, reset: wait }
    }
    const [full, busy] = ['full', 'busy'].map((kind) => subjectOf(kind, [kind], [RATE]))
    const idle = standing(true, 0, 1000)
    const both = [standing(false, 1000, 0), idle, standing(false, 9000, 0), standing(true, 0, 999)]
    expect(limitRefusal([full!, busy!], both)).toEqual({ kind: 'full', wait: 1000, busy: false })
    expect(limitRefusal([busy!], both.slice(2))).toEqual({ kind: 'busy', wait: 9000, busy: true })
    expect(limitRefusal([full!], [idle, idle])).toBeNull()
  })

  test('what is refused otherwise counts once for each request', async () => {
    const first = guesses('c')
    for (let times = 0; times < 5; times++) await first.wrong()
    await guesses('c').wrong()
    await expect(Promise.resolve(guesses('c').wrong())).rejects.toThrow(Throttled)
  })

  test('no name and no secret is part of a key', async () => {
    const seen: string[] = []
    const spying: Counters = {
      ...counters,
      hit: (asked) => (seen.push(...asked.map(({ key }) => key)), null),
    }
    const request = { client: '192.0.2.1', endpointName: 'a', id: '1', settings }
    const check = async (begin: () => Promise<void>) => (await begin(), 'in')
    await new GuessLimits(Date.now, spying)
      .of(request, '2/10m')
      .password({ account: 'ada', secret: 'engine', check })
    expect(seen.length).toBeGreaterThan(5)
    for (const key of seen) expect(key).toMatch(/^guesses_[a-z]+_[0-9a-f]{64}(_\d+|_under-way)?$/)
  })
})

describe('while the store of counters is away', () => {
  const away = (): never => {
    throw new DatabaseUnavailable('Nothing listens there.')
  }
  const counters: CounterStore = { hit: away, withdraw: away, clear: away }

  test('"deny": passwords are answered with 503, and so are wrong tokens', async () => {
    const { logIn, key, queue } = await guessing({ counters, onStoreError: 'deny' })
    expect((await logIn(PLACES[0], 'ada', PASSWORDS.ada)).slice(0, 3)).toBe('503')
    expect((await key(PLACES[0], 'wrong')).slice(0, 3)).toBe('503')
    expect(await key(PLACES[0], 'a'.repeat(40))).toBe('200')
    expect(queue.hashed).toBe(0)
  })

  test('"allow": they are not limited', async () => {
    const { logIn } = await guessing({ counters, onStoreError: 'allow' })
    const answers = await guess((word) => logIn(PLACES[0], 'ada', word), 6)
    expect(new Set(answers)).toEqual(new Set(['400']))
    expect(await logIn(PLACES[0], 'ada', PASSWORDS.ada)).toBe('200')
  })

  test('"local": this process counts, and gives back what was right', async () => {
    const { logIn } = await guessing({ counters })
    for (let times = 0; times < 5; times++)
      expect(await logIn(PLACES[0], 'ada', PASSWORDS.ada)).toBe('200')
    for (let times = 0; times < 5; times++)
      expect(await logIn(PLACES[1], 'bob', PASSWORDS.bob)).toBe('200')
    const answers = await guess((word) => logIn(PLACES[1], 'ada', word), 4)
    expect(answers).toEqual(['400', '400', '400', '429 600'])
  })
})
