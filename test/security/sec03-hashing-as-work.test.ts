// SEC3: hashing is no lever. Live: `npm run attack -- pipelined-logins`. More: test/accounts/passwords/hash-queue.test.ts.
import { expect, test } from 'vitest'
import { argon2Work } from '../setup/hashes.ts'
import { HashQueue } from '../../src/accounts.ts'
import { ALICE, ALICES_TOKEN, attacked, basic } from './service.ts'

test('of a password of 1 MB nothing is hashed', async () => {
  const { post } = await attacked()
  const work = argon2Work()
  for (const password of ['x', 'x'.repeat(1_000_000)])
    expect((await post('/token/', { json: { ...ALICE, password } })).status).toBe(400)
  // It costs one hash like any other, of an empty text.
  expect(work).toEqual([
    { ...work[0], message: 1 },
    { ...work[0], message: 0 },
  ])
})

test('while 500 logins wait, requests with a token are answered at once', async () => {
  // Each hash takes long enough for the queue to be full all the time.
  const passwordCost = { memory: 19_456, passes: 2, parallelism: 1 }
  const { get, post } = await attacked({}, { passwordCost, hashQueue: new HashQueue() })
  let left = 500
  const logins = Array.from({ length: left }, async () => {
    const { status } = await post('/token/', { json: { ...ALICE, password: 'x' } })
    left--
    return status
  })
  for (let i = 0; i < 20; i++)
    expect((await get('/by/token/', { headers: ALICES_TOKEN })).status).toBe(200)
  expect(left).toBeGreaterThan(0)
  // One client's share is 50; the others are refused, and no error of ours.
  expect(new Set(await Promise.all(logins))).toEqual(new Set([400, 503]))
})

test('Basic with the same right password is hashed once', async () => {
  let hashes = 0
  const hashQueue = new HashQueue()
  const run = hashQueue.run.bind(hashQueue)
  hashQueue.run = (work, client) => {
    hashes++
    return run(work, client)
  }
  const { get } = await attacked({}, { hashQueue, rememberPasswords: 30_000 })
  hashes = 0
  for (let i = 0; i < 20; i++)
    expect((await get('/by/basic/', { headers: basic(ALICE) })).status).toBe(200)
  expect(hashes).toBe(1)
})
