// SEC18: the address of a client is that of its connection, or what a trusted server says of it.
// More: test/core/serving/client.test.ts, test/core/serving/forwarded-headers.test.ts, test/core/serving/node-request.test.ts.
import { describe, expect, test } from 'vitest'
import { MemoryCounters } from '../../src/index.ts'
import { ask, trustingApp } from '../core/serving/trust.ts'
import { rotating, throttled } from './throttled.ts'

const FRAMED = '203.0.113.9'
const FORGED = [
  [`X-Forwarded-For: ${FRAMED}`],
  [`X-Forwarded-For: ${FRAMED}, 127.0.0.1`],
  [`Forwarded: for=${FRAMED}`],
  [`X-Real-IP: ${FRAMED}`],
  [`X-Client-IP: ${FRAMED}`],
  [`CF-Connecting-IP: ${FRAMED}`],
  [`X_Forwarded_For: ${FRAMED}`],
]

describe.each([
  ['nobody is trusted', []],
  ['another server is trusted', ['192.0.2.1']],
])('where %s', (_, TRUSTED_PROXIES) => {
  test.each(FORGED)('%s says nothing', async (...headers) => {
    const { facts } = await ask(trustingApp({ TRUSTED_PROXIES }), headers)
    expect(facts.address).toBe('127.0.0.1')
  })
})

describe('where this peer is trusted', () => {
  const app = trustingApp({ TRUSTED_PROXIES: ['127.0.0.1', '192.0.2.0/24'] })
  test.each([
    ['the last one that is no server of ours counts', '198.51.100.7', '198.51.100.7'],
    ['what the client put in front does not', `${FRAMED}, 198.51.100.7`, '198.51.100.7'],
    [
      'servers of ours in between are passed over',
      `${FRAMED}, 198.51.100.7, 192.0.2.4`,
      '198.51.100.7',
    ],
  ])('%s', async (_, sent, address) => {
    const { facts } = await ask(app, [`X-Forwarded-For: ${sent}`])
    expect(facts.address).toBe(address)
  })

  test('another header is not believed', async () => {
    const { facts } = await ask(app, [`X-Real-IP: ${FRAMED}`])
    expect(facts.address).toBe('127.0.0.1')
  })
})

describe('a limit by address', () => {
  const made = rotating(300, (i) => `203.0.${i >> 8}.${i & 255}`)

  test('is not escaped by 300 values that a client makes up, and keeps one counter', async () => {
    const counters = new MemoryCounters()
    const { passing } = await throttled({}, {}, counters)
    expect(await passing(made)).toBe(5)
    expect(counters.size).toBe(1)
  })

  test('nor in front of what a trusted server adds', async () => {
    const { passing } = await throttled({}, { TRUSTED_PROXIES: ['127.0.0.1'] })
    const added = rotating(100, (i) => `203.0.113.${i}, 198.51.100.7`)
    expect(await passing(added)).toBe(5)
  })

  test('is not used up for a victim', async () => {
    const { passing } = await throttled({}, { TRUSTED_PROXIES: ['127.0.0.1'] })
    await passing(rotating(20, () => `${FRAMED}, 198.51.100.7`))
    expect(await passing(rotating(5, () => FRAMED))).toBe(5)
  })

  test('does not count all clients of a trusted server as one', async () => {
    const { passing } = await throttled({}, { TRUSTED_PROXIES: ['127.0.0.1'] })
    expect(await passing(made.slice(0, 100))).toBe(100)
  })
})
