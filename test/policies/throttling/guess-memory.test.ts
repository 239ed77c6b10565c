// Wrong passwords beside one that the process remembers as right, and behind a restart.
import { describe, expect, test } from 'vitest'
import { MemoryCounters } from '../../../src/index.ts'
import { PASSWORDS, guess, guessing, openPeople } from '../../behaviour/guessing.ts'

const [HOME, OFFICE, STRANGER] = ['192.0.2.1', '192.0.2.2', '203.0.113.9'] as const
const RATE = '10/10m'

/** An application whose process remembers right passwords, and an owner who has just been asked. */
async function remembering() {
  const people = await openPeople(3, 30_000)
  const service = await guessing({ rate: RATE, people })
  expect(await service.basic(HOME, 'ada', PASSWORDS.ada)).toBe('200')
  return service
}

const times = (count: number, answer: string): string[] => Array<string>(count).fill(answer)

describe('a password that is remembered', () => {
  test('is worth nothing to a stranger who is at the limit, and costs its owner nothing', async () => {
    const { basic, logIn, queue } = await remembering()
    const attempts = await guess((word) => logIn(STRANGER, 'ada', word), 300)
    expect(attempts).toEqual([...times(10, '400'), ...times(290, '429 600')])
    queue.hashed = 0
    for (const enter of [basic, logIn])
      expect(await enter(STRANGER, 'ada', PASSWORDS.ada)).toBe('429 600')
    expect(await basic(HOME, 'ada', PASSWORDS.ada)).toBe('200')
    expect(queue.hashed).toBe(0)
  })

  test('is no use in a thousand guesses of the same moment, while its owner is asked', async () => {
    const { basic, logIn, queue } = await remembering()
    queue.hashed = 0
    const strangers = Array.from({ length: 1000 }, (_, at) =>
      logIn(STRANGER, 'ada', at === 700 ? PASSWORDS.ada : `wrong ${at}`),
    )
    const owner = Array.from({ length: 10 }, () => basic(HOME, 'ada', PASSWORDS.ada))
    expect(new Set(await Promise.all(owner))).toEqual(new Set(['200']))
    const answers = await Promise.all(strangers)
    expect(answers.filter((answer) => answer === '400')).toHaveLength(10)
    expect(answers.filter((answer) => answer.startsWith('429'))).toHaveLength(990)
    expect(queue.hashed).toBe(10)
  })

  test('is compared with one guess at its own client, too: from then on they are counted', async () => {
    const { basic, queue } = await remembering()
    queue.hashed = 0
    expect(await guess((word) => basic(HOME, 'ada', word), 1)).toEqual(['401'])
    expect(await basic(HOME, 'ada', PASSWORDS.ada)).toBe('200')
    expect(queue.hashed).toBe(2)
    expect(await guess((word) => basic(HOME, 'ada', word), 10)).toEqual([
      ...times(9, '401'),
      '429 600',
    ])
    expect(await basic(HOME, 'ada', PASSWORDS.ada)).toBe('429 600')
  })

  test('is compared with the first of a thousand guesses at its own client, at the same moment', async () => {
    const { basic, queue } = await remembering()
    queue.hashed = 0
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, at) =>
        basic(HOME, 'ada', at === 700 ? PASSWORDS.ada : `wrong ${at}`),
      ),
    )
    expect(answers.filter((answer) => answer === '401')).toHaveLength(10)
    expect(answers.filter((answer) => answer === '200')).toHaveLength(0)
    expect(queue.hashed).toBe(10)
  })

  test('is kept where guesses are not limited: an old program costs the new one no hash', async () => {
    const people = await openPeople(3, 30_000)
    const { basic, queue } = await guessing({ rate: null, people })
    expect(await basic(HOME, 'ada', PASSWORDS.ada)).toBe('200')
    await guess((word) => basic(HOME, 'ada', word), 3)
    queue.hashed = 0
    expect(await basic(HOME, 'ada', PASSWORDS.ada)).toBe('200')
    expect(queue.hashed).toBe(0)
  })
})

describe('a right password while its user is switched off', () => {
  test.each(['basic', 'logIn'] as const)(
    'is refused, and opens where it was refused once the user is switched on: %s',
    async (way) => {
      const { accounts, [way]: enter } = await guessing({ rate: RATE })
      const refusal = way === 'basic' ? '401' : '400'
      const gone = (await accounts.users.byUsername('gone'))!
      expect([await enter(HOME, 'gone', 'x'), await enter(HOME, 'gone', 'x')]).toEqual(
        times(2, refusal),
      )
      await accounts.users.update(gone, { isActive: true })
      expect(await enter(HOME, 'gone', 'x')).toBe('200')
      await accounts.users.update(gone, { isActive: false })
      expect(await enter(HOME, 'gone', 'x')).toBe(refusal)
    },
  )
})

describe.each([
  ['in memory', () => new MemoryCounters()],
  ['in the database', null],
] as const)('a restart, with counters %s', (_, counters) => {
  /** The same people in a process that has just begun. */
  async function restarting() {
    const people = await openPeople()
    const { database } = people.accounts
    return () => guessing({ rate: RATE, people, counters: counters?.() ?? database.counters })
  }

  test('lets no stranger lock the owner out at home', async () => {
    const restart = await restarting()
    const before = await restart()
    expect(await before.logIn(HOME, 'ada', PASSWORDS.ada)).toBe('200')
    const { basic, logIn } = await restart()
    await guess((word) => logIn(STRANGER, 'ada', word), 20)
    expect(await logIn(HOME, 'ada', PASSWORDS.ada)).toBe('200')
    expect(await basic(HOME, 'ada', PASSWORDS.ada)).toBe('200')
  })

  test('gives a stranger no further guesses', async () => {
    const restart = await restarting()
    const { logIn } = await restart()
    expect(await guess((word) => logIn(STRANGER, 'ada', word), 6)).toEqual(times(6, '400'))
    const after = await restart()
    expect(await guess((word) => after.logIn(STRANGER, 'ada', word), 6)).toEqual([
      ...times(4, '400'),
      ...times(2, '429 600'),
    ])
  })

  test('lets no neighbour lock out the others behind one address, known there or not', async () => {
    const restart = await restarting()
    const before = await restart()
    expect(await before.logIn(OFFICE, 'bob', PASSWORDS.bob)).toBe('200')
    const { logIn, key } = await restart()
    await guess((word) => logIn(OFFICE, 'eve', word), 50)
    expect(await logIn(OFFICE, 'eve', PASSWORDS.eve)).toBe('429 600')
    expect(await logIn(OFFICE, 'ada', PASSWORDS.ada)).toBe('200')
    // One who tries many names stops those who are new there, and nobody else.
    for (let at = 0; at < 30; at++) await guess((word) => logIn(OFFICE, `name ${at}`, word), 10)
    await guess((word) => key(OFFICE, word.replace(' ', '-')), 20)
    expect(await logIn(OFFICE, 'gone', 'x')).toBe('429 600')
    for (const name of ['ada', 'bob'] as const)
      expect(await logIn(OFFICE, name, PASSWORDS[name])).toBe('200')
    expect(await key(OFFICE, 'a'.repeat(40))).toBe('200')
  })
})
