import type { DoorRequest } from '../contract/door.ts'
import type { Body } from '../contract/parsing.ts'
import type { Incoming } from '../contract/request.ts'
import { ApiError, ParseError } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import { selectParser } from '../negotiation/select-parser.ts'
import { Form } from '../std/http/form.ts'
import { essenceOf, parseMediaType } from '../std/http/media-type.ts'

/** Reads and parses the body: type first (415), then bytes (413), then meaning (400). */
export async function readBody(
  door: DoorRequest,
  request: Incoming,
  limit: number,
): Promise<unknown> {
  const contentType = door.header('content-type')
  if (door.body === null) return emptyBody(contentType)
  // A body of no stated length may turn out to be none, and none is of no wrong type (R34).
  const early = door.body.length === null ? await allOf(door.body, limit) : null
  if (early?.length === 0) return emptyBody(contentType)
  const { parser, type } = selectParser(request.settings.parsers, contentType)
  const bytes = early ?? (await allOf(door.body, limit))
  return bytes.length === 0 ? emptyBody(contentType) : parser.parse(bytes, type, request)
}

/** R34: no body is empty data, a form of nothing where a form was announced. */
function emptyBody(contentType: string | null): object {
  const type = contentType === null ? null : parseMediaType(contentType)
  return type !== null && FORMS.has(essenceOf(type)) ? new Form() : {}
}

const FORMS: ReadonlySet<string> = new Set([
  'application/x-www-form-urlencoded',
  'multipart/form-data',
])

/** A client that goes away in the middle of its body is no failure of ours. */
async function allOf(body: Body, limit: number): Promise<Uint8Array> {
  try {
    return await body.bytes(limit)
  } catch (error) {
    throw error instanceof ApiError ? error : new ParseError(Message.of('parse_error.incomplete'))
  }
}
