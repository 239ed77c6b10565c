const TERM = /(["'])((?:\\.|(?!\1)[^\\])*)\1(?=[\s,]|$)|[^\s,]+/gs

/**
 * The terms of a search (F2): split at white space and commas. What stands between two quotes of one
 * kind is one term, in which `\` lets a quote be a letter. A quote within a word, or one that is not
 * closed at the end of a term, is a letter anyway. Every character is looked at a fixed number of times.
 *
 * @example
 * searchTerms(`river, "silent  sea" it's`) // ['river', 'silent  sea', "it's"]
 */
export function searchTerms(text: string): readonly string[] {
  const terms = [...text.matchAll(TERM)].map(([word, , quoted]) =>
    quoted === undefined ? word : unescaped(quoted),
  )
  return terms.filter(Boolean)
}

const unescaped = (text: string): string => text.replace(/\\(["'\\])/g, '$1')
