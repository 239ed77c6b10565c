// The types of files by their first bytes. A name or a claimed type never outweighs the content.
import { attempt } from './attempt.ts'
import { lazily } from './once.ts'

/** A beginning of a file, long enough for the headers of an image that carries a preview and profiles. */
export const HEAD_SIZE: number = 2 ** 20

type Signature = readonly [type: string, at: number, bytes: string | readonly number[]]

const SIGNATURES: readonly Signature[] = [
  ['image/png', 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', 0, [0xff, 0xd8, 0xff]],
  ['image/gif', 0, 'GIF87a'],
  ['image/gif', 0, 'GIF89a'],
  ['image/tiff', 0, [0x49, 0x49, 0x2a, 0]],
  ['image/tiff', 0, [0x4d, 0x4d, 0, 0x2a]],
  // With eight bytes for each place.
  ['image/tiff', 0, [0x49, 0x49, 0x2b, 0]],
  ['image/tiff', 0, [0x4d, 0x4d, 0, 0x2b]],
  ['image/x-icon', 0, [0, 0, 1, 0]],
  ['image/bmp', 0, 'BM'],
  ['image/jxl', 0, [0xff, 0x0a]],
  ['image/jxl', 4, 'JXL \r\n'],
  ['image/avif', 4, 'ftypavi'],
  ['image/heic', 4, 'ftyphei'],
  ['image/heic', 4, 'ftyphev'],
  ['image/heic', 4, 'ftypmif1'],
  ['image/heic', 4, 'ftypmsf1'],
  ['video/quicktime', 4, 'ftypqt'],
  ['video/3gpp2', 4, 'ftyp3g2'],
  ['video/3gpp', 4, 'ftyp3g'],
  ['audio/mp4', 4, 'ftypM4A'],
  ['audio/mp4', 4, 'ftypM4B'],
  ['video/mp4', 4, 'ftyp'],
  ['video/webm', 0, [0x1a, 0x45, 0xdf, 0xa3]],
  ['application/pdf', 0, '%PDF-'],
  ['application/zip', 0, [0x50, 0x4b, 3, 4]],
  ['application/zip', 0, [0x50, 0x4b, 5, 6]],
  ['application/gzip', 0, [0x1f, 0x8b, 8]],
  ['application/x-7z-compressed', 0, [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]],
  ['application/vnd.rar', 0, [0x52, 0x61, 0x72, 0x21, 0x1a, 7]],
  ['application/x-cfb', 0, [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]],
  ['application/vnd.microsoft.portable-executable', 0, 'MZ'],
  ['application/x-elf', 0, [0x7f, 0x45, 0x4c, 0x46]],
  ['application/wasm', 0, [0, 0x61, 0x73, 0x6d]],
  ['application/ogg', 0, 'OggS'],
  ['audio/flac', 0, 'fLaC'],
  ['font/woff', 0, 'wOFF'],
  ['font/woff2', 0, 'wOF2'],
  ['audio/mpeg', 0, 'ID3'],
  // Layer III of MPEG 1, 2 and 2.5, with a checksum or without.
  ...[0xfb, 0xfa, 0xf3, 0xf2, 0xe3, 0xe2].map(
    (second) => ['audio/mpeg', 0, [0xff, second]] as const,
  ),
  ...[0xf1, 0xf0, 0xf9, 0xf8].map((second) => ['audio/aac', 0, [0xff, second]] as const),
]

/** Signatures that are words: a text may begin with them, and is one if it is text to its end. */
const WORDS: ReadonlySet<Signature[2]> = new Set(['MZ', 'BM', 'ID3', 'wOFF', 'wOF2'])

/** Signatures of files that begin with `RIFF` and their length. */
const RIFF: readonly Signature[] = [
  ['image/webp', 8, 'WEBP'],
  ['audio/wav', 8, 'WAVE'],
  ['video/x-msvideo', 8, 'AVI '],
]

const UNKNOWN = 'application/octet-stream'

/**
 * The media type of a file, by its first bytes: images, documents, archives, sound, films and programs that have a
 * signature. Text is `text/html`, `image/svg+xml`, `text/xml` or `text/plain`, and the rest
 * `application/octet-stream`.
 *
 * @example contentTypeOf(await file.bytes()) // 'image/png'
 */
export function contentTypeOf(head: Uint8Array): string {
  const signatures = startsWith(head, 0, 'RIFF') ? RIFF : SIGNATURES
  const found = signatures.find(([, at, bytes]) => startsWith(head, at, bytes))
  if (found === undefined) return textTypeOf(head)
  const text = WORDS.has(found[2]) ? textTypeOf(head) : UNKNOWN
  return text === UNKNOWN ? narrowed(found[0], head) : text
}

/**
 * The exact type of a container, which its later bytes tell: Matroska is the family of WebM, and still pictures name a
 * family first.
 */
function narrowed(type: string, head: Uint8Array): string {
  if (type !== 'video/webm' && type !== 'image/heic') return type
  const beginning = String.fromCharCode(...head.subarray(0, 64))
  if (type === 'video/webm' && beginning.includes('matroska')) return 'video/matroska'
  const brands = type === 'image/heic' ? beginning.slice(16, head[3]) : ''
  return /^(?:.{4})*avi[fs]/s.test(brands) ? 'image/avif' : type
}

function startsWith(head: Uint8Array, at: number, bytes: Signature[2]): boolean {
  const wanted = typeof bytes === 'string' ? [...bytes].map((one) => one.charCodeAt(0)) : bytes
  return wanted.every((byte, index) => head[at + index] === byte)
}

/** Controls that no text has, beside those of terminals and of printers. */
// oxlint-disable-next-line no-control-regex -- it looks for them
const BINARY = /[\0-\x08\x0e-\x1a\x1c-\x1f]/
const HTML =
  /^<(?:!doctype html|html|head|body|script|iframe|style|title|table|div|a|p|br|img|h1)\b/i
const XML = /^<(?:\?xml|svg|!--|!doctype)/i
const SVG = /<(?:\w+:)?svg\b/i
const LONGEST_TEXT = 2 ** 16

function textTypeOf(head: Uint8Array): string {
  const text = decoded(head.subarray(0, LONGEST_TEXT))
  if (text === null || BINARY.test(text)) return UNKNOWN
  const start = text.trimStart()
  if (HTML.test(start)) return 'text/html'
  if (!XML.test(start)) return 'text/plain'
  if (SVG.test(text)) return 'image/svg+xml'
  return start.startsWith('<?xml') ? 'text/xml' : 'text/html'
}

/** The text of UTF-8 bytes, of which the last character may be cut off; `null`: they are no text. */
function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return null
  }
}

