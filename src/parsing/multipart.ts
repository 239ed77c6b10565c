import type { BusboyFileStream, BusboyInstance } from '@fastify/busboy'
import type { ContentType } from '../contract/door.ts'
import type { Parser } from '../contract/request.ts'
import { ParseError } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import { Form, type FormValue } from '../std/http/form.ts'
import { essenceOf, parseMediaType } from '../std/http/media-type.ts'
import { decoderFor } from './decoder.ts'

/** More parts than any form has; every one of them costs work long after parsing. */
const PART_LIMIT = 1000

/** RFC 2046 §5.1.1 allows 70 characters; some clients take more. */
const BOUNDARY = /^[\x20-\x7e]{0,199}[\x21-\x7e]$/

/**
 * Forms with files (B5, RFC 7578). Parts without a name are left out; so is a file input that was not
 * filled, which comes as a file without a name. A body without the boundary is an empty form.
 */
export class MultiPartParser implements Parser {
  readonly mediaType: string = 'multipart/form-data'

  /** @throws ParseError (400) for a missing boundary, a body that ends too soon, more than 1,000 parts */
  async parse(bytes: Uint8Array, type: ContentType): Promise<Form> {
    const boundary = type.parameters['boundary'] ?? ''
    if (!BOUNDARY.test(boundary)) throw new ParseError(Message.of('parse_error.boundary'))
    const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    if (!body.includes(`--${boundary}`)) return new Form()
    const decoder = decoderFor(type)
    const parts = await readParts(await readerFor(boundary, body.length), body)
    return new Form(parts.flatMap((part) => toField(part, decoder)))
  }
}

interface Part {
  readonly name: string | undefined
  /** Without folders; `undefined`: not a file. */
  readonly filename: string | undefined
  readonly mediaType: string
  readonly chunks: readonly Uint8Array[]
}

function readParts(reader: BusboyInstance, body: Buffer): Promise<readonly Part[]> {
  return new Promise((resolve, reject) => {
    const parts: Part[] = []
    const refuse = () => reject(new ParseError(Message.of('parse_error.form_end')))
    reader
      .on('file', (name: Part['name'], content, filename: Part['filename'], _, mediaType) => {
        parts.push({ name, filename, mediaType, chunks: chunksOf(content) })
      })
      .on('partsLimit', () => {
        // It goes through the reader, which would go on to the end of the body otherwise.
        throw new ParseError(Message.of('parse_error.parts', { limit: PART_LIMIT }))
      })
      .on('error', refuse)
      .on('finish', () => resolve(parts))
      .end(body)
    // Reading takes ticks and no timers or I/O: what has not come to an end by then never will.
    setImmediate(refuse)
  })
}

/**
 * Takes every part for a file, because only files come as the bytes that were sent. The mark lies above
 * the whole body, which is in memory anyway: a reader that pauses in a part left out never goes on.
 * The package is loaded with the first form that has parts.
 */
async function readerFor(boundary: string, length: number): Promise<BusboyInstance> {
  const { Busboy } = await import('@fastify/busboy')
  const quoted = boundary.replaceAll(/["\\]/g, String.raw`\$&`)
  return new Busboy({
    headers: { 'content-type': `multipart/form-data; boundary="${quoted}"` },
    limits: { parts: PART_LIMIT },
    isPartAFile: () => true,
    fileHwm: length + 1,
  })
}

/** All there when the reader has finished; a part cut short is an error of the reader too. */
function chunksOf(content: BusboyFileStream): readonly Uint8Array[] {
  const chunks: Uint8Array[] = []
  content.on('data', (chunk: Uint8Array) => chunks.push(chunk)).on('error', () => {})
  return chunks
}

function toField(part: Part, decoder: TextDecoder): (readonly [string, FormValue])[] {
  const { name, filename } = part
  if (name === undefined || filename === '') return []
  const bytes = Buffer.concat(part.chunks)
  if (filename === undefined) return [[name, decoder.decode(bytes)]]
  const type = parseMediaType(part.mediaType)
  const mediaType = type ? essenceOf(type) : 'application/octet-stream'
  return [[name, { filename, mediaType, bytes }]]
}
