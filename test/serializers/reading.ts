// What the tests of this room share: a request of no door, and what reading comes to.
import { DEFAULTS } from '../../src/api/defaults.ts'
import type { ApiRequest } from '../../src/contract/request.ts'
import type { ParseOptions } from '../../src/contract/serializer.ts'
import type { Settings } from '../../src/contract/settings.ts'
import { ValidationError } from '../../src/errors/client-errors.ts'
import type { AnyField } from '../../src/serializers/declaration.ts'
import { serializer } from '../../src/serializers/serializer.ts'

/** A request as far as serializers look at it. */
export function requestWith(
  version: string | null = null,
  settings: Partial<Settings> = {},
): ApiRequest {
  return { version, settings: { ...DEFAULTS, ...settings } } as ApiRequest
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

/** What a single field shows of a value in a row, as object and as text. */
export function shown(field: AnyField, value: unknown): unknown {
  const { represent, toJSONText } = serializer({ it: field }) as unknown as {
    represent(row: unknown, request: ApiRequest): { it: unknown }
    toJSONText(row: unknown, request: ApiRequest): string
  }
  const object = represent({ it: value }, request)
  const text = JSON.parse(toJSONText({ it: value }, request)) as { it: unknown }
  if (JSON.stringify(text) !== JSON.stringify(object)) throw new Error('Two answers.')
  return object.it
}