/** Contents that have several meanings: which of them, the claim of the client may decide. */
const REFINED: Readonly<Record<string, RegExp>> = {
  'text/plain':
    /^(?:text\/(?!.*(?:html|xml|xsl|script)|x-server).+|application\/(?:json|geo\+json|x-ndjson|yaml|toml)|message\/rfc822)$/,
  'application/zip':
    /^application\/(?:vnd\.openxmlformats-officedocument\..+|vnd\.oasis\.opendocument\..+|epub\+zip)$/,
  'application/x-cfb': /^application\/(?:msword|vnd\.ms-(?:excel|powerpoint|outlook))$/,
  'application/ogg': /^(?:audio|video)\/ogg$/,
  'video/mp4': /^(?:audio\/mp4|video\/x-m4v)$/,
  'audio/mp4': /^audio\/(?:x-)?m4a$/,
  'audio/aac': /^audio\/x-aac$/,
  'image/bmp': /^image\/x-ms-bmp$/,
  'image/heic': /^image\/heif$/,
  'video/3gpp': /^audio\/3gpp$/,
  'video/webm': /^audio\/webm$/,
  'video/matroska': /^(?:video\/x-|audio\/x-|audio\/)matroska$/,
  // Types that the content would have shown are not accepted here.
  [UNKNOWN]: /^application\/(?!.*(?:html|xml|script|pdf|zip))[\w.+-]+$/,
}

/** The type of the content; the claimed type where the content is of a kind that it belongs to. */
export function typeOfContent(head: Uint8Array, claimed: string): string {
  const type = contentTypeOf(head)
  const isKnown = type === UNKNOWN && SIGNATURES.some(([known]) => known === claimed)
  return !isKnown && REFINED[type]?.test(claimed) ? claimed : type
}

