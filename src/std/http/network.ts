/** An internet address as its 16-bit groups: two of IPv4, eight of IPv6. */
export type Address = readonly number[]

/** All addresses that begin with the same `bits` bits. */
export interface Network {
  readonly address: Address
  readonly bits: number
  /** Nothing stands behind the prefix: `10.0.0.0/8`, and not `10.0.0.1/8`. */
  readonly exact: boolean
}

/**
 * Reads an address; `null` where it is none. An IPv4 address in the clothes of IPv6
 * (`::ffff:1.2.3.4`, `::ffff:102:304`) is the IPv4 address, and a zone (`fe80::1%eth0`) is dropped.
 */
export function parseAddress(text: string): Address | null {
  const groups = groupsOf(withoutZone(text))
  return groups === null ? null : unmapped(groups)
}

/** Reads `10.0.0.0/8`, `2001:db8::/32`, or one address alone; `null` where it is none of these. */
export function parseNetwork(text: string): Network | null {
  const slash = text.indexOf('/')
  const groups = groupsOf(slash < 0 ? text : text.slice(0, slash))
  if (groups === null) return null
  const bits = slash < 0 ? groups.length * 16 : prefixOf(text.slice(slash + 1), groups.length * 16)
  if (bits === null) return null
  const address = unmapped(groups)
  const left = bits - (groups.length - address.length) * 16
  // A prefix that ends before the mapping does is no network of either kind.
  return left < 0 ? null : masked(address, left)
}

/** Whether an address belongs to a network. Those of the other kind never do. */
export function contains({ address: start, bits }: Network, address: Address): boolean {
  if (start.length !== address.length) return false
  return start.every((group, at) => (address[at]! & maskAt(at, bits)) === group)
}

/** The one spelling of an address (RFC 5952): what compares equal is equal. */
export function formatAddress(address: Address): string {
  if (address.length === 2) return address.map((group) => `${group >> 8}.${group & 255}`).join('.')
  const hex = address.map((group) => group.toString(16))
  const { start, length } = longestZeros(address)
  if (length < 2) return hex.join(':')
  return `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`
}

/** A network as it should be written: `10.0.0.0/8`. */
export function formatNetwork({ address, bits }: Network): string {
  return `${formatAddress(address)}/${bits}`
}

/** What one client has to itself: an IPv4 address, or the /64 of IPv6 in which a host may choose. Any other text is itself. */
export function networkOfClient(text: string): string {
  const address = parseAddress(text)
  if (address === null) return text
  return address.length === 2 ? formatAddress(address) : formatNetwork(masked(address, 64))
}

/** Longer than any address, so that nothing long is looked at. */
const LONGEST = 45

function groupsOf(text: string): number[] | null {
  if (text.length > LONGEST) return null
  return text.includes(':') ? groupsOfV6(text) : groupsOfV4(text)
}

function groupsOfV4(text: string): number[] | null {
  const bytes = text.split('.').map(byteOf)
  if (bytes.length !== 4 || bytes.includes(-1)) return null
  const [a, b, c, d] = bytes as [number, number, number, number]
  return [(a << 8) | b, (c << 8) | d]
}

/**
 * A number from 0 to 255 in its plain form; -1 where it is none. A leading zero is refused: some read
 * the number as octal, and would mean another address.
 */
function byteOf(text: string): number {
  const value = Number(text)
  return value >= 0 && value <= 255 && String(value) === text ? value : -1
}

function groupsOfV6(text: string): number[] | null {
  const halves = text.split('::')
  if (halves.length > 2) return null
  const [head, tail = []] = halves.map((half, index) =>
    readGroups(half, index === halves.length - 1),
  ) as [number[] | null, (number[] | null)?]
  if (head === null || tail === null) return null
  const missing = 8 - head.length - tail.length
  // RFC 4291 §2.2: `::` stands for one group or more.
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null
  return [...head, ...Array.from({ length: missing }, () => 0), ...tail]
}

/** One side of `::`. Only the last group of all may be written as IPv4. */
function readGroups(text: string, last: boolean): number[] | null {
  const groups: number[] = []
  const parts = text === '' ? [] : text.split(':')
  for (const [at, part] of parts.entries()) {
    const embedded = last && at === parts.length - 1 && part.includes('.')
    const read = embedded ? groupsOfV4(part) : readGroup(part)
    if (read === null) return null
    groups.push(...read)
  }
  return groups
}

const readGroup = (text: string): number[] | null =>
  /^[0-9a-f]{1,4}$/i.test(text) ? [Number.parseInt(text, 16)] : null

function withoutZone(text: string): string {
  const cut = text.indexOf('%')
  return cut < 0 || !text.includes(':') ? text : text.slice(0, cut)
}

function unmapped(groups: number[]): Address {
  const mapped = groups.length === 8 && groups[5] === 0xffff && !groups.slice(0, 5).some(Boolean)
  return mapped ? groups.slice(6) : groups
}

function prefixOf(text: string, most: number): number | null {
  return /^(?:0|[1-9]\d{0,2})$/.test(text) && Number(text) <= most ? Number(text) : null
}

function masked(address: Address, bits: number): Network {
  const start = address.map((group, at) => group & maskAt(at, bits))
  return { address: start, bits, exact: start.every((group, at) => group === address[at]) }
}

/** The mask of the group at an index, in a network of so many bits. */
function maskAt(index: number, bits: number): number {
  const own = Math.min(Math.max(bits - index * 16, 0), 16)
  return (0xffff << (16 - own)) & 0xffff
}

/** The first of the longest runs of zeros, which is written `::`. */
function longestZeros(groups: Address): { start: number; length: number } {
  let best = { start: 0, length: 0 }
  let length = 0
  for (const [at, group] of groups.entries()) {
    length = group === 0 ? length + 1 : 0
    if (length > best.length) best = { start: at - length + 1, length }
  }
  return best
}
