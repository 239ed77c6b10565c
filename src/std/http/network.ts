/** An internet address in its one spelling (RFC 5952), so that equal addresses are equal texts. */
export type Address = string

/** All addresses that begin with the same `bits` bits. */
export interface Network {
  /** The first of them. */
  readonly address: Address
  /** The same as numbers: bytes of IPv4, 16-bit groups of IPv6. */
  readonly groups: readonly number[]
  readonly bits: number
  /** Nothing stands behind the prefix: `10.0.0.0/8`, and not `10.0.0.1/8`. */
  readonly exact: boolean
}

const V4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/
/** The platform's parser of URLs decides; it also takes what is no address, so other characters are refused before. */
const V6 = /^[0-9a-f:.]{2,45}$/i
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/

/**
 * Reads an address; `null` where it is none. An IPv4 address in the clothes of IPv6
 * (`::ffff:1.2.3.4`, `::ffff:102:304`) is the IPv4 address, and a zone (`fe80::1%eth0`) is dropped.
 */
export function parseAddress(text: string): Address | null {
  if (V4.test(text)) return text
  const zone = text.indexOf('%')
  const address = readV6(zone < 0 ? text : text.slice(0, zone))
  return address === null ? null : unmapped(address)
}

/** Reads `10.0.0.0/8`, `2001:db8::/32`, or one address alone; `null` where it is none of these. */
export function parseNetwork(text: string): Network | null {
  const slash = text.indexOf('/')
  const start = slash < 0 ? text : text.slice(0, slash)
  const written = V4.test(start) ? start : readV6(start)
  if (written === null) return null
  const most = isV6(written) ? 128 : 32
  const prefix = slash < 0 ? most : prefixOf(text.slice(slash + 1), most)
  if (prefix === null) return null
  const address = unmapped(written)
  const bits = isV6(address) ? prefix : prefix - (most - 32)
  // A prefix that ends before the mapping does is no network of either kind.
  if (bits < 0) return null
  const first = firstOf(address, bits)
  return { ...first, bits, exact: first.address === address }
}

/** Whether an address belongs to a network. Those of the other kind never do. */
export function contains({ address: first, groups, bits }: Network, address: Address): boolean {
  if (isV6(first) !== isV6(address)) return false
  const size = sizeOf(address)
  return groupsOf(address).every((group, at) => (group & maskAt(at, bits, size)) === groups[at])
}

/** A network as it should be written: `10.0.0.0/8`. */
export function formatNetwork({ address, bits }: Network): string {
  return `${address}/${bits}`
}

/** What one client has to itself: an IPv4 address, or the /64 of IPv6 in which a host may choose. Any other text is itself. */
export function networkOfClient(text: string): string {
  const address = parseAddress(text)
  if (address === null) return text
  return isV6(address) ? `${firstOf(address, 64).address}/64` : address
}

function isV6(address: Address): boolean {
  return address.includes(':')
}

function readV6(text: string): Address | null {
  return V6.test(text) ? (URL.parse(`http://[${text}]`)?.hostname.slice(1, -1) ?? null) : null
}

function unmapped(address: Address): Address {
  const found = MAPPED.exec(address)
  if (found === null) return address
  const bytes = found.slice(1).flatMap((group) => {
    const number = Number.parseInt(group, 16)
    return [number >> 8, number & 255]
  })
  return bytes.join('.')
}

function prefixOf(text: string, most: number): number | null {
  return /^(?:0|[1-9]\d{0,2})$/.test(text) && Number(text) <= most ? Number(text) : null
}

/** The first address of the network of so many bits in which this one is. */
function firstOf(address: Address, bits: number): Pick<Network, 'address' | 'groups'> {
  const size = sizeOf(address)
  const groups = groupsOf(address).map((group, at) => group & maskAt(at, bits, size))
  if (size === 8) return { address: groups.join('.'), groups }
  return { address: readV6(groups.map((group) => group.toString(16)).join(':'))!, groups }
}

/** Bits of a group. */
function sizeOf(address: Address): 8 | 16 {
  return isV6(address) ? 16 : 8
}

/** The mask of the group at an index, in a network of so many bits. */
function maskAt(index: number, bits: number, size: number): number {
  const own = Math.min(Math.max(bits - index * size, 0), size)
  return 2 ** size - 2 ** (size - own)
}

/** The bytes of IPv4, or the eight groups of IPv6, where `::` stands for those that are missing. */
function groupsOf(address: Address): number[] {
  if (!isV6(address)) return address.split('.').map(Number)
  const [head = [], tail = []] = address
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':').map((group) => Number.parseInt(group, 16))))
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail]
}
