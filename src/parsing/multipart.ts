import type { ContentType, Parser } from '../contract/parsing.ts'
import { ParseError } from '../errors/client-errors.ts'
import { Form, type FormValue } from '../std/form.ts'
import { type Parameters, parseHeaderValue } from '../std/header-value.ts'
import { essenceOf, parseMediaType } from '../std/media-type.ts'
import { decoderOf } from './charset.ts'
import { type Part, splitParts } from './multipart-parts.ts'

/** More parts than any form has; every one of them costs work long after parsing. */
const PART_LIMIT = 1000

/** RFC 2046 §5.1.1 allows 70 characters; some clients take more. */
const BOUNDARY = /^[\x20-\x7e]{0,199}[\x21-\x7e]$/

/**
 * Forms with files (B5, RFC 7578). Parts without a name are left out; so is a file input that nobody
 * has filled, which comes as a file without a name.
 */
export class MultiPartParser implements Parser {
  readonly mediaType: string = 'multipart/form-data'

  /** @throws ParseError (400) for a missing boundary, a body that ends too soon, more than 1,000 parts */
  parse(bytes: Uint8Array, type: ContentType): Form {
    const boundary = type.parameters['boundary'] ?? ''
    if (!BOUNDARY.test(boundary)) throw new ParseError('The content type names no valid boundary.')
    const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const decoder = decoderOf(type.parameters['charset'], { fatal: false })
    const parts = splitParts(body, boundary, PART_LIMIT)
    return new Form(parts.flatMap((part) => toField(part, decoder)))
  }
}

function toField(part: Part, decoder: TextDecoder): (readonly [string, FormValue])[] {
  const { value, parameters } = parseHeaderValue(part.headers.get('content-disposition') ?? '')
  const name = parameters['name']
  if (value.toLowerCase() !== 'form-data' || name === undefined) return []
  const filename = filenameOf(parameters)
  if (filename === null) return [[name, decoder.decode(part.content)]]
  if (filename === '') return []
  const type = parseMediaType(part.headers.get('content-type') ?? '')
  const mediaType = type ? essenceOf(type) : 'application/octet-stream'
  return [[name, { filename, mediaType, bytes: part.content }]]
}

/** `null`: not a file. Folders in front of the name say something about the client's disk only. */
function filenameOf(parameters: Parameters): string | null {
  const named = decodeExtended(parameters['filename*']) ?? parameters['filename']
  if (named === undefined) return null
  const name = named.slice(Math.max(named.lastIndexOf('/'), named.lastIndexOf('\\')) + 1)
  return name === '.' || name === '..' ? '' : name
}

/** `UTF-8''na%C3%AFve.txt` (RFC 8187), which some clients send although RFC 7578 asks them not to. */
function decodeExtended(text: string | undefined): string | undefined {
  const [charset = '', , encoded] = text?.split("'", 3) ?? []
  if (encoded === undefined || charset.toLowerCase() !== 'utf-8') return undefined
  try {
    return decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}
