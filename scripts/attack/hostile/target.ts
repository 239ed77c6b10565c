/* oxlint-disable unicorn/no-useless-spread -- each row of values is one, so that several stand in a line */
import type { Dice } from './dice.ts'

/** Makes the target of a request: an address of the service, intact or damaged, with an odd query. */
export function hostileTarget(dice: Dice, paths: readonly string[]): string {
  const path = dice.pick(paths).replace(/<\w+>/g, () => dice.pick(PARTS))
  return spoilt(dice, path) + query(dice)
}

/** Values for the parameters of an address. */
const PARTS = [
  ...['1', '7', '0', '-1', '137', '007', '9'.repeat(30), '1e3', '1.5', '%31', '%d9%a1', 'x'],
  ...['v1', 'v2', 'v3', '1.0', '2.0', '.', '..', '%2e', '%2e%2e', '%2F', '%00', '%c0%af', '%ff'],
  ...[
    '%ed%a0%80',
    '%',
    '%2',
    '%zz',
    '%25',
    ';x',
    'a;b=c',
    '__proto__',
    'constructor',
    "'",
    '%0d%0a',
  ],
]

function spoilt(dice: Dice, path: string): string {
  switch (dice.below(24)) {
    case 0:
      return `${path}${encoded(dice.visible(20))}`
    case 1:
      return path.replaceAll('/', '//')
    case 2:
      return `/.${path}`
    case 3:
      return `/x/..${path}`
    case 4:
      return path.slice(0, -1)
    case 5:
      return path.toUpperCase()
    case 6:
      return percentEncoded(dice, path)
    case 7:
      return `http://${dice.pick(['localhost', 'evil.example', 'a@localhost', ''])}${path}`
    case 8:
      return dice.pick(['*', '//', '/%', '/?', '/#', '/'.repeat(3000)])
    default:
      return path
  }
}

function percentEncoded(dice: Dice, path: string): string {
  const encode = (letter: string): string => `%${letter.charCodeAt(0).toString(16)}`
  return `/${path.slice(1).replace(/[a-z/]/g, (letter) => (dice.once(3) ? encode(letter) : letter))}`
}

function query(dice: Dice): string {
  if (dice.once(2)) return ''
  const count = dice.once(200) ? 300 : 1 + dice.below(4)
  return `?${Array.from({ length: count }, () => `${name(dice)}=${value(dice)}`).join('&')}`
}

const NAMES = [
  ...['page', 'page_size', 'limit', 'offset', 'cursor', 'search', 'ordering', 'version', 'format'],
  ...['id', 'id__in', 'name__icontains', 'population__gte', 'pages', 'pages__lt', 'title', 'next'],
  ...[
    '_method',
    '_',
    '',
    '__proto__',
    'constructor',
    'toString',
    '%00',
    '%ff',
    'a[b]',
    'a[]',
    'page%5b%5d',
  ],
]

const VALUES = [
  ...['1', '2', '0', '-1', 'last', '1000000000', '9'.repeat(40), '1e9', '0x10', '1.5', 'NaN', ''],
  ...[
    '%d9%a3',
    '%00',
    '%ff%fe',
    '%ed%a0%80',
    '%F0%9F%99%82',
    '%',
    '%4',
    '+',
    '%2B',
    '%20',
    '*',
    '%25',
  ],
  ...[
    "'",
    "' or 1=1 --",
    '"',
    '\\',
    '%5c',
    ';',
    ',',
    'a,b',
    ',,,',
    '-id',
    'id,-id',
    '__proto__',
    'null',
  ],
  ...[
    'json',
    'html',
    'api',
    'v1',
    '2.0',
    'cD0yMDI0',
    'bz0xJnA9Mg==',
    'A'.repeat(200),
    'true',
    '[]',
    '{}',
  ],
  ...[
    '1,2,3',
    `${'1,'.repeat(400)}1`,
    'a%20b%20c',
    '%22a b%22'.replace(' ', '%20'),
    'http://evil.example/',
  ],
]

const name = (dice: Dice): string => (dice.once(20) ? encoded(dice.visible(8)) : dice.pick(NAMES))
const value = (dice: Dice): string => encoded(dice.once(10) ? dice.visible(30) : dice.pick(VALUES))

/** The parser ends a request at bytes beyond ASCII, so they are sent seldom: see `request.ts`. */
function encoded(text: string): string {
  return text.replace(/[^!-~]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)
}
