// The data of an answer as HTML. Keys of JSON are in `b`, texts in `i`, numbers in `u` and words in `s`, which the style sheet
// colours: the elements are short, because the page of a list has thousands.
import { escapeHtml } from '../../core/std/text/escape-html.ts'
import type { RowLinks } from '../../core/ports/page.ts'
import type { Renderer } from '../../core/ports/representations.ts'
import { Message } from '../../core/messages/message.ts'

/** The most characters that are coloured; the rest stays plain. */
const MOST_COLOURED = 300_000

/** The most characters of HTML that are shown: `<` makes four of them, and an address seven times its length. */
const MOST_SHOWN = 1_000_000

/** The data as HTML, and a notice about it. */
interface ShownText {
  readonly html: Uint8Array
  readonly notice: Message | null
}

/** A long text is cut, and coloured in a still smaller part, so that browsers stay quick. */
export function shownText(
  data: string | Uint8Array | Message,
  renderer: Pick<Renderer, 'mediaType'> | null,
  origin: string,
  links: RowLinks | null = null,
): ShownText {
  if (data instanceof Message) return { html: new Uint8Array(), notice: data }
  if (renderer !== null && /[/+]json$/i.test(renderer.mediaType))
    return shownJson(typeof data === 'string' ? Buffer.from(data) : data, origin, links)
  const all = typeof data === 'string' ? data : utf8(data)
  const { html, taken } = asHtml(all, origin, MOST_SHOWN)
  return { html: Buffer.from(html), notice: taken < all.length ? CUT : null }
}

const CUT = Message.of('page.cut')
const PLAIN = Message.of('page.plain')

/** Indents by four spaces, with a line for each member, whatever the form of the JSON. It takes one pass. */
function shownJson(json: Uint8Array, origin: string, links: RowLinks | null): ShownText {
  const page = new ColouredJson(json, origin, links)
  while (page.hasMore()) {
    if (page.length > MOST_SHOWN) return { html: page.html(), notice: CUT }
    page.writeToken()
  }
  return { html: page.html(), notice: page.length > MOST_COLOURED ? PLAIN : null }
}

/**
 * Writes from UTF-8 to UTF-8, byte by byte: joining thousands of short texts takes twice as long, and the result would be
 * copied once more before it is sent.
 */
class ColouredJson {
  readonly #json: Uint8Array
  readonly #origin: string
  #room: Buffer
  /** The position of the next token, and the position where it will be written. */
  #at = 0
  #end = 0
  /** The number of written bytes less the number of their characters. */
  #spare = 0
  #depth = 0
  readonly #links: RowLinks['byMember'] | null
  /** The depth at which the members of rows are. */
  readonly #rows: number
  /** Finds the page for the next value. */
  #link: ((key: string | number) => string | null) | null = null

  constructor(json: Uint8Array, origin: string, links: RowLinks | null) {
    this.#json = json
    this.#origin = origin
    this.#links = links && links.byMember.size > 0 ? links.byMember : null
    // A page of a list has its rows in a member.
    this.#rows = links?.isList ? (json[afterSpace(json, 0)] === OPEN_LIST ? 2 : 3) : 1
    this.#room = Buffer.allocUnsafeSlow(Math.min(4 * json.length, MOST_SHOWN) + AROUND)
  }

  /** The length in characters. */
  get length(): number {
    return this.#end - this.#spare
  }

  hasMore(): boolean {
    return this.#at < this.#json.length
  }

  html(): Uint8Array {
    return this.#room.subarray(0, this.#end)
  }

  writeToken(): void {
    const byte = this.#json[this.#at]!
    this.#makeRoom(4 * this.#depth)
    if (this.#link !== null && IS_SPACE[byte] === 0 && this.#writeLinked(byte)) return
    if (byte === QUOTE) this.#writeText()
    else if (byte === COMMA || byte === COLON) this.#writeBetween(this.#at)
    else if (OPENS[byte] === 1) this.#writeOpening(byte)
    else if (CLOSES[byte] === 1) this.#writeClosing(byte)
    else if (IS_SPACE[byte] === 1) this.#at = afterSpace(this.#json, this.#at)
    else this.#writeWord(byte)
  }

  /** Writes the comma or the colon at this position. */
  #writeBetween(at: number): void {
    const byte = this.#json[at]!
    this.#room[this.#end++] = byte
    if (byte === COMMA) this.#startLine()
    else this.#room[this.#end++] = SPACE
    this.#at = at + 1
  }

