import { describe, expect, test } from 'vitest'
import { HashQueue } from '../../../src/accounts/passwords/hash-queue.ts'
import type { Requester } from '../../../src/core/ports/credentials.ts'
import { ServiceUnavailable } from '../../../src/core/errors/api-errors.ts'
import { nextTurn } from '../../contract/temporary.ts'

/** Work that ends when it is told to. */
function jobs(count: number) {
  const gates = Array.from({ length: count }, () => Promise.withResolvers<void>())
  const started: number[] = []
  const work = (number: number) => async (): Promise<number> => {
    started.push(number)
    await gates[number]!.promise
    return number
  }
  return { gates, started, work }
}

describe('the queue of password hashes', () => {
  test('runs a few at a time, the others in the order in which they came', async () => {
    // Of one client one less than of all.
    const queue = new HashQueue({ running: 3 })
    const { gates, started, work } = jobs(6)
    const done = [0, 1, 2, 3, 4].map((number) => queue.run(work(number)))
    await nextTurn()
    expect(started).toEqual([0, 1])
    gates[1]!.resolve()
    await nextTurn()
    expect(started).toEqual([0, 1, 2])
    done.push(queue.run(work(5)))
    await nextTurn()
    expect(started).toEqual([0, 1, 2])
    for (const gate of gates) gate.resolve()
    expect(await Promise.all(done)).toEqual([0, 1, 2, 3, 4, 5])
    expect(started).toEqual([0, 1, 2, 3, 4, 5])
  })

  test('refuses more than may wait: 503, come back in a second', async () => {
    const queue = new HashQueue({ running: 1, waiting: 1 })
    const { gates, started, work } = jobs(3)
    const done = [queue.run(work(0)), queue.run(work(1))]
    const refused = await queue.run(work(2)).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ServiceUnavailable)
    expect(refused).toMatchObject({
      status: 503,
      code: 'unavailable',
      headers: { 'Retry-After': '1' },
    })
    for (const gate of gates) gate.resolve()
    await Promise.all(done)
    expect(started).toEqual([0, 1])
    expect(await queue.run(work(2))).toBe(2)
  })

  test('goes on after work that failed', async () => {
    const queue = new HashQueue({ running: 1 })
    const failing = queue.run(async () => {
      throw new Error('no memory')
    })
    const next = queue.run(async () => 'next')
    await expect(failing).rejects.toThrow('no memory')
    expect(await next).toBe('next')
    expect(await queue.run(async () => 'and on')).toBe('and on')
  })

  test.each([
    [{ running: 0 }, '"running" must be a whole number from 1, but is 0'],
    [{ running: 1.5 }, '"running" must be a whole number from 1, but is 1.5'],
    [{ running: NaN }, '"running" must be a whole number from 1, but is NaN'],
    [{ waiting: -1 }, '"waiting" must be a whole number from 0, but is -1'],
    [{ waitingEach: 0.5 }, '"waitingEach" must be a whole number from 0, but is 0.5'],
    [{ patience: 0 }, '"patience" must be a whole number from 1, but is 0'],
  ])('cannot be made with %j', (options, message) => {
    expect(() => new HashQueue(options)).toThrow(message)
  })
})

/** A request from an address, whose client may go. */
const from = (address: string, gone = false) => ({ environ: { REMOTE_ADDR: address }, gone })

/** Everybody's work in the order in which it was begun, one after the other. */
async function turns(
  queue: HashQueue,
  work: readonly (readonly [name: string, client?: Requester])[],
): Promise<{ readonly begun: string[]; readonly refused: string[] }> {
  const [begun, refused]: [string[], string[]] = [[], []]
  const gate = Promise.withResolvers<void>()
  const first = queue.run(() => gate.promise, from('192.0.2.255'))
  const done = work.map(async ([name, client]) => {
    try {
      await queue.run(async () => void begun.push(name), client)
    } catch (error) {
      expect(error).toBeInstanceOf(ServiceUnavailable)
      refused.push(name)
    }
  })
  await nextTurn()
  gate.resolve()
  await Promise.all([first, ...done])
  return { begun, refused: refused.toSorted() }
}

