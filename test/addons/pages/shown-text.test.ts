// The data of a page is the JSON that was sent: without its marks it is the same text, character for character.
import { expect, test } from 'vitest'
import { shownText, utf8 } from '../../../src/addons/pages/shown-text.ts'

const ODD = 'a|é|漢字|😀|\ud800|&|<b>|"|\\|\n|:|://|https://a.test/?x=1&y=2|{[,]}|'.split('|')
const TEXTS = [...ODD, ...ODD.map((odd) => `${'x'.repeat(126)}${odd}y`), ODD.join(' ').repeat(9)]
const VALUE = {
  texts: TEXTS,
  members: Object.fromEntries(TEXTS.map((text, at) => [`${text}${at}`, { at, text }])),
  rest: [[], {}, [[]], null, true, false, -1.5e-9, 1e21, 0],
}

const shown = (json: string | Uint8Array): string =>
  utf8(shownText(json, { mediaType: 'application/json' }, 'https://a.test').html)

function withoutMarks(html: string): string {
  const text = html.replaceAll(/<[^>]+>/g, '')
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

test.each([undefined, 1, 4, '\t'])('with an indent of %j', (indent) => {
  const json = JSON.stringify(VALUE, null, indent)
  expect(withoutMarks(shown(json))).toBe(JSON.stringify(VALUE, null, 4))
  expect(shown(Buffer.from(json))).toBe(shown(json))
})

test.each([
  [{ id: 7, other: 7, deep: { id: 8 }, name: 'x' }, false],
  [
    [
      { id: 7, other: 7, deep: { id: 8 }, name: 'x' },
      { id: 'a<b', name: null },
    ],
    true,
  ],
  [{ id: 9, next: { id: 9 }, results: [{ id: 7, deep: { id: 8 }, name: ['x'] }] }, true],
])('keys of rows lead to their pages, and the text is the same: %j', (value, isList) => {
  const asked: unknown[] = []
  const link = (key: unknown) => {
    asked.push(key)
    return key === 'none' ? null : `https://a.test/?"&key=${String(key)}`
  }
  const links = {
    isList,
    byMember: new Map([
      ['id', link],
      ['name', () => null],
    ]),
  }
  for (const indent of [undefined, 4]) {
    const json = JSON.stringify(value, null, indent)
    const html = utf8(shownText(json, { mediaType: 'application/json' }, '', links).html)
    expect(withoutMarks(html)).toBe(JSON.stringify(value, null, 4))
    expect(html).toContain('<a href="https://a.test/?&quot;&amp;key=7">7</a>')
    expect(html.match(/<a /g)).toHaveLength(Array.isArray(value) ? 2 : 1)
  }
  expect(asked).not.toContain(8)
  expect(asked).not.toContain(9)
})

test('a key with more digits than a number has is asked for as text', () => {
  const asked: unknown[] = []
  const link = (key: unknown) => {
    asked.push(key)
    return null
  }
  const links = { isList: false, byMember: new Map([['id', link]]) }
  shownText('{"id":9007199254740993}', { mediaType: 'application/json' }, '', links)
  expect(asked).toEqual(['9007199254740993'])
})

test('a long word is no two words', () => {
  for (let length = 120; length < 140; length++)
    expect(shown('1'.repeat(length))).toBe(`<u>${'1'.repeat(length)}</u>`)
})

test('bounds count characters, whatever bytes those take', () => {
  for (const wide of ['a', 'é', '漢', '😀']) {
    expect(shown(JSON.stringify(wide))).toBe(`<i>"${wide}"</i>`)
    // Brackets, marks, commas and lines are 36 characters, up to the number.
    const isColoured = (length: number): boolean => {
      const short = wide.repeat(20)
      const rest = 'x'.repeat(length - 36 - short.length)
      return shown(JSON.stringify([short, rest, 1])).includes('<u>1</u>')
    }
    expect([wide, isColoured(299_999), isColoured(300_000)]).toEqual([wide, true, false])
  }
})

test.each([
  ['what is escaped', '<'],
  ['quotes and ampersands', '"&'],
  ['addresses', 'http://a '],
  ['one address', 'http://a.test/&', '&'],
])(
  'of texts of %s, the HTML is as long as the page may be, and no longer',
  (_, start, more = start) => {
    const long = start + more.repeat(900_000 / more.length)
    for (const value of [
      long,
      { long },
      [long.slice(0, 200_000), long],
      Array(9).fill(long.slice(0, 100_000)),
    ])
      for (const json of [JSON.stringify(value), JSON.stringify(value, null, 4)])
        for (const type of ['application/json', 'text/plain']) {
          const { html, notice } = shownText(json, { mediaType: type }, '')
          // One link more, or one piece of a text.
          expect(html.length).toBeLessThan(1_130_000)
          expect(String(notice)).toContain('Only its beginning is shown')
        }
  },
)

test('a text of 900,000 characters that stay as they are is shown as a whole', () => {
  const { html, notice } = shownText(
    JSON.stringify('x'.repeat(900_000)),
    { mediaType: 'application/json' },
    '',
  )
  expect(html.length).toBe(900_009)
  expect(String(notice)).toContain('Only its beginning has colours')
})

test('one text is no longer on a page than all of the data may be', () => {
  const long = '<漢'.repeat(800_000)
  for (const value of [long, { long }, { [long]: 1 }, [0, [long], 2]]) {
    const { html, notice } = shownText(JSON.stringify(value), { mediaType: 'application/json' }, '')
    const text = withoutMarks(utf8(html))
    expect(text.length).toBeLessThan(1_000_100)
    expect(JSON.stringify(value, null, 4).startsWith(text)).toBe(true)
    expect(String(notice)).toContain('Only its beginning is shown')
  }
})