  #writeOpening(byte: number): void {
    const next = afterSpace(this.#json, this.#at + 1)
    this.#room[this.#end++] = byte
    this.#at = next
    if (CLOSES[this.#json[next]!] === 1) this.#room[this.#end++] = this.#json[this.#at++]!
    else {
      this.#depth++
      this.#startLine()
    }
  }

  #writeClosing(byte: number): void {
    this.#depth = Math.max(this.#depth - 1, 0)
    this.#startLine()
    this.#room[this.#end++] = byte
    this.#at++
  }

  #startLine(): void {
    const room = this.#room
    let to = this.#end
    room[to++] = NEW_LINE
    for (const stop = to + 4 * this.#depth; to < stop; to++) room[to] = SPACE
    this.#end = to
  }

  #writeText(): void {
    const isColoured = this.length < MOST_COLOURED
    const open = this.#end
    const start = this.#at
    if (isColoured) this.#end += 3
    if (!this.#copyText()) this.#writeSlowly(endOfText(this.#json, this.#at), isColoured)
    const next = afterSpace(this.#json, this.#at)
    const isKey = this.#json[next] === COLON
    if (isColoured) this.#mark(open, isKey ? KEY : TEXT)
    if (isKey && isColoured && this.#links !== null && this.#depth === this.#rows)
      this.#link = this.#links.get(nameIn(this.#json, start, next)) ?? null
    // A key or a text is usually followed by one of these at once, and writing both in one step saves a turn of the loop.
    if (isKey || this.#json[next] === COMMA) this.#writeBetween(next)
  }

  /** Writes a key with a link to its page; `false`: the key names no page. */
  #writeLinked(byte: number): boolean {
    const find = this.#link!
    this.#link = null
    const isText = byte === QUOTE
    if (!isText && !(byte === MINUS || (byte >= ZERO && byte <= NINE))) return false
    const start = this.#at
    const end = isText ? endOfText(this.#json, start) : endOfWord(this.#json, start)
    if (end - start > SHORT) return false
    const token = utf8(this.#json.subarray(start, end))
    const url = find(keyIn(token))
    if (url === null) return false
    const element = isText ? 'i' : 'u'
    const shown = `<${element}><a href="${escapeHtml(url)}">${escapeText(token)}</a></${element}>`
    this.#makeRoom(3 * shown.length)
    const length = this.#room.write(shown, this.#end)
    this.#end += length
    this.#spare += length - shown.length
    this.#at = end
    return true
  }

  #writeWord(byte: number): void {
    const isColoured = this.length < MOST_COLOURED
    const open = this.#end
    if (isColoured) this.#end += 3
    if (!this.#copyWord()) this.#writeSlowly(endOfWord(this.#json, this.#at), false)
    if (isColoured) this.#mark(open, byte >= SMALL_A ? WORD : NUMBER)
    if (this.#json[this.#at] === COMMA) this.#writeBetween(this.#at)
  }

  /** Wraps the text since `open` in an element; the space for its start was left free. */
  #mark(open: number, element: number): void {
    const room = this.#room
    const end = this.#end
    room[open] = LESS
    room[open + 1] = element
    room[open + 2] = GREATER
    room[end] = LESS
    room[end + 1] = SLASH
    room[end + 2] = element
    room[end + 3] = GREATER
    this.#end = end + 4
  }

  /** Copies a short text without special characters, as most texts are; `false`: this text is different. */
  #copyText(): boolean {
    const json = this.#json
    const room = this.#room
    const most = Math.min(json.length, this.#at + SHORT)
    let to = this.#end
    let seen = 0
    room[to++] = QUOTE
    for (let at = this.#at + 1; at < most; at++) {
      const byte = json[at]!
      room[to++] = byte
      seen |= byte
      if (IN_TEXT[byte] === 1 || (byte === COLON && json[at + 1] !== SLASH)) continue
      if (byte !== QUOTE) return false
      if (seen > 0x7f) this.#spare += spareIn(json, this.#at, at)
      this.#at = at + 1
      this.#end = to
      return true
    }
    return false
  }

  #copyWord(): boolean {
    const json = this.#json
    const room = this.#room
    const most = Math.min(json.length, this.#at + SHORT)
    let at = this.#at
    let to = this.#end
    while (at < most && IN_WORD[json[at]!] === 1) room[to++] = json[at++]!
    if (at < json.length && ENDS_WORD[json[at]!] === 0) return false
    this.#at = at
    this.#end = to
    return true
  }

  /** Writes a token that is long or escaped, or contains a link. */
  #writeSlowly(end: number, mayLink: boolean): void {
    const whole = utf8(this.#json.subarray(this.#at, end))
    const { html, taken } = asHtml(
      whole,
      mayLink ? this.#origin : null,
      MOST_SHOWN + 1 - this.length,
    )
    const length = Buffer.byteLength(html)
    this.#makeRoom(length)
    this.#end += this.#room.write(html, this.#end)
    this.#spare += length - html.length
    // After a cut, the position stays inside the token, so that more remains to be written.
    this.#at = taken < whole.length ? end - 1 : end
  }

  /** Makes room for so many further bytes, and for the markup around them. */
  #makeRoom(bytes: number): void {
    const least = this.#end + bytes + AROUND
    if (least <= this.#room.length) return
    this.#room = Buffer.concat([this.#room.subarray(0, this.#end)], 2 * least)
  }
}

/** The text of a key. The keys of our fields contain no escapes. */
function nameIn(json: Uint8Array, start: number, next: number): string {
  return utf8(json.subarray(start + 1, endOfText(json.subarray(0, next), start) - 1))
}

/** The key of a value. A number that lost digits stays a text, which names no page. */
function keyIn(token: string): string | number {
  try {
    const key = JSON.parse(token) as string | number
    return typeof key === 'number' && !Number.isSafeInteger(key) ? token : key
  } catch {
    return token
  }
}

const OPEN_LIST = 0x5b
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const SLASH = 0x2f
const LESS = 0x3c
const GREATER = 0x3e
const SPACE = 0x20
const NEW_LINE = 0x0a

/** Names of elements: `b`, `i`, `u`, `s`. */
const KEY = 0x62
const TEXT = 0x69
const NUMBER = 0x75
const WORD = 0x73
const SMALL_A = 0x61

/** Tokens of at most this length are copied byte by byte. */
const SHORT = 128

/** Room for a short token and the markup around it. */
const AROUND = SHORT + 16

/** A table with 1 for the bytes of these characters. */
function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(256)
  for (const byte of Buffer.from(characters)) table[byte] = 1
  return table
}

const IS_SPACE = tableOf(' \n\r\t')
const OPENS = tableOf('{[')
const CLOSES = tableOf('}]')
const ENDS_WORD = tableOf(',}]:{[" \n\r\t')
const IN_WORD = tableOf('+-.0123456789Eaeflnrstu')

/** Bytes of a text that need no change; a colon is not one of them, as it may belong to an address. */
const IN_TEXT = tableOf('"\\&<>:').map((is) => 1 - is)

/** The number of bytes less the number of characters: JavaScript counts two for a sequence of four bytes. */
function spareIn(bytes: Uint8Array, start: number, end: number): number {
  let spare = 0
  for (let at = start; at < end; at++) {
    if (bytes[at]! >= 0xf0) spare--
    else if (bytes[at]! >= 0x80 && bytes[at]! < 0xc0) spare++
  }
  return spare
}

function endOfText(json: Uint8Array, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  return Math.min(at + 1, json.length)
}

function endOfWord(json: Uint8Array, start: number): number {
  let end = start + 1
  while (end < json.length && ENDS_WORD[json[end]!] === 0) end++
  return end
}

function afterSpace(json: Uint8Array, at: number): number {
  let next = at
  while (next < json.length && IS_SPACE[json[next]!] === 1) next++
  return next
}

export function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
}

const ADDRESS = /https?:\/\/[^\s"'<>\\`]+/g

/** Browsers do not open longer addresses. */
const LONGEST_ADDRESS = 10_000

/** The number of characters that are escaped in one call. */
const PIECE = 4096

/**
 * Turns a text into at most about `most` characters of HTML, and counts the characters that it has used. Addresses become
 * links, unless `origin`, the service's own, is `null`.
 */
function asHtml(
  text: string,
  origin: string | null,
  most: number,
): { html: string; taken: number } {
  const made = { html: '', taken: 0 }
  if (origin !== null && text.includes('://')) {
    for (const { 0: url, index } of text.matchAll(ADDRESS)) {
      escapeUpTo(index, text, most, made)
      if (made.html.length >= most) return made
      if (url.length > LONGEST_ADDRESS) continue
      made.html += link(url, origin)
      made.taken += url.length
    }
  }
  escapeUpTo(text.length, text, most, made)
  return made
}

function escapeUpTo(
  end: number,
  text: string,
  most: number,
  made: { html: string; taken: number },
): void {
  while (made.taken < end && made.html.length < most) {
    const piece = text.slice(made.taken, Math.min(end, made.taken + PIECE))
    made.html += escapeText(piece)
    made.taken += piece.length
  }
}

function link(url: string, origin: string): string {
  const shown = escapeText(url)
  const isOwn = url.startsWith(origin) && /^(?:[/?#]|$)/.test(url.slice(origin.length))
  return `<a href="${shown}"${isOwn ? '' : ' rel="nofollow noreferrer"'}>${shown}</a>`
}

/** Between tags, quotation marks need no escape. */
const escapeText = (text: string): string => escapeHtml(text, 'text')