describe('the turns of clients', () => {
  const [a, b, c] = [from('192.0.2.1'), from('192.0.2.2'), from('192.0.2.3')]

  test('come one after the other, whatever each has waiting', async () => {
    const work = [
      ['a1', a],
      ['a2', a],
      ['a3', a],
      ['b1', b],
      ['own 1'],
      ['own 2'],
      ['b2', b],
      ['c1', c],
    ] as const
    const { begun } = await turns(new HashQueue({ running: 1 }), work)
    expect(begun).toEqual(['a1', 'b1', 'own 1', 'c1', 'a2', 'b2', 'own 2', 'a3'])
  })

  test.each([
    ['an address in its other spelling', '192.0.2.1', '::ffff:192.0.2.1', true],
    ['two addresses of IPv4', '192.0.2.1', '192.0.2.2', false],
    ['two addresses of a /64', '2001:db8::1', '2001:db8::ffff:2', true],
    ['two neighbouring /64', '2001:db8:0:1::1', '2001:db8:0:2::1', false],
    ['two texts that are no addresses', 'one', 'two', false],
  ])('%s: one client or two', async (_, one, other, same) => {
    const work = [
      ['1', from(one)],
      ['2', from(one)],
      ['3', from(other)],
    ] as const
    const { begun } = await turns(new HashQueue({ running: 1 }), work)
    expect(begun).toEqual(same ? ['1', '2', '3'] : ['1', '3', '2'])
  })

  test('leave one place free: nobody has all that runs', async () => {
    const queue = new HashQueue({ running: 3 })
    const { gates, started, work } = jobs(5)
    const done = [0, 1, 2, 3].map((number) => queue.run(work(number), a))
    await nextTurn()
    expect(started).toEqual([0, 1])
    done.push(queue.run(work(4), b))
    await nextTurn()
    expect(started).toEqual([0, 1, 4])
    for (const gate of gates) gate.resolve()
    await Promise.all(done)
    expect(started).toEqual([0, 1, 4, 2, 3])
  })

  test('pass over whoever has gone: that work is never begun, and frees its place', async () => {
    const leaving = { ...from('192.0.2.1'), gone: false }
    const queue = new HashQueue({ running: 1, waiting: 3, waitingEach: 3 })
    const { gates, started, work } = jobs(6)
    const first = queue.run(work(0), b)
    const dropped = [1, 2, 3].map((number) => queue.run(work(number), leaving).catch(String))
    await nextTurn()
    leaving.gone = true
    const next = [queue.run(work(4), b), queue.run(work(5), c)]
    for (const gate of gates) gate.resolve()
    await Promise.all([first, ...dropped, ...next])
    expect(started).toEqual([0, 4, 5])
    await expect(queue.run(work(1), leaving)).rejects.toThrow(ServiceUnavailable)
  })

  test('pass over a client that has gone while there was room for all', async () => {
    const leaving = { ...from('192.0.2.1'), gone: false }
    const queue = new HashQueue({ running: 1 })
    const { gates, started, work } = jobs(3)
    const first = queue.run(work(0), b)
    const dropped = queue.run(work(1), leaving).catch(String)
    const next = queue.run(work(2), c)
    await nextTurn()
    leaving.gone = true
    for (const gate of gates) gate.resolve()
    await Promise.all([first, dropped, next])
    expect(started).toEqual([0, 2])
  })
})

describe('a full queue', () => {
  const [a, b, c] = [from('192.0.2.1'), from('192.0.2.2'), from('192.0.2.3')]

  test('refuses more of one client than may wait, and nothing of others', async () => {
    const work = [
      ['a1', a],
      ['a2', a],
      ['a3', a],
      ['b1', b],
    ] as const
    const { begun, refused } = await turns(new HashQueue({ running: 1, waitingEach: 2 }), work)
    expect({ begun, refused }).toEqual({ begun: ['a1', 'b1', 'a2'], refused: ['a3'] })
  })

  test('refuses the last of whoever has most waiting, not the newcomer', async () => {
    const work = [
      ['a1', a],
      ['a2', a],
      ['a3', a],
      ['b1', b],
      ['c1', c],
      ['c2', c],
      ['b2', b],
    ] as const
    const { begun, refused } = await turns(new HashQueue({ running: 1, waiting: 4 }), work)
    expect({ begun, refused }).toEqual({
      begun: ['a1', 'b1', 'c1', 'a2'],
      refused: ['a3', 'b2', 'c2'],
    })
  })

  test('refuses the newcomer where nobody has more', async () => {
    const work = [
      ['a1', a],
      ['b1', b],
      ['c1', c],
    ] as const
    const { begun, refused } = await turns(new HashQueue({ running: 1, waiting: 2 }), work)
    expect({ begun, refused }).toEqual({ begun: ['a1', 'b1'], refused: ['c1'] })
  })

  test('drops those who have gone first: of the same client, and before it refuses anybody', async () => {
    const gone = { ...from('192.0.2.1'), gone: false }
    for (const limits of [{ waitingEach: 2 }, { waiting: 2 }]) {
      gone.gone = false
      const queue = new HashQueue({ running: 1, ...limits })
      const { gates, started, work } = jobs(4)
      const first = queue.run(work(0), c)
      const lost = queue.run(work(1), gone).catch(String)
      const staying = queue.run(work(2), a)
      await nextTurn()
      gone.gone = true
      const newcomer = queue.run(work(3), 'waiting' in limits ? b : a)
      for (const gate of gates) gate.resolve()
      await Promise.all([first, staying, newcomer])
      expect(await lost).toContain('ServiceUnavailable')
      expect(new Set(started)).toEqual(new Set([0, 2, 3]))
    }
  })

  test('is a matter of all places for what comes without an address: nobody can tell it apart', async () => {
    const work = [['1'], ['2'], ['3'], ['4']] as const
    const { refused } = await turns(new HashQueue({ running: 1, waiting: 3, waitingEach: 1 }), work)
    expect(refused).toEqual(['4'])
  })

  test('is no longer full of those who have waited in vain: 503 after that time', async () => {
    const queue = new HashQueue({ running: 1, patience: 20 })
    const { gates, started, work } = jobs(3)
    const stuck = queue.run(work(0), a)
    await expect(queue.run(work(1), b)).rejects.toThrow(ServiceUnavailable)
    gates[0]!.resolve()
    gates[2]!.resolve()
    await stuck
    expect(await queue.run(work(2), b)).toBe(2)
    expect(started).toEqual([0, 2])
  })
})
