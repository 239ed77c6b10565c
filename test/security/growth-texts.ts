// Texts that cost parsers, matchers and normalisers the most, at any length.

type Text = (length: number) => string

/** The unit again and again, up to this length. */
const filled =
  (unit: string, before = '', behind = ''): Text =>
  (length) => {
    const room = Math.max(length - before.length - behind.length, 0)
    return before + unit.repeat(Math.ceil(room / unit.length)).slice(0, room) + behind
  }

/** Marks of different classes in turn: normalising has to sort all of them (finding 1). */
const marks = '\u0315\u0344\u0316\u0301'

/** All of them fit into a header. */
export const PLAIN_TEXTS: Readonly<Record<string, Text>> = {
  letters: filled('a'),
  digits: filled('7'),
  'digits behind a point': filled('3', '1.'),
  'digits behind a power': filled('9', '1e'),
  'points of numbers': filled('1.'),
  signs: filled('-'),
  'spaces and a letter': filled(' ', 'a', 'a'),
  tabs: filled('\t', 'a', 'a'),
  commas: filled(','),
  'short words': filled('a, '),
  semicolons: filled(';'),
  'parameters without an end': filled(';a="', 'a/b'),
  'equals signs': filled('a=b; '),
  quotes: filled('"'),
  'quotes in turn': filled(`" '`),
  'an open quote': filled('\\"', 'a="'),
  backslashes: filled('\\'),
  'percent signs': filled('%'),
  'escaped letters': filled('%41'),
  'escaped marks': filled('%CC%95%CD%84'),
  slashes: filled('/'),
  'points and slashes': filled('../'),
  'media ranges': filled('a/b;q=0.1,'),
  brackets: filled('['),
  'brackets and braces': filled('{['),
  'the name of a host': filled('a.', 'http://'),
  'a long link': filled('/a', 'http://localhost'),
  'an address of mail': filled('a.', 'a@', 'a'),
  'signs of mail': filled('a@'),
  'an address of the network': filled('0:'),
  'a long time': filled('0', '2024-01-01T00:00:00.', 'Z'),
  'a long duration': filled('1', 'P', 'D'),
  'almost a slug': filled('a-', '', '!'),
  'almost a UUID': filled('0', '{', '}'),
  'a version': filled('v1.'),
  'a word of base64': filled('QUJD', '', '='),
}

/** And those of any alphabet. */
export const TEXTS: Readonly<Record<string, Text>> = {
  ...PLAIN_TEXTS,
  'combining marks': filled(marks, 'a'),
  'letters that grow': filled('\u0390\ufdfa'),
  'large letters that grow': filled('İß'),
  'pairs of surrogates': filled('😀'),
  'halves of surrogates': filled('\ud83d'),
  'null characters': filled('\0'),
  'exotic spaces': filled('\u3000', 'a', 'a'),
}
