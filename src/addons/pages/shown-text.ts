// The data of an answer as HTML. In JSON keys stand in `b`, texts in `i`, numbers in `u` and words in `s`, of which the
// style sheet makes colours: short elements, because the page of a list has thousands.
import { escapeHtml } from '../../core/std/text/escape-html.ts'
import type { RowLinks } from '../../core/ports/page.ts'
import type { Renderer } from '../../core/ports/representations.ts'
import { Message } from '../../core/messages/message.ts'

/** Characters that are coloured; what follows stays as it is. */
const MOST_COLOURED = 300_000

/** Characters that are shown at all, as HTML: of one `<` that makes four, and of an address seven times as many. */
const MOST_SHOWN = 1_000_000

/** The data as HTML, and what there is to tell of it. */
interface ShownText {
  readonly html: Uint8Array
  readonly notice: Message | null
}

/** Long texts are shown in part, and coloured in a smaller part: browsers have to stay quick. */
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

/** With four spaces a level and a line for each member, however it was written. Takes one pass. */
function shownJson(json: Uint8Array, origin: string, links: RowLinks | null): ShownText {
  const page = new ColouredJson(json, origin, links)
  while (page.hasMore()) {
    if (page.length > MOST_SHOWN) return { html: page.html(), notice: CUT }
    page.writeToken()
  }
  return { html: page.html(), notice: page.length > MOST_COLOURED ? PLAIN : null }
}

/**
 * Writes from UTF-8 to UTF-8, byte by byte: thousands of short texts cost twice as much to put together, and have to be
 * copied into one once more before they are sent.
 */
class ColouredJson {
  readonly #json: Uint8Array
  readonly #origin: string
  #room: Buffer
  /** Where the next token begins, and where it will be written. */
  #at = 0
  #end = 0
  /** By how much the characters that are written are fewer than their bytes. */
  #spare = 0
  #depth = 0
  readonly #links: RowLinks['byMember'] | null
  /** The depth of members of rows. */
  readonly #rows: number
  /** Of the value that comes next. */
  #link: ((key: string | number) => string | null) | null = null

  constructor(json: Uint8Array, origin: string, links: RowLinks | null) {
    this.#json = json
    this.#origin = origin
    this.#links = links && links.byMember.size > 0 ? links.byMember : null
    // Pages of a list have their rows in a member.
    this.#rows = links?.isList ? (json[afterSpace(json, 0)] === OPEN_LIST ? 2 : 3) : 1
    this.#room = Buffer.allocUnsafeSlow(Math.min(4 * json.length, MOST_SHOWN) + AROUND)
  }

  /** In characters. */
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

  /** The comma or the colon there. */
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
    // Mostly something is between this and the next token, and nothing between that and this.
    if (isKey || this.#json[next] === COMMA) this.#writeBetween(next)
  }

  /** A key that names a page; `false`: it names none. */
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

  /** Makes an element of what was written since `open`, where room was left for its start. */
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

  /** Most texts are short, and every byte of them stays as it is; `false`: this one is another. */
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

  /** What is long, escaped or a link. */
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
    // Of a text that is cut there is more.
    this.#at = taken < whole.length ? end - 1 : end
  }

  /** For so many bytes more, and for what may stand around them. */
  #makeRoom(bytes: number): void {
    const least = this.#end + bytes + AROUND
    if (least <= this.#room.length) return
    this.#room = Buffer.concat([this.#room.subarray(0, this.#end)], 2 * least)
  }
}

/** The text of a key, which is not escaped where it is one of ours. */
function nameIn(json: Uint8Array, start: number, next: number): string {
  return utf8(json.subarray(start + 1, endOfText(json.subarray(0, next), start) - 1))
}

/** A number that has lost digits is none that names a page. */
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

/** A token of up to so many bytes is copied one by one. */
const SHORT = 128

/** Room for a short token and whatever may stand around one. */
const AROUND = SHORT + 16

/** 1 for the bytes that are these characters. */
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

/** Bytes that a text is left with as they are; a colon may belong to an address. */
const IN_TEXT = tableOf('"\\&<>:').map((is) => 1 - is)

/** By how much characters are fewer than their bytes: of four bytes, JavaScript makes two. */
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

/** What is longer, no browser opens. */
const LONGEST_ADDRESS = 10_000

/** Characters that are escaped at once. */
const PIECE = 4096

/**
 * A text until its HTML has `most` characters, and how many of its characters that are. Addresses in it become links;
 * `origin` is that of the service, `null`: they do not.
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

/** Between tags, where quotation marks mean nothing. */
const escapeText = (text: string): string => escapeHtml(text, 'text')
