/** Elements of `Accept-Language` that are read. Browsers send fewer than ten. */
const MOST_RANGES = 50

/**
 * The best of `tags`, in lower case (RFC 4647 §3.4, RFC 9110 §12.5.4): `de-AT` is also answered with `de`, and `*`
 * with the first tag that the client does not refuse. Elements that cannot be read are left out.
 */
export function matchLanguage(header: string, tags: readonly string[]): string | null {
  const ranges = header.split(',', MOST_RANGES).flatMap(readRange)
  const refused = new Set(ranges.filter(({ q }) => q === 0).map(({ tag }) => tag))
  const offered = tags.filter((tag) => !refused.has(tag))
  const wanted = ranges.filter(({ q }) => q > 0).toSorted((a, b) => b.q - a.q)
  for (const { tag } of wanted) {
    const found = tag === '*' ? offered[0] : lookUp(tag, offered)
    if (found !== undefined) return found
  }
  return null
}

/** Drops subtags from the end until a tag is there; a single letter goes with what it introduces. */
function lookUp(range: string, offered: readonly string[]): string | undefined {
  let tag = range
  while (tag !== '' && !offered.includes(tag))
    tag = tag.replace(/(?:^|-)[^-]*$/, '').replace(/-[^-]$/, '')
  return tag === '' ? undefined : tag
}

const LONGEST_RANGE = 100
const RANGE = /^\s*(\*|[a-z]{1,8}(?:-[a-z0-9]{1,8})*)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?$/i

function readRange(text: string): { tag: string; q: number }[] {
  const [, tag, q = '1'] = (text.length <= LONGEST_RANGE && RANGE.exec(text)) || []
  return tag === undefined ? [] : [{ tag: tag.toLowerCase(), q: Math.min(Number(q), 1) }]
}
