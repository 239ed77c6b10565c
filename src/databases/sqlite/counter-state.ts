// How SQLite keeps numbers of counters: a row that is short fits into a page with many others.
import type { Limit } from '../../contract/throttling.ts'
import type { Kept } from '../../throttling/counting.ts'

/** Bytes of a whole number at most, seven bits in each. */
const LONGEST = 8
const MORE = 128

/**
 * The first number has 64 bits. Moments of a log come one after the other, so of the others only the distances are
 * kept, seven bits a byte, the lowest first: one or two bytes for most.
 */
export function bytesOf({ algorithm }: Limit, kept: Kept): Uint8Array {
  if (algorithm === 'gcra' || kept.length === 0)
    return new Uint8Array(Float64Array.from(kept).buffer)
  const bytes = new Uint8Array(8 + LONGEST * (kept.length - 1))
  new DataView(bytes.buffer).setFloat64(0, kept[0]!, true)
  let end = 8
  for (let i = 1; i < kept.length; i++) {
    let distance = kept[i]! - kept[i - 1]!
    for (; distance >= MORE; distance = Math.floor(distance / MORE))
      bytes[end++] = MORE + (distance % MORE)
    bytes[end++] = distance
  }
  return bytes.subarray(0, end)
}

export function numbersOf({ algorithm }: Limit, bytes: Uint8Array): Kept {
  if (bytes.length === 0) return []
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  if (algorithm === 'gcra') return [view.getFloat64(0, true), view.getFloat64(8, true)]
  let moment = view.getFloat64(0, true)
  let unit = 1
  const moments = [moment]
  for (let i = 8; i < bytes.length; i++) {
    const byte = bytes[i]!
    moment += (byte % MORE) * unit
    if (byte >= MORE) unit *= MORE
    else {
      moments.push(moment)
      unit = 1
    }
  }
  return moments
}
