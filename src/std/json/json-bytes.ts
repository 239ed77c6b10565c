import { withinQuotes } from './json-text.ts'

/** From here on, to copy a text character by character takes longer than to call what encodes it. */
const LONG = 64

/**
 * Texts of JSON, put one behind the other as the bytes of UTF-8: short ones cost neither an object nor a call of
 * the platform, as they would if they were added up to one text first.
 */
export class JSONBytes {
  #room: Buffer
  #length = 0

  /** @param expected bytes; more make it grow */
  constructor(expected: number) {
    this.#room = Buffer.allocUnsafeSlow(Math.max(expected, LONG))
  }

  /** Makes room for so many bytes in all, and a fifth more, so that it need not grow step by step. */
  expect(bytes: number): void {
    if (bytes > this.#room.length) this.#widen(1.2 * bytes)
  }

  get length(): number {
    return this.#length
  }

  /** All that was put. */
  get bytes(): Uint8Array {
    return this.#room.subarray(0, this.#length)
  }

  /** Takes back what was put since it had this length. */
  cut(length: number): void {
    this.#length = length
  }

  putByte(byte: number): void {
    this.#roomFor(1)[this.#length++] = byte
  }

  /** Puts a byte in the place of one that was put before. */
  replace(at: number, byte: number): void {
    this.#room[at] = byte
  }

  putBytes(bytes: Uint8Array): void {
    const { length } = bytes
    const room = this.#roomFor(length)
    const from = this.#length
    if (length > LONG) room.set(bytes, from)
    else for (let at = 0; at < length; at++) room[from + at] = bytes[at]!
    this.#length = from + length
  }

  /** A text of JSON, as it is. */
  put(text: string): void {
    this.putPart(text, 0, text.length)
  }

  /** Those of its characters from the first place to before the second one. */
  putPart(text: string, first: number, end: number): void {
    const from = this.#length - first
    const room = this.#roomFor(end - first)
    if (end - first > LONG) return this.#encode(text.slice(first, end))
    for (let at = first; at < end; at++) {
      const code = text.charCodeAt(at)
      if (code > LAST_OF_ASCII) return this.#encode(text.slice(first, end))
      room[from + at] = code
    }
    this.#length = from + end
  }

  /** What JSON has between the quotes of a text. */
  putWithinQuotes(text: string): void {
    const { length } = text
    if (length > LONG) return this.#encode(withinQuotes(text))
    const room = this.#roomFor(length)
    const from = this.#length
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at)
      if (code < SPACE || code === QUOTE || code === BACKSLASH || code > LAST_OF_ASCII)
        return this.#encode(withinQuotes(text))
      room[from + at] = code
    }
    this.#length = from + length
  }

  /** A whole number. */
  putWhole(value: number): void {
    if (value !== (value | 0) || value === SMALLEST) return this.put(`${value}`)
    let rest = Math.abs(value) | 0
    if (value < 0) this.putByte(MINUS)
    const places = placesOf(rest)
    const room = this.#roomFor(places)
    for (let at = this.#length + places - 1; at >= this.#length; at--) {
      const shorter = (rest / 10) | 0
      room[at] = ZERO + rest - shorter * 10
      rest = shorter
    }
    this.#length += places
  }

  #encode(text: string): void {
    // A character of JavaScript takes three bytes at most.
    this.#length += this.#roomFor(3 * text.length).write(text, this.#length)
  }

  #roomFor(more: number): Buffer {
    const needed = this.#length + more
    if (needed > this.#room.length) this.#widen(1.5 * needed)
    return this.#room
  }

  #widen(length: number): void {
    const wider = Buffer.allocUnsafeSlow(Math.ceil(length))
    wider.set(this.bytes)
    this.#room = wider
  }
}

const SPACE = 0x20
const QUOTE = 0x22
const MINUS = 0x2d
const ZERO = 0x30
const BACKSLASH = 0x5c
const LAST_OF_ASCII = 0x7f
/** Of those of 32 bits, the one whose opposite has more. */
const SMALLEST = -0x80000000

function placesOf(whole: number): number {
  let places = 1
  for (let limit = 10; whole >= limit; limit *= 10) places++
  return places
}
