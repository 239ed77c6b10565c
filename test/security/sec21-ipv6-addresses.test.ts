// SEC21: a limit by address counts a host of IPv6 by its network, which it cannot leave, and networks apart.
// More: test/core/serving/client.test.ts.
import { expect, test } from 'vitest'
import { MemoryCounters } from '../../src/index.ts'
import { rotating, throttled } from './throttled.ts'

const TRUSTED_PROXIES = ['127.0.0.1']
const hex = (i: number): string => (i + 1).toString(16)

test('300 addresses of one /64 are one client, in whatever form they are written', async () => {
  const counters = new MemoryCounters()
  const { passing } = await throttled({}, { TRUSTED_PROXIES }, counters)
  const forms = [
    (i: number) => `2001:db8:1:2::${hex(i)}`,
    (i: number) => `2001:0DB8:1:2:0:0:0:${hex(i)}`,
    (i: number) => `[2001:db8:1:2:${hex(i)}::]:${i + 1}`,
    (i: number) => `2001:db8:1:2::0.0.${i >> 8}.${i & 255}`,
  ]
  expect(await passing(rotating(300, (i) => forms[i % 4]!(i)))).toBe(5)
  expect(counters.size).toBe(1)
})

test('300 networks are 300 clients', async () => {
  const { passing } = await throttled({}, { TRUSTED_PROXIES })
  expect(await passing(rotating(300, (i) => `2001:db8:1:${hex(i)}::1`))).toBe(300)
})

test('IPv4 that is written as IPv6 is IPv4: no address of it collapses into another', async () => {
  const { passing } = await throttled({}, { TRUSTED_PROXIES })
  expect(await passing(rotating(100, (i) => `::ffff:192.0.2.${i}`))).toBe(100)
  expect(await passing(rotating(100, (i) => `192.0.2.${i}`))).toBe(100)
  const other = rotating(10, (i) => (i % 2 === 0 ? '::ffff:192.0.2.7' : '192.0.2.7'))
  expect(await passing(other)).toBe(3)
})

test('where a household has a /56, it is one client', async () => {
  const { passing } = await throttled({ ipv6Prefix: 56 }, { TRUSTED_PROXIES })
  expect(await passing(rotating(200, (i) => `2001:db8:1:${hex(i)}::1`))).toBe(5)
})
