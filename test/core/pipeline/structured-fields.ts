// Reads structured fields (RFC 9651 §4.2) as strictly as a client may: what the grammar does not have throws.

/** An item of a list: a text, and whole numbers by name. */
export interface Item {
  readonly name: string
  readonly parameters: Readonly<Record<string, number>>
}

/** A list of strings that have whole numbers as parameters. */
export function parseItems(field: string): readonly Item[] {
  const items: Item[] = []
  let rest = field
  const take = (pattern: RegExp): string => {
    const found = new RegExp(`^(?:${pattern.source})`).exec(rest)
    if (found === null) throw new Error(`${field}: at "${rest}" wants ${pattern.source}`)
    rest = rest.slice(found[0].length)
    return found[0]
  }
  for (;;) {
    if (items.length > 0) take(/[ \t]*,[ \t]*/)
    const name = take(/"(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"/)
    const parameters: Record<string, number> = {}
    while (rest.startsWith(';')) {
      const key = take(/; *[a-z*][a-z0-9_.*-]*=/).slice(1, -1)
      if (key in parameters) throw new Error(`${field}: ${key} comes twice`)
      parameters[key] = Number(take(/-?\d{1,15}(?![\d.])/))
    }
    items.push({ name: name.slice(1, -1).replace(/\\(.)/g, '$1'), parameters })
    if (rest === '') return items
  }
}
