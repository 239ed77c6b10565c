/** An internet address: four bytes of IPv4, or eight groups of 16 bits of IPv6. */
export type Address = readonly number[]

/** All addresses that begin with the same `bits` bits. */
export interface Network {
  /** The first of them. */
  readonly address: Address
  readonly bits: number
  /** Nothing stands behind the prefix: `10.0.0.0/8`, and not `10.0.0.1/8`. */
  readonly exact: boolean
}

/** The numbers in their plain form: a leading zero is refused, for some read it as octal. */
const V4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/
/** What the parser of URLs may be asked about, as an address in brackets. */
const V6 = /^[0-9a-f:.]{2,45}$/i

/**
 * Reads an address; `null` where it is none. An IPv4 address in the clothes of IPv6
 * (`::ffff:1.2.3.4`, `::ffff:102:304`) is the IPv4 address, and a zone (`fe80::1%eth0`) is dropped.
 */
export function parseAddress(text: string): Address | null {
  const zone = text.includes(':') ? text.indexOf('%') : -1
  const groups = groupsOf(zone < 0 ? text : text.slice(0, zone))
  return groups === null ? null : unmapped(groups)
}

/** Reads `10.0.0.0/8`, `2001:db8::/32`, or one address alone; `null` where it is none of these. */
export function parseNetwork(text: string): Network | null {
  const slash = text.indexOf('/')
  const written = groupsOf(slash < 0 ? text : text.slice(0, slash))
  if (written === null) return null
  const most = written.length * sizeOf(written)
  const prefix = slash < 0 ? most : prefixOf(text.slice(slash + 1), most)
  if (prefix === null) return null
  const groups = unmapped(written)
  const bits = prefix - (most - groups.length * sizeOf(groups))
  // A prefix that ends before the mapping does is no network of either kind.
  return bits < 0 ? null : networkOf(groups, bits)
}

/** Whether an address belongs to a network. Those of the other kind never do. */
export function contains({ address: start, bits }: Network, address: Address): boolean {
  if (start.length !== address.length) return false
  const size = sizeOf(address)
  return start.every((group, at) => (address[at]! & maskAt(at, bits, size)) === group)
}

/** The one spelling of an address (RFC 5952): what compares equal is equal. */
export function formatAddress(address: Address): string {
  if (address.length === 4) return address.join('.')
  const groups = address.map((group) => group.toString(16)).join(':')
  return new URL(`http://[${groups}]`).hostname.slice(1, -1)
}

/** A network as it should be written: `10.0.0.0/8`. */
export function formatNetwork({ address, bits }: Network): string {
  return `${formatAddress(address)}/${bits}`
}

/** What one client has to itself: an IPv4 address, or the /64 of IPv6 in which a host may choose. Any other text is itself. */
export function networkOfClient(text: string): string {
  const address = parseAddress(text)
  if (address === null) return text
  return address.length === 4 ? formatAddress(address) : formatNetwork(networkOf(address, 64))
}

/** Of IPv6 as the parser of URLs understands it, which writes all but one run of zeros. */
function groupsOf(text: string): Address | null {
  if (V4.test(text)) return text.split('.').map(Number)
  const host = V6.test(text) ? URL.parse(`http://[${text}]`)?.hostname.slice(1, -1) : undefined
  if (host === undefined) return null
  const [head = [], tail = []] = host
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':').map((group) => Number.parseInt(group, 16))))
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail]
}

function unmapped(groups: Address): Address {
  const [high = 0, low = 0] = groups.slice(6)
  const isMapped = groups.length === 8 && groups[5] === 0xffff && !groups.slice(0, 5).some(Boolean)
  return isMapped ? [high >> 8, high & 255, low >> 8, low & 255] : groups
}

function networkOf(groups: Address, bits: number): Network {
  const start = groups.map((group, at) => group & maskAt(at, bits, sizeOf(groups)))
  return { address: start, bits, exact: start.every((group, at) => group === groups[at]) }
}

/** Bits of a group. */
function sizeOf(groups: Address): number {
  return groups.length === 4 ? 8 : 16
}

/** The mask of the group at an index, in a network of so many bits. */
function maskAt(index: number, bits: number, size: number): number {
  const rest = size - Math.min(Math.max(bits - index * size, 0), size)
  return (0xffff >> (16 - size)) & (0xffff << rest)
}

function prefixOf(text: string, most: number): number | null {
  return /^(?:0|[1-9]\d{0,2})$/.test(text) && Number(text) <= most ? Number(text) : null
}
