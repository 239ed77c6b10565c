import { describe, expect, test } from 'vitest'
import { matchLanguage } from '../../../src/core/messages/words.ts'

describe('matchLanguage finds the best language for a client', () => {
  const tags = ['en', 'de', 'pt-br', 'zh-hant']

  test.each<[title: string, header: string, found: string | null]>([
    ['one', 'de', 'de'],
    ['in any case', 'DE', 'de'],
    ['none that is there', 'fr', null],
    ['nothing at all', '', null],
    ['a region is answered with its language', 'de-AT', 'de'],
    ['a longer tag too', 'de-Latn-AT-1996', 'de'],
    ['a single letter goes with what follows it', 'de-x-private', 'de'],
    ['a language is not answered with a region', 'pt', null],
    ['a region with itself', 'pt-BR', 'pt-br'],
    ['a script', 'zh-Hant-TW', 'zh-hant'],
    ['the first of equals', 'de, en', 'de'],
    ['the one with more weight', 'de;q=0.4, en;q=0.8', 'en'],
    ['weights with spaces', 'en ; q=0.1 , de ; q=0.9', 'de'],
    ['a weight of 1 in any length', 'en;q=0.9, de;q=1.000', 'de'],
    ['the next where the first is not there', 'fr, it;q=0.9, de;q=0.1', 'de'],
    ['a refused one is never chosen', 'de;q=0', null],
    ['nor by its region', 'de-AT, de;q=0', null],
    ['anything: the first', '*', 'en'],
    ['anything but', '*, en;q=0', 'de'],
    ['a language goes before anything', 'de, *;q=0.5', 'de'],
    ['nothing is wanted', '*;q=0', null],
    ['nonsense', '\u0000;;;q=,,=', null],
    ['nonsense beside a language', '@, de;q=x, de;q=0.2', 'de'],
    ['a weight beyond 1', 'de;q=2', null],
    ['empty elements', ',,de,,', 'de'],
    ['an endless tag', `${'a-'.repeat(5000)}a, de`, 'de'],
    ['the first fifty', `${'fr,'.repeat(50)}de`, null],
  ])('%s', (_, header, found) => {
    expect(matchLanguage(header, tags)).toBe(found)
  })
})
