import type { DoorRequest } from '../contract/door.ts'
import type { Incoming } from '../contract/request.ts'
import { UnsupportedMediaType } from '../errors/client-errors.ts'
import { selectParser } from '../negotiation/select-parser.ts'

/** Reads and parses the body: type first (415), then bytes (413), then meaning (400). */
export async function readBody(door: DoorRequest, request: Incoming, limit: number): Promise<unknown> {
  if (door.body === null) return {}
  const contentType = door.header('content-type')
  if (contentType === null && door.body.length === null) return readUntyped(door, limit)
  const { parser, type } = selectParser(request.settings.parsers, contentType)
  const bytes = await door.body.bytes(limit)
  return bytes.length === 0 ? {} : parser.parse(bytes, type, request)
}

/** A chunked body of no type: nothing at all is no body (R34), anything else has no parser (B2). */
async function readUntyped(door: DoorRequest, limit: number): Promise<unknown> {
  const bytes = await door.body!.bytes(limit)
  if (bytes.length === 0) return {}
  throw new UnsupportedMediaType('')
}