/** The types that `contentTypeOf` may give. */
const JUDGED: ReadonlySet<string> = new Set([
  ...[...SIGNATURES, ...RIFF].map(([type]) => type),
  'video/matroska',
  'text/html',
  'image/svg+xml',
  'text/xml',
  'text/plain',
  UNKNOWN,
])

/** May `typeOfContent` be of this type, or of this range (`image/*`)? `image/jpg`, for one, is no type at all. */
export function isTypeOfContents(wanted: string): boolean {
  if (wanted.endsWith('/*')) return [...JUDGED].some((type) => type.startsWith(wanted.slice(0, -1)))
  return JUDGED.has(wanted) || Object.values(REFINED).some((claims) => claims.test(wanted))
}

/** Width and height in pixels. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

/**
 * The size of an image by its header: PNG, JPEG, GIF, WebP, AVIF and HEIC. Nothing is decoded. `null`: another type, or a
 * damaged header.
 *
 * @example imageSizeOf(await file.bytes()) // { width: 640, height: 480 }
 */
export function imageSizeOf(head: Uint8Array): ImageSize | null {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  // It may end within its header.
  const size = attempt(RangeError, () => SIZES[contentTypeOf(head)]?.(view) ?? null)
  return size !== null && size.width > 0 && size.height > 0 ? size : null
}

const SIZES: Readonly<Record<string, (view: DataView) => ImageSize | null>> = {
  'image/png': (view) =>
    view.getUint32(12) === CHUNK.IHDR
      ? { width: view.getUint32(16), height: view.getUint32(20) }
      : null,
  'image/gif': (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  'image/jpeg': sizeOfJpeg,
  'image/webp': (view) => WEBP[view.getUint32(12)]?.(view) ?? null,
  'image/avif': sizeOfHeif,
  'image/heic': sizeOfHeif,
}

/** The largest of the sizes (`ispe`) in the header, `meta`: previews and the tiles of a picture have theirs beside it. */
function sizeOfHeif(view: DataView): ImageSize | null {
  const meta = view.getUint32(0)
  if (view.getUint32(meta + 4) !== CHUNK.meta) return null
  const end = Math.min(meta + view.getUint32(meta), view.byteLength)
  let largest = { width: 0, height: 0 }
  for (let at = meta + 8; at + 16 <= end; at += 1) {
    if (view.getUint32(at) !== CHUNK.ispe) continue
    const size = { width: view.getUint32(at + 8), height: view.getUint32(at + 12) }
    if (size.width * size.height > largest.width * largest.height) largest = size
  }
  return largest
}

const CHUNK = {
  meta: 0x6d657461,
  ispe: 0x69737065,
  IHDR: 0x49484452,
  'VP8 ': 0x56503820,
  VP8L: 0x5650384c,
  VP8X: 0x56503858,
} as const

const WEBP: Readonly<Record<number, (view: DataView) => ImageSize | null>> = {
  [CHUNK['VP8 ']]: (view) => {
    const isFrame = view.getUint16(23) === 0x9d01 && view.getUint8(25) === 0x2a
    const [width, height] = [view.getUint16(26, true), view.getUint16(28, true)]
    return isFrame ? { width: width & 0x3fff, height: height & 0x3fff } : null
  },
  [CHUNK.VP8L]: (view) => {
    const bits = view.getUint32(21, true)
    const isFrame = view.getUint8(20) === 0x2f
    return isFrame ? { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 } : null
  },
  [CHUNK.VP8X]: (view) => ({ width: threeBytes(view, 24) + 1, height: threeBytes(view, 27) + 1 }),
}

const threeBytes = (view: DataView, at: number): number =>
  view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000

/** Markers of frames are 0xC0 to 0xCF, except three that are tables. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
/** Without a length: 0x01 and the restarts. */
const isBare = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)

