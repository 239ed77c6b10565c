import type { Body, DoorRequest } from '../contract/door.ts'
import type { Incoming, Parser } from '../contract/request.ts'
import { ApiError, ParseError } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import { findParser, selectParser } from '../negotiation/negotiate.ts'
import { Form } from '../std/http/form.ts'
import { essenceOf, parseMediaType } from '../std/http/media-type.ts'

/** Reads and parses the body: type first (415), then bytes (413), then meaning (400). */
export async function readBody(door: DoorRequest, request: Incoming): Promise<unknown> {
  const { parsers, maxBodySize: limit } = request.settings
  const contentType = door.header('content-type')
  const found = parsers.some(streams) ? findParser(parsers, contentType) : null
  if (found?.parser.parseStream !== undefined)
    return found.parser.parseStream(piecesOf(door.body, limit), found.type, request)
  if (door.body === null) return emptyBody(contentType)
  // A body of no stated length may turn out to be none, and none is of no wrong type (R34).
  const early = door.body.length === null ? await allOf(door.body, limit) : null
  if (early?.length === 0) return emptyBody(contentType)
  const { parser, type } = selectParser(parsers, contentType)
  const bytes = early ?? (await allOf(door.body, limit))
  return bytes.length === 0 ? emptyBody(contentType) : parser.parse(bytes, type, request)
}

function streams({ parseStream }: Parser): boolean {
  return parseStream !== undefined
}

/** No body is empty data: a form of nothing where a form was announced (R34). */
function emptyBody(contentType: string | null): object {
  const type = parseMediaType(contentType ?? '')
  return type !== null && FORMS.has(essenceOf(type)) ? new Form() : {}
}

const FORMS: ReadonlySet<string> = new Set([
  'application/x-www-form-urlencoded',
  'multipart/form-data',
])

async function allOf(body: Body, limit: number): Promise<Uint8Array> {
  try {
    return await body.bytes(limit)
  } catch (error) {
    throw refusalOf(error)
  }
}

async function* piecesOf(body: Body | null, limit: number): AsyncGenerator<Uint8Array> {
  if (body === null) return
  try {
    yield* body.chunks(limit)
  } catch (error) {
    throw refusalOf(error)
  }
}

/** A client that goes away in the middle of its body is no failure of ours. */
function refusalOf(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ParseError(Message.of('parse_error.incomplete'))
}
