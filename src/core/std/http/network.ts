import { isIPv4, isIPv6 } from 'node:net'

/** An internet address as its 128 bits. IPv4 stands where IPv6 maps it: `1.2.3.4` is `::ffff:1.2.3.4`. */
export type IpAddress = bigint

/** All addresses that begin with the same `bits` bits; `start` is the first of them. */
export interface Network {
  readonly start: IpAddress
  /** The length of the prefix out of 128 bits: `10.0.0.0/8` has 104. */
  readonly bits: number
  /** Are all bits behind the prefix zero? True of `10.0.0.0/8`, and not of `10.0.0.1/8`. */
  readonly exact: boolean
}

const MAPPED = 0xffffn
const MAPPED_BITS = 96

const isMapped = (address: IpAddress): boolean => address >> 32n === MAPPED

/** Reads an address, and drops its zone (`fe80::1%eth0`). */
export function parseIp(text: string): IpAddress | null {
  if (isIPv4(text)) {
    const bits = text.split('.').reduce((before, byte) => 256 * before + Number(byte), 0)
    return (MAPPED << 32n) | BigInt(bits)
  }
  const plain = text.includes(':') ? text.split('%', 1)[0]! : text
  return isIPv6(plain) ? bitsOf(plain) : null
}

/** The parser of URLs writes out all but one run of zeros. */
function bitsOf(text: string): IpAddress {
  const { hostname } = new URL(`http://[${text}]`)
  const [head = [], tail = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((half) => half.split(':').map((group) => group.padStart(4, '0')))
  return BigInt(`0x${head.join('').padEnd(32 - 4 * tail.length, '0')}${tail.join('')}`)
}

/** Reads `10.0.0.0/8`, `2001:db8::/32`, or one address alone; `null` where it is none of these. */
export function parseNetwork(text: string): Network | null {
  const slash = text.indexOf('/')
  const written = slash < 0 ? text : text.slice(0, slash)
  const address = written.includes('%') ? null : parseIp(written)
  if (address === null) return null
  const most = written.includes(':') ? 128 : 32
  const prefix = slash < 0 ? most : prefixOf(text.slice(slash + 1), most)
  if (prefix === null) return null
  const bits = 128 - most + prefix
  // A prefix that ends before the IPv4 mapping is no network of either kind.
  return isMapped(address) && bits < MAPPED_BITS ? null : networkOf(address, bits)
}

function prefixOf(text: string, most: number): number | null {
  return /^(?:0|[1-9]\d{0,2})$/.test(text) && Number(text) <= most ? Number(text) : null
}

function networkOf(address: IpAddress, bits: number): Network {
  const rest = BigInt(128 - bits)
  const start = (address >> rest) << rest
  return { start, bits, exact: start === address }
}

/** Addresses of the other kind never belong to a network. */
export function contains({ start, bits }: Network, address: IpAddress): boolean {
  const rest = BigInt(128 - bits)
  return isMapped(start) === isMapped(address) && start >> rest === address >> rest
}

/** The one spelling of an address (RFC 5952): what compares equal is equal. */
export function formatAddress(address: IpAddress): string {
  if (isMapped(address)) {
    const bits = Number(address & 0xffffffffn)
    return `${bits >>> 24}.${(bits >> 16) & 255}.${(bits >> 8) & 255}.${bits & 255}`
  }
  const groups = address
    .toString(16)
    .padStart(32, '0')
    .replace(/.{4}(?!$)/g, '$&:')
  return new URL(`http://[${groups}]`).hostname.slice(1, -1)
}

export function formatNetwork({ start, bits }: Network): string {
  return `${formatAddress(start)}/${isMapped(start) ? bits - MAPPED_BITS : bits}`
}

/**
 * The network of one client: an IPv4 address, or the network of IPv6 in which a host may choose, mostly a /64. Any other text
 * is itself.
 */
export function networkOfClient(text: string, ipv6Prefix = 64): string {
  // An IPv4 text has one spelling already, and needs no arithmetic.
  if (isIPv4(text)) return text
  const address = parseIp(text)
  if (address === null) return text
  return isMapped(address) ? formatAddress(address) : formatNetwork(networkOf(address, ipv6Prefix))
}