/** Segment by segment, up to the frame; picture data ends the search. */
function sizeOfJpeg(view: DataView): ImageSize | null {
  let at = 2
  while (view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1)
    if (isFrame(marker)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    if (marker === 0xd9 || marker === 0xda) return null
    // Any number of 0xFF may stand before a marker.
    if (marker === 0xff) at += 1
    else at += isBare(marker) ? 2 : 2 + Math.max(view.getUint16(at + 2), 2)
  }
  return null
}

const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  'image/png': ['png'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/gif': ['gif'],
  'image/webp': ['webp'],
  'image/avif': ['avif'],
  'image/heic': ['heic', 'heif'],
  'image/bmp': ['bmp'],
  'image/jxl': ['jxl'],
  'font/woff': ['woff'],
  'font/woff2': ['woff2'],
  'audio/aac': ['aac'],
  'audio/mp4': ['m4a', 'm4b', 'mp4'],
  'video/3gpp': ['3gp'],
  'video/3gpp2': ['3g2'],
  'video/matroska': ['mkv', 'mka'],
  'image/tiff': ['tif', 'tiff'],
  'image/x-icon': ['ico'],
  'image/svg+xml': ['svg'],
  'text/html': ['html', 'htm'],
  'text/xml': ['xml'],
  'text/plain': [
    'txt',
    'csv',
    'tsv',
    'md',
    'log',
    'json',
    'yaml',
    'yml',
    'toml',
    'ini',
    'ics',
    'vcf',
    'srt',
    'vtt',
    'eml',
  ],
  'application/pdf': ['pdf'],
  'application/zip': ['zip', 'docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'epub'],
  'application/gzip': ['gz', 'tgz'],
  'application/x-7z-compressed': ['7z'],
  'application/vnd.rar': ['rar'],
  'application/x-cfb': ['doc', 'xls', 'ppt', 'msg'],
  'application/ogg': ['ogg', 'oga', 'ogv', 'opus'],
  'audio/flac': ['flac'],
  'audio/mpeg': ['mp3'],
  'audio/wav': ['wav'],
  'video/mp4': ['mp4', 'm4a', 'm4v'],
  'video/quicktime': ['mov'],
  'video/webm': ['webm'],
  'video/x-msvideo': ['avi'],
}

/**
 * Types of files that programs run, or that browsers show with the rights of a page; unknown bytes never get their endings.
 */
const RISKY =
  /^(?:x?html?|s?html|xht|svgz?|xml|xsl|m?js|cjs|ts|css|php\d?|phtml|phar|jsp|aspx?|cgi|pl|py|rb|sh|bat|cmd|com|exe|dll|scr|msi|ps1|vbs|jar|lnk|url|hta|wasm)$/
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i
/** In UTF-8, with the rest of a key, they fit into a name of any file system. */
const MOST_CHARACTERS = 40

const WORDLESS = lazily(() => new RegExp(String.raw`[^\p{L}\p{N}\p{M}_]+`, 'gu'))

/**
 * A name for a file that can stand in a path and in a URL: letters, digits, `-` and `_`, one dot, and an ending that
 * belongs to the content. At most 51 characters. `head` is the file, or its first bytes.
 *
 * @example safeFileName('../shell.php.png', await file.bytes()) // 'shell-php.png'
 */
export function safeFileName(name: string, head: Uint8Array): string {
  const last = name.normalize('NFC').split(/[/\\]/).at(-1)!
  const dot = last.lastIndexOf('.')
  const [stem, ending] = dot < 0 ? [last, ''] : [last.slice(0, dot), last.slice(dot + 1)]
  const words = stem.replace(WORDLESS(), '-').replace(/^-+|-+$/g, '')
  const short = [...words].slice(0, MOST_CHARACTERS).join('') || 'file'
  return `${RESERVED.test(short) ? `${short}-file` : short}.${endingFor(head, ending.toLowerCase())}`
}

function endingFor(head: Uint8Array, claimed: string): string {
  const known = EXTENSIONS[contentTypeOf(head)]
  if (known !== undefined) return known.includes(claimed) ? claimed : known[0]!
  const isAnother = Object.values(EXTENSIONS).some((endings) => endings.includes(claimed))
  return /^[a-z\d]{1,10}$/.test(claimed) && !isAnother && !RISKY.test(claimed) ? claimed : 'bin'
}
