import type { DoorRequest } from '../contract/door.ts'
import type { Incoming } from '../contract/request.ts'
import { UnsupportedMediaType } from '../errors/client-errors.ts'
import { selectParser } from '../negotiation/select-parser.ts'
import { Form } from '../std/form.ts'
import { essenceOf, parseMediaType } from '../std/media-type.ts'

/** Reads and parses the body: type first (415), then bytes (413), then meaning (400). */
export async function readBody(door: DoorRequest, request: Incoming, limit: number): Promise<unknown> {
  const contentType = door.header('content-type')
  if (door.body === null) return emptyBody(contentType)
  if (contentType === null && door.body.length === null) return readUntyped(door, limit)
  const { parser, type } = selectParser(request.settings.parsers, contentType)
  const bytes = await door.body.bytes(limit)
  return bytes.length === 0 ? emptyBody(contentType) : parser.parse(bytes, type, request)
}

/** R34: no body is empty data, a form of nothing where a form was announced. */
function emptyBody(contentType: string | null): object {
  const type = contentType === null ? null : parseMediaType(contentType)
  return type !== null && FORMS.has(essenceOf(type)) ? new Form() : {}
}

const FORMS: ReadonlySet<string> = new Set(['application/x-www-form-urlencoded', 'multipart/form-data'])

/** A chunked body of no type: nothing at all is no body (R34), anything else has no parser (B2). */
async function readUntyped(door: DoorRequest, limit: number): Promise<unknown> {
  const bytes = await door.body!.bytes(limit)
  if (bytes.length === 0) return {}
  throw new UnsupportedMediaType('')
}
