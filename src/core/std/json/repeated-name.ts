const DEEPEST = 50

/**
 * A name that stands twice in one object of a JSON text, of which `value` was read; `null`: none does. Parsers keep one of the two.
 *
 * @throws RangeError it is nested too deep
 */
export function repeatedName(text: string, value: unknown): string | null {
  const names = new Map<string, number>()
  const count = (name: string, by: number): void =>
    void names.set(name, (names.get(name) ?? 0) + by)
  for (const [, name = '', colon] of text.matchAll(/("(?:[^"\\]|\\.)*")\s*(:?)/g))
    if (colon === ':') count(JSON.parse(name) as string, 1)
  eachName(value, (name) => count(name, -1))
  return [...names].find(([, more]) => more > 0)?.[0] ?? null
}

function eachName(value: unknown, call: (name: string) => void, depth = 0): void {
  if (typeof value !== 'object' || value === null) return
  if (depth > DEEPEST) throw new RangeError('It is nested too deep.')
  if (!Array.isArray(value)) Object.keys(value).forEach(call)
  for (const each of Object.values(value)) eachName(each, call, depth + 1)
}
