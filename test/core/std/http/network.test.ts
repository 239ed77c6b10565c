import fc from 'fast-check'
import { BlockList, isIP, isIPv4 } from 'node:net'
import { describe, expect, test } from 'vitest'
import {
  contains,
  formatAddress,
  formatNetwork,
  parseIp,
  parseNetwork,
} from '../../../../src/core/std/http/network.ts'

/** The one spelling of what was read. */
const read = (text: string): string | null => {
  const address = parseIp(text)
  return address === null ? null : formatAddress(address)
}

describe('addresses', () => {
  test.each<[text: string, shown: string]>([
    ['1.2.3.4', '1.2.3.4'],
    ['0.0.0.0', '0.0.0.0'],
    ['255.255.255.255', '255.255.255.255'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::FFFF:1.2.3.4', '1.2.3.4'],
    ['::ffff:102:304', '1.2.3.4'],
    ['0:0:0:0:0:ffff:0102:0304', '1.2.3.4'],
    ['::1.2.3.4', '::102:304'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
    ['::', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['2001:DB8::1', '2001:db8::1'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['fe80::1%eth0', 'fe80::1'],
    ['fe80::1%25', 'fe80::1'],
  ])('%s is %s', (text, shown) => {
    expect(read(text)).toBe(shown)
  })

  test.each([
    '',
    ' 1.2.3.4',
    '1.2.3.4 ',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '01.2.3.4',
    '1.2.3.04',
    '1.2.3.-4',
    '0x1.2.3.4',
    '16909060',
    '1.2.3.4%eth0',
    '1.2.3.4:80',
    '[::1]',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '::1:2:3:4:5:6:7:8',
    ':1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:',
    '12345::',
    'g::',
    '::1.2.3',
    '1.2.3.4::',
    '::1.2.3.4:5',
    '::1.2.3.4.5',
    '::ffff:1.2.3.04',
    'unknown',
    '١.٢.٣.٤',
    '1'.repeat(100_000),
    ':'.repeat(100_000),
  ])('%.30s is none', (text) => {
    expect(read(text)).toBeNull()
  })

  test('every address reads back as itself, in its one spelling', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const shown = read(text)!
        expect(isIP(shown)).toBeGreaterThan(0)
        expect(read(shown)).toBe(shown)
        if (!isIPv4(shown)) expect(shown).toBe(new URL(`http://[${text}]`).hostname.slice(1, -1))
      }),
    )
  })

  test('nothing is an address that the platform knows to be none, and the other way round', () => {
    const letters = fc.string({
      unit: fc.constantFrom('0', '1', '9', 'a', 'F', ':', '::', '.', '1.2.3.4'),
      maxLength: 12,
    })
    fc.assert(
      fc.property(letters, (text) => {
        expect([text, parseIp(text) !== null]).toEqual([text, isIP(text) !== 0])
      }),
      { numRuns: 5000 },
    )
  })
})

describe('networks', () => {
  test.each<[text: string, shown: string, exact: boolean]>([
    ['10.0.0.0/8', '10.0.0.0/8', true],
    ['10.0.0.1/8', '10.0.0.0/8', false],
    ['10.0.0.1', '10.0.0.1/32', true],
    ['0.0.0.0/0', '0.0.0.0/0', true],
    ['192.168.4.0/22', '192.168.4.0/22', true],
    ['192.168.5.0/22', '192.168.4.0/22', false],
    ['::1', '::1/128', true],
    ['::/0', '::/0', true],
    ['2001:db8::/32', '2001:db8::/32', true],
    ['2001:db8::/31', '2001:db8::/31', true],
    ['2001:db9::/31', '2001:db8::/31', false],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8', true],
    ['::ffff:10.0.0.1', '10.0.0.1/32', true],
    ['::ffff:0:0/96', '0.0.0.0/0', true],
  ])('%s is %s', (text, shown, exact) => {
    const network = parseNetwork(text)!
    expect([formatNetwork(network), network.exact]).toEqual([shown, exact])
  })

  test.each([
    '',
    '/',
    '/8',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0.0.0/8.0',
    '10.0.0.0/255.0.0.0',
    '10.0.0.0/8/8',
    '10/8',
    '::/129',
    '::ffff:10.0.0.0/95',
    'fe80::1%eth0',
    'fe80::%eth0/10',
    'localhost',
    'unix',
    '*',
  ])('%s is none', (text) => {
    expect(parseNetwork(text)).toBeNull()
  })

  test.each<[network: string, address: string, inside: boolean]>([
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.0.0.0/8', '::ffff:10.1.1.1', true],
    ['10.0.0.0/8', 'a00::1', false],
    ['192.168.4.0/22', '192.168.7.255', true],
    ['192.168.4.0/22', '192.168.8.0', false],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '::1', false],
    ['::/0', '::1', true],
    ['::/0', '::ffff:1.2.3.4', false],
    ['2001:db8::/33', '2001:db8:7fff::1', true],
    ['2001:db8::/33', '2001:db8:8000::1', false],
    ['fe80::/10', 'febf::1%eth1', true],
    ['fe80::/10', 'fec0::1', false],
  ])('%s, %s', (network, address, inside) => {
    expect(contains(parseNetwork(network)!, parseIp(address)!)).toBe(inside)
  })

  test('belonging is what the platform says', () => {
    const v4 = fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 }), fc.ipV4())
    const v6 = fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 }), fc.ipV6())
    fc.assert(
      fc.property(fc.oneof(v4, v6), ([start, bits, text]) => {
        const network = parseNetwork(`${start}/${bits}`)
        const address = parseIp(text)!
        // What is mapped is IPv4 to us, wherever the platform files it.
        fc.pre(network !== null && isIPv4(formatAddress(address)) === isIPv4(text))
        fc.pre(isIPv4(formatAddress(network.start)) === isIPv4(start))
        const family = isIPv4(start) ? 'ipv4' : 'ipv6'
        const list = new BlockList()
        list.addSubnet(start, bits, family)
        expect(contains(network, address)).toBe(list.check(text, family))
        expect(contains(network, parseIp(start)!)).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })
})
