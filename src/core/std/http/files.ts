/** More characters than any file system allows in a name. */
const LONGEST = 255

/**
 * A file name that can do no harm where it is shown, logged or sent: without folders, without controls, and without
 * the marks that turn text around and could make a name look like another. Never empty.
 */
export function shownFileName(name: string): string {
  const last = name.split(/[/\\]/).at(-1)!
  const shown = last
    .replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim()
    .toWellFormed()
  const isName = shown !== '' && shown !== '.' && shown !== '..'
  return isName ? [...shown].slice(0, LONGEST).join('') : 'file'
}

/** RFC 6266: a name beyond ASCII goes twice, for clients that know RFC 8187 and for others. */
export function contentDisposition(
  kind: 'inline' | 'attachment',
  name: string | undefined,
): string {
  if (name === undefined) return kind
  const safe = shownFileName(name)
  // Clients do not agree about what a percent sign, a quote or a backslash in quotes is.
  const plain = safe.replace(/[^\x20-\x7e]|["%\\]/g, '_')
  const encoded = encodeURIComponent(safe).replace(
    /['()*]/g,
    (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${plain}"${plain === safe ? '' : `; filename*=UTF-8''${encoded}`}`
}

/** The validators that distinguish one state of the content from another. */
export interface Validators {
  readonly tag: string | null
  /** In milliseconds, of whole seconds. */
  readonly modified: number | null
}

export function quotedTag(etag: string): string {
  if (/^[\x21\x23-\x7e]+$/.test(etag)) return `"${etag}"`
  throw new TypeError(`The etag ${JSON.stringify(etag)} holds a character that no ETag can.`)
}

/** A date in whole seconds. Clients would never confirm a date in the future (RFC 9110 §8.8.2.1). */
export function wholeSeconds(date: Date | null): number | null {
  if (date === null) return null
  return Math.floor(Math.min(date.getTime(), Date.now()) / 1000) * 1000
}

export const timeOf = (milliseconds: number): string => new Date(milliseconds).toUTCString()

/** The conditions and ranges in the headers of a request. */
interface Asking {
  header(name: string): string | null
}

/**
 * Does the client have it already (RFC 9110 §13.1.2, §13.1.3)? Then 304 is the answer. `tag` is quoted, as in `ETag`;
 * `modified` is in milliseconds since 1970.
 *
 * @example isKnown(request, { tag: '"v7"', modified: null }) ? reply(null, { status: 304 }) : report
 */
export function isKnown(request: Asking, { tag, modified }: Validators): boolean {
  const tags = request.header('if-none-match')
  if (tags !== null) return tags.trim() === '*' || (tag !== null && tagsIn(tags).includes(tag))
  const since = timeIn(request.header('if-modified-since'))
  return since !== null && modified !== null && modified <= since
}

/** Compared weakly: `W/` does not count. */
function tagsIn(header: string): readonly string[] {
  return [...header.matchAll(/"[\x21\x23-\x7e]*"/g)].map(([tag]) => tag)
}

const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

function timeIn(header: string | null): number | null {
  const time = header !== null && HTTP_DATE.test(header) ? Date.parse(header) : NaN
  return Number.isNaN(time) ? null : time
}

/** Milliseconds: a file may have changed twice in the second that it says it was changed in (RFC 9110 §8.8.2.2). */
const STEADY = 2000

/** Does the condition of `If-Range` hold? A part of other content is of no use to the client (RFC 9110 §13.1.5). */
function isWanted(condition: string | null, { tag, modified }: Validators): boolean {
  if (condition === null) return true
  if (!HTTP_DATE.test(condition)) return condition.trim() === tag
  return modified !== null && timeIn(condition) === modified && Date.now() - modified >= STEADY
}

/** The first byte of a part, and the byte behind its last. */
type Range = readonly [start: number, end: number]

/** The one range that was asked for; `null`: the whole; `'outside'`: there is no such part (RFC 9110 §14). */
export function rangeOf(
  request: Asking,
  size: number,
  validators: Validators,
): Range | 'outside' | null {
  const asked = request.header('range')
  const found = /^bytes=[\t ]*(\d*)-(\d*)[\t ]*$/i.exec(asked ?? '')
  if (found === null || !isWanted(request.header('if-range'), validators)) return null
  const [, first = '', last = ''] = found
  if (first === '') return last === '' ? null : lastBytes(Number(last), size)
  const start = Number(first)
  if (last !== '' && Number(last) < start) return null
  if (start >= size) return 'outside'
  return [start, last === '' ? size : Math.min(Number(last) + 1, size)]
}

function lastBytes(count: number, size: number): Range | 'outside' | null {
  if (count === 0) return 'outside'
  // No range can state that it is empty.
  return size === 0 ? null : [Math.max(size - count, 0), size]
}
