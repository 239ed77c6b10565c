// What the tests of this room share: a request of no door, and what reading comes to.
import { expect } from 'vitest'
import { DEFAULTS } from '../../../src/preset/built-in.ts'
import type { ApiRequest } from '../../../src/core/ports/request.ts'
import type { Settings } from '../../../src/core/ports/settings/settings.ts'
import type { ParseOptions, Serializer } from '../../../src/core/ports/serializer.ts'
import { ValidationError } from '../../../src/core/errors/api-errors.ts'
import type { AnyField } from '../../../src/resources/serializers/declaration.ts'
import { serializer } from '../../../src/resources/serializers/serializer.ts'
import { TimeZones } from '../../../src/core/std/time-zone.ts'
import { toJSONText } from '../../../src/core/representations/json.ts'

const zones = new TimeZones()

/** A request as far as serializers look at it. */
export function requestWith(
  version: string | null = null,
  settings: Partial<Settings> = {},
): ApiRequest {
  const zone = typeof settings.timeZone === 'string' ? zones.named(settings.timeZone) : null
  return { version, settings: { ...DEFAULTS, ...settings }, '~zone': zone } as ApiRequest
}

export const request: ApiRequest = requestWith()

interface Reader {
  parse(data: unknown, request: ApiRequest, options?: ParseOptions & { partial?: false }): unknown
}

/** What a body comes to: the input, or the codes of what is wrong with it. */
export async function outcome(
  reader: object,
  data: unknown,
  options: ParseOptions = {},
): Promise<unknown> {
  try {
    const how = options as ParseOptions & { partial?: false }
    return await (reader as Reader).parse(data, request, how)
  } catch (error) {
    if (error instanceof ValidationError) return { codes: error.codes }
    throw error
  }
}

/** What a single field makes of a value. */
export async function given(field: AnyField, value: unknown): Promise<unknown> {
  const result = (await outcome(serializer({ it: field }), { it: value })) as {
    it?: unknown
    codes?: { it: unknown }
  }
  return result.codes === undefined ? result.it : { codes: result.codes.it }
}

/** What a single field shows of a value in a row; JSON writes it without a change, also from a table. */
export function shown(field: AnyField, value: unknown): unknown {
  const one = serializer({ it: field }) as unknown as Shows<{ it: unknown }>
  const object = one.represent({ it: value }, request)
  const text = JSON.parse(textOf(one, { it: value })) as { it: unknown }
  if (JSON.stringify(text) !== JSON.stringify(object)) throw new Error('Two answers.')
  return object.it
}

interface Shows<Output> {
  represent(row: unknown, request: ApiRequest): Output
  readonly fromTable?: Serializer['fromTable']
}

/** What clients get of a row: the JSON of what the serializer shows, which it shows in the same way from a table. */
export function textOf(shows: object, row: unknown, to: ApiRequest = request): string {
  const { represent, fromTable } = shows as Shows<unknown>
  const text = toJSONText(represent(row, to))
  const columns = typeof row === 'object' && row !== null ? Object.keys(row) : []
  const all = fromTable?.call(shows, { columns, values: [Object.values(row as object)] }, to)
  if (all) expect(toJSONText(all)).toBe(`[${text}]`)
  return text
}
