import type { ContentType } from '../../../src/core/ports/http-adapter.ts'
import type { Parser } from '../../../src/core/ports/parsing.ts'
import type { Incoming } from '../../../src/core/ports/request.ts'
import { DEFAULTS } from '../../../src/preset/built-in.ts'
import { Form } from '../../../src/core/std/http/form.ts'

/** All that parsers ask of a request. */
const REQUEST = { settings: DEFAULTS } as Incoming

/** What a parser makes of a body; texts are sent as UTF-8. */
export function parse(
  parser: Parser,
  body: string | Uint8Array,
  parameters: Record<string, string> = {},
): unknown {
  const type: ContentType = { type: parser.mediaType, parameters }
  return parser.parse(typeof body === 'string' ? Buffer.from(body) : body, type, REQUEST)
}

/** All values of all names. */
export function valuesOf(form: unknown): Record<string, unknown> {
  if (!(form instanceof Form)) throw new Error('This is not a form.')
  return Object.fromEntries(form.names().map((name) => [name, form.getAll(name)]))
}

/** The same from pairs of name and value. */
export function listsOf(pairs: readonly (readonly string[])[]): Record<string, unknown> {
  const groups = Map.groupBy(pairs, ([name = '']) => name)
  return Object.fromEntries(
    [...groups].map(([name, list]) => [name, list.map(([, value]) => value)]),
  )
}
