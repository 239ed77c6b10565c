/**
 * The terms of a search (F2): split at white space and commas. What stands between two quotes of one
 * kind is one term, in which `\` lets a quote be a letter. A quote within a word, or one that is not
 * closed at the end of a term, is a letter anyway. Every character is looked at a fixed number of times.
 *
 * @example
 * searchTerms(`river, "silent  sea" it's`) // ['river', 'silent  sea', "it's"]
 */
export function searchTerms(text: string): readonly string[] {
  const terms: string[] = []
  for (let at = 0; at < text.length;) {
    const closing = closingQuote(text, at)
    const end = closing === null ? endOfWord(text, at) : closing
    const term = closing === null ? text.slice(at, end) : unescaped(text.slice(at + 1, end))
    if (term !== '') terms.push(term)
    at = end + 1
  }
  return terms
}

/** Where the quote that begins at `from` ends; `null`: there is none, or not at the end of a term. */
function closingQuote(text: string, from: number): number | null {
  const quote = text[from]!
  if (quote !== '"' && quote !== "'") return null
  let at = from + 1
  while (at < text.length && text[at] !== quote) at += text[at] === '\\' ? 2 : 1
  return at < text.length && isEnd(text, at + 1) ? at : null
}

function endOfWord(text: string, from: number): number {
  let at = from
  while (!isEnd(text, at)) at++
  return at
}

const isEnd = (text: string, at: number): boolean => at >= text.length || SEPARATOR.test(text[at]!)

const SEPARATOR = /[\s,]/

const unescaped = (text: string): string => text.replace(/\\(["'\\])/g, '$1')
