import type { ContentType } from '../ports/http-adapter.ts'
import type { Incoming } from '../ports/request.ts'
import type { Parser } from '../ports/parsing.ts'
import { ParseError } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import { Form } from '../std/http/form.ts'
import { decoderFor } from './decoder.ts'

/** Forms as browsers send them by default (B4): names with lists of values, blank ones kept. */
export class FormParser implements Parser {
  readonly mediaType: string = 'application/x-www-form-urlencoded'

  /** @throws ParseError (400) for more than `maxFields`; nothing else in a form is an error */
  parse(bytes: Uint8Array, type: ContentType, { settings }: Incoming): Form {
    // Every field costs work long after parsing.
    const limit = settings.maxFields
    const pairs = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      .toString('latin1')
      .split('&', limit + 1)
    if (pairs.length > limit) throw new ParseError(Message.of('parse_error.fields', { limit }))
    const decoder = decoderFor(type)
    return new Form(pairs.filter(Boolean).map((pair) => toField(pair, decoder)))
  }
}

/** Works on bytes, one character each, because percent-escapes are bytes of the form's charset. */
function toField(pair: string, decoder: TextDecoder): [name: string, value: string] {
  const equals = pair.includes('=') ? pair.indexOf('=') : pair.length
  return [unescape(pair.slice(0, equals), decoder), unescape(pair.slice(equals + 1), decoder)]
}

/** A `%` that is followed by anything but two hex digits stands for itself (B4). */
function unescape(text: string, decoder: TextDecoder): string {
  const bytes = text
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)))
  return decoder.decode(Buffer.from(bytes, 'latin1'))
}
