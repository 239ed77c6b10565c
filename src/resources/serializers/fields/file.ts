import type { CheckedFile, FileStore } from '../../../core/ports/serializer.ts'
import type { ApiRequest } from '../../../core/ports/request.ts'
import { ConfigurationError } from '../../../core/errors/configuration-error.ts'
import { ErrorDetail } from '../../../core/errors/detail.ts'
import { after } from '../../../core/std/after.ts'
import { randomToken } from '../../../core/secrets/keys.ts'
import {
  HEAD_SIZE,
  imageSizeOf,
  isTypeOfContents,
  safeFileName,
  typeOfContent,
} from '../../../core/std/file-content.ts'
import type { UploadedFile } from '../../../core/std/http/form.ts'
import { oncePer } from '../../../core/std/once.ts'
import type { JSONSchema } from '../../../core/types/documents.ts'
import type { AnyFieldOptions, Chosen, Field, Validator } from '../declaration.ts'
import { fieldOf } from '../field-of.ts'
import { LinkMaker, type LinkTarget, linkProblem } from '../links.ts'
import { Refused, refused } from '../refused.ts'

/** Options of `field.file`. */
export interface FileOptions extends AnyFieldOptions {
  readonly default?: null
  /** Validators of the checked file, before it is stored. */
  readonly validators?: readonly Validator<CheckedFile>[]
  /** In bytes. @default the limits of the endpoint: `maxFileSize`, `maxBodySize` */
  readonly maxSize?: number
  /** Media types of contents, such as `application/pdf` or `audio/*`; SVG, HTML and XML have to be named. @default any */
  readonly types?: readonly string[]
  /**
   * Where it is kept once the whole body is right, or a function that keeps it; the input is the key then. Where the
   * request is refused after all, it is removed. @default nowhere: the input is the file
   */
  readonly store?: FileStore | FileStore['save']
  /**
   * The key that it is kept under: another one for each file, since that of a refused request is removed.
   * @default 22 random characters, `-` and its name
   */
  readonly key?: (file: CheckedFile, request: ApiRequest) => string
  /** The address that gives it, by its key. @default the `url` of the store */
  readonly link?: string | LinkTarget
}

/** Options of `field.image`. */
export interface ImageOptions extends FileOptions {
  /** @default PNG, JPEG, GIF and WebP, which every browser shows */
  readonly types?: readonly ImageType[]
  /** In pixels, like the further limits. @default no limit */
  readonly maxWidth?: number
  readonly maxHeight?: number
  readonly minWidth?: number
  readonly minHeight?: number
  /** Width times height, on which the memory for decoding depends. @default 100,000,000 */
  readonly maxPixels?: number
}

/** Images of which the size is known without decoding them. */
export type ImageType = (typeof SIZED)[number]

const SIZED = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/heic',
] as const
/** Types that every browser shows; others, such as those of telephones, need an explicit option. */
const IMAGES: readonly ImageType[] = SIZED.slice(0, 4)
const MOST_PIXELS = 100_000_000

type Given<O> = O extends { readonly store: object } ? string : CheckedFile

/**
 * A file of a form. Its content decides its type, and name and ending are made safe. Rows hold the key that it is
 * kept under; clients see its URL.
 *
 * @throws ConfigurationError no file can have one of the `types`, such as `image/jpg`
 * @example
 * field.file({ types: ['application/pdf'], maxSize: 10 * 2 ** 20, store: directoryStore('uploads') })
 */
export function file<const O = unknown>(
  options?: Chosen<O, FileOptions>,
): Field<string, string, Given<O>, O> {
  return fileField<Given<O>, O>('file upload', options ?? {})
}

/**
 * An image: PNG, JPEG, GIF or WebP, and AVIF or HEIC where `types` has them, with a size that its header has. Nothing is decoded, so what stands behind
 * the header may be damaged. SVG is a document that can hold programs, and no image here.
 *
 * @throws ConfigurationError one of the `types` is another
 * @example field.image({ maxWidth: 4000, maxHeight: 4000, store: directoryStore('uploads') })
 */
export function image<const O = unknown>(
  options?: Chosen<O, ImageOptions>,
): Field<string, string, Given<O>, O> {
  const { types = IMAGES, ...rules }: ImageOptions = options ?? {}
  const other = types.find((type) => !SIZED.includes(type))
  if (other === undefined)
    return fileField<Given<O>, O>('image upload', { ...rules, types, isImage: true })
  throw new ConfigurationError(
    `field.image cannot tell the size of "${other}": its types are ${SIZED.join(', ')}. Use field.file for others.`,
  )
}

const OWN = ['maxSize', 'types', 'store', 'key', 'link']
const OF_IMAGES = ['isImage', 'maxWidth', 'maxHeight', 'minWidth', 'minHeight', 'maxPixels']

type Rules = Omit<ImageOptions, 'types'> & {
  readonly types?: readonly string[]
  readonly isImage?: true
}

function fileField<G, O>(type: string, rules: Rules): Field<string, string, G, O> {
  const never = rules.types?.find((wanted) => !isTypeOfContents(wanted))
  if (never !== undefined)
    throw new ConfigurationError(
      `field.file: no content is taken for "${never}", so that each file would be refused. Write a media type such as "image/jpeg" or "application/pdf", or a range such as "audio/*"; leave types out for files of every type.`,
    )
  const checked = oncePer((sent: UploadedFile) => checkedFile(sent))
  const links = rules.link === undefined ? null : new LinkMaker(rules.link)
  const { store } = rules
  return fieldOf<string, string, G, O>(type, rules as O, {
    own: rules.isImage ? [...OWN, ...OF_IMAGES] : OWN,
    show: (key, request) => urlOf(key, request, links, store) as string,
    async read(value) {
      if (!isFile(value)) return NO_FILE
      const refusal = sizeProblem(value, rules)
      if (refusal !== null) return refusal
      const seen = await checked(value)
      return contentProblem(seen, rules) ?? (seen as G)
    },
    ...(store && { keep: keeperOf(store, rules) }),
    schema: ({ direction }) => (direction === 'output' ? shownSchema(rules) : sentSchema(rules)),
    check: (settings, service, name) =>
      links === null ? null : linkProblem(name, links, settings, service),
  })
}

