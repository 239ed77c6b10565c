// JSON in which whole numbers keep all their digits, as `field.bigInteger` of the service shows and takes them.

/** A number beyond 2^53 is a `bigint`. A platform that does not show a reviver how a number was written rounds it. */
export function fromJson(text: string): unknown {
  return /\d{16}/.test(text) ? (JSON.parse(text, exact) as unknown) : (JSON.parse(text) as unknown)
}

/** The longest that the service takes; longer ones would be slow to read. */
const WHOLE = /^-?\d{1,1000}$/

function exact(_: string, value: unknown, written?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const source = String(written?.source)
  return WHOLE.test(source) ? BigInt(source) : value
}

/** A `bigint` is written as a number. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'bigint' ? rawJSON(String(one)) : one,
  )
}

const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }
