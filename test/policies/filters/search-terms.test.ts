import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { searchTerms } from '../../../src/policies/filters/search-filter.ts'
import { expectLinear } from '../../setup/linear.ts'

describe('F2 the terms of a search', () => {
  test.each([
    ['white space separates', 'silent  river\tsea', ['silent', 'river', 'sea']],
    ['so do commas', 'silent,river,,sea', ['silent', 'river', 'sea']],
    ['and both', ' ,silent , river, ', ['silent', 'river']],
    ['and white space beyond ASCII', 'silent\u00a0river\u3000sea', ['silent', 'river', 'sea']],
    ['F1 nothing has no terms', '', []],
    ['F1 nor has white space', ' \t\n ', []],
    ['F1 nor have commas', ',, ,', []],
    ['quotes keep what is between them', '"silent  river, sea" x', ['silent  river, sea', 'x']],
    ['and a comma behind them separates', '"hello, world",found', ['hello, world', 'found']],
    ['of either kind', `'silent river' x`, ['silent river', 'x']],
    ['the other kind is a letter inside', `"it's here"`, ["it's here"]],
    ['several', `"a b","c d"`, ['a b', 'c d']],
    ['empty quotes are no term', `"" ''`, []],
    ['an unclosed quote is a letter', '"silent river', ['"silent', 'river']],
    ['alone, too', '"', ['"']],
    ['a quote within a word is a letter', `it's bob's`, ["it's", "bob's"]],
    ['so is one that a word goes on behind', `"a b"c d`, ['"a', 'b"c', 'd']],
    ['a backslash lets a quote be a letter', String.raw`"a \" b"`, ['a " b']],
    ['or a backslash', String.raw`"a \\"`, [String.raw`a \ `.trim()]],
    ['outside of quotes it is a letter', String.raw`a\b \"`, [String.raw`a\b`, String.raw`\"`]],
    ['a backslash at the end closes nothing', String.raw`"a\"`, [String.raw`"a\"`]],
    ['letters of any script', '日本 čas', ['日本', 'čas']],
  ])('%s', (_, text, terms) => {
    expect(searchTerms(text)).toEqual(terms)
  })

  const piece = fc.constantFrom('"', "'", ' ', ',', '\\', 'a', 'bc', '\t', '日')
  const searches = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))

  test('every term is a part of the text, in order, once its backslashes are gone', () => {
    fc.assert(
      fc.property(searches, (search) => {
        let at = 0
        const plain = search.replaceAll('\\', '')
        for (const term of searchTerms(search)) {
          const found = plain.indexOf(term.replaceAll('\\', ''), at)
          expect(found).toBeGreaterThanOrEqual(at)
          at = found + 1
        }
      }),
    )
  })

  test('what is left out are separators, quotes and backslashes', () => {
    fc.assert(
      fc.property(searches, (search) => {
        const letters = (of: string) => of.replace(/[\s,"'\\]/g, '')
        expect(letters(searchTerms(search).join(''))).toBe(letters(search))
      }),
    )
  })

  test('terms that are quoted come back as they were', () => {
    const word = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (words) => {
        const quoted = words.map((each) => `"${each.replace(/["\\]/g, '\\$&')}"`)
        expect(searchTerms(quoted.join(' '))).toEqual(words)
      }),
    )
  })

  test.each([
    ['open quotes', `"a `],
    ['two kinds of open quotes', `"a 'b `],
    ['backslashes', '"\\'],
    ['escaped quotes', `\\" `],
    ['commas', ','],
    ['quotes', `"`],
    ['words', 'a '],
  ])('%s cost what their length costs, not its square', (_, unit) =>
    expectLinear((size) => searchTerms(unit.repeat(size)), { size: 1 << 12 }),
  )
})