/** A row without a file shows `null`. */
function shownSchema({ link, store }: Rules): JSONSchema {
  const isUrl = link !== undefined || (typeof store === 'object' && store.url !== undefined)
  return { type: ['string', 'null'], ...(isUrl && { format: 'uri-reference' }) }
}

/** The bytes of one part of a form. */
function sentSchema({ maxSize, types = ['application/octet-stream'] }: Rules): JSONSchema {
  return {
    type: 'string',
    format: 'binary',
    contentMediaType: types.join(', '),
    ...(maxSize !== undefined && { 'x-max-bytes': maxSize }),
  }
}

const NO_FILE = refused('invalid.file')
const EMPTY = refused('empty.file')

function isFile(value: unknown): value is UploadedFile {
  return (
    typeof value === 'object' &&
    value !== null &&
    'stream' in value &&
    typeof value.stream === 'function'
  )
}

function sizeProblem({ size }: UploadedFile, { maxSize = Infinity }: Rules): Refused | null {
  if (size === 0) return EMPTY
  return size > maxSize ? refused('max_size', { limit: maxSize }) : null
}

async function checkedFile(sent: UploadedFile): Promise<CheckedFile> {
  const head = await headOf(sent)
  return {
    name: safeFileName(sent.name, head),
    type: typeOfContent(head, sent.type),
    size: sent.size,
    path: sent.path,
    kept: sent.kept,
    ...(imageSizeOf(head) ?? { width: null, height: null }),
    bytes: () => sent.bytes(),
    stream: () => sent.stream(),
    moveTo: (path) => sent.moveTo(path),
  }
}

/** A file on disk is not read as a whole. */
async function headOf(sent: UploadedFile): Promise<Uint8Array> {
  if (sent.path === null) return (await sent.bytes()).subarray(0, HEAD_SIZE)
  const head = new Uint8Array(Math.min(sent.size, HEAD_SIZE))
  let length = 0
  for await (const chunk of sent.stream()) {
    const part = chunk.subarray(0, head.length - length)
    head.set(part, length)
    length += part.length
    if (length === head.length) break
  }
  return head.subarray(0, length)
}

function contentProblem(seen: CheckedFile, rules: Rules): Refused | null {
  const { types } = rules
  if (types !== undefined && !types.some((type) => isOf(seen.type, type)))
    return refused('invalid_type', { types: types.join(', ') })
  return rules.isImage ? imageProblem(seen, rules) : null
}

/** Browsers run programs in them: HTML and SVG, and XML, which may be either. */
const ACTIVE: ReadonlySet<string> = new Set(['image/svg+xml', 'text/html', 'text/xml'])

/** A range has everything but these. */
function isOf(type: string, wanted: string): boolean {
  if (type === wanted) return true
  return wanted.endsWith('/*') && type.startsWith(wanted.slice(0, -1)) && !ACTIVE.has(type)
}

function imageProblem({ width, height }: CheckedFile, rules: Rules): Refused | null {
  if (width === null || height === null) return refused('invalid_image')
  const { maxPixels = MOST_PIXELS, maxWidth, maxHeight, minWidth, minHeight } = rules
  const wrong = [
    isOver(width * height, maxPixels) && ErrorDetail.of('max_pixels', { limit: maxPixels }),
    isOver(width, maxWidth) && ErrorDetail.of('max_width', { limit: maxWidth! }),
    isOver(height, maxHeight) && ErrorDetail.of('max_height', { limit: maxHeight! }),
    isOver(minWidth, width) && ErrorDetail.of('min_width', { limit: minWidth! }),
    isOver(minHeight, height) && ErrorDetail.of('min_height', { limit: minHeight! }),
  ].filter((problem) => problem !== false)
  return wrong.length === 0 ? null : new Refused(wrong)
}

const isOver = (number: number | undefined, limit: number | undefined): boolean =>
  number !== undefined && limit !== undefined && number > limit

function urlOf(
  key: string,
  request: ApiRequest,
  links: LinkMaker | null,
  store: Rules['store'],
): string | null {
  if (key === '') return null
  if (links !== null) return links.shown(key, request)
  return typeof store === 'object' && store.url ? store.url(key, request) : key
}

type Keep = NonNullable<Field['keep']>

/** A body that is read twice, because the row was changed meanwhile, is kept once. */
function keeperOf(store: FileStore | FileStore['save'], { key }: Rules): Keep {
  const place: FileStore = typeof store === 'function' ? { save: store } : store
  const keptAs = oncePer((_file: CheckedFile): { key?: string; saved?: unknown } => ({}))
  return (seen: CheckedFile, { request }) => {
    const kept = keptAs(seen)
    const name = (kept.key ??=
      key?.(seen, request) ?? `${randomToken(16, 'base64url')}-${seen.name}`)
    const saving = (): unknown => {
      request.onEnd((status) => (status < 400 ? undefined : place.remove?.(name, request)))
      return place.save(name, seen, request)
    }
    return { value: name, work: () => (kept.saved ??= after(saving(), () => true)) }
  }
}
