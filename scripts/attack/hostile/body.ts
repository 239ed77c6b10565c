/* oxlint-disable unicorn/no-useless-spread -- each row of values is one, so that several stand in a line */
import type { Dice } from './dice.ts'

/** Makes a body with its headers, in a random form of transfer. */
export function hostileBody(dice: Dice): string {
  if (dice.once(3)) return '\r\n'
  const type = dice.once(15) ? dice.visible(40) : dice.pick(TYPES)
  const content = contentOf(dice, type)
  const typeLine = dice.once(10) ? '' : `Content-Type: ${type}\r\n`
  if (dice.once(6)) return `${typeLine}Transfer-Encoding: chunked\r\n\r\n${chunked(dice, content)}`
  return `${typeLine}Content-Length: ${content.length}\r\n\r\n${content}`
}

const BOUNDARY = 'xXx'
const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`

const TYPES = [
  ...['application/json', 'application/json; charset=utf-8', 'application/json;charset=utf-16'],
  ...[
    'APPLICATION/JSON',
    'application/json ;',
    'application/json\t',
    'application/json; charset=x',
  ],
  ...['application/x-www-form-urlencoded', 'application/x-www-form-urlencoded; charset=latin1'],
  ...[
    MULTIPART,
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/mixed; boundary=a',
  ],
  ...[
    'text/plain',
    'application/vnd.x+json',
    'application/*',
    '*/*',
    'x',
    '',
    ';',
    'application/json, x/y',
  ],
]

function contentOf(dice: Dice, type: string): string {
  if (dice.once(12)) return dice.bytes(300)
  if (dice.once(3000)) return 'x'.repeat(3_000_000)
  if (type.startsWith('multipart')) return multipart(dice)
  return type.includes('form') ? dice.pick(FORMS) : json(dice)
}

const VALUES = [
  ...[
    '1',
    '"text"',
    'null',
    'true',
    '[]',
    '{}',
    '-0',
    '1e400',
    '-1e-400',
    '9'.repeat(40),
    '1.'.padEnd(40, '3'),
  ],
  ...[
    '"\\ud800"',
    '"\\u0000"',
    '"\\u2028"',
    '"\xff\xfe"',
    '"\xed\xa0\x80"',
    '"\xf0\x9f\x99\x82"',
    '01',
    '+1',
  ],
  ...[
    'NaN',
    'Infinity',
    'undefined',
    "'x'",
    '"',
    '{"a":}',
    '[1,]',
    '{"__proto__":{"x":1}}',
    '"2024-02-30"',
  ],
  ...['"0000-00-00T99:99:99Z"', '"-1"', '"1e9"', '"\xd9\xa3"', '{"constructor":{"prototype":{}}}'],
  ...[
    `"${'x'.repeat(5000)}"`,
    `${'['.repeat(2000)}${']'.repeat(2000)}`,
    '{"a":'.repeat(500),
    '/**/1',
    '',
  ],
]
const MEMBERS = [
  ...[
    'slug',
    'text',
    'title',
    'isbn',
    'price',
    'pages',
    'published',
    'created',
    'author',
    'id',
    'url',
  ],
  ...[
    'username',
    'user',
    'owner',
    'is_admin',
    '__proto__',
    'constructor',
    'toString',
    '',
    '\\u0000',
    'x',
  ],
]

function json(dice: Dice): string {
  if (dice.once(5)) return dice.pick(VALUES)
  const member = (): string => `"${dice.pick(MEMBERS)}":${dice.pick(VALUES)}`
  const count = dice.once(100) ? 2000 : 1 + dice.below(8)
  return `{${Array.from({ length: count }, member).join(',')}}`
}

const FORMS = [
  ...[
    '',
    '=',
    '&',
    '&&=',
    'a',
    'a=b&a=c',
    'slug=x&text=y',
    '%',
    '%zz=%',
    '%00=%00',
    '%ff=%fe',
    'a=%ed%a0%80',
  ],
  ...[
    '__proto__=1',
    'username=alice',
    'csrfmiddlewaretoken=x',
    'a[b]=c',
    '+=+',
    'title=\xff\xfe',
    ';;',
  ],
  'a=b&'.repeat(3000),
]

function multipart(dice: Dice): string {
  const part = (): string =>
    `--${BOUNDARY}\r\n${dice.pick(PART_HEADS)}\r\n\r\n${dice.pick(['', 'x', '\x00\xff', '\r\n--x'])}\r\n`
  const parts = Array.from({ length: dice.once(100) ? 500 : dice.below(5) }, part).join('')
  return (
    parts +
    dice.pick([`--${BOUNDARY}--\r\n`, `--${BOUNDARY}`, '', '--', `--${BOUNDARY}--${BOUNDARY}`])
  )
}

const PART_HEADS = [
  'Content-Disposition: form-data; name="slug"',
  'Content-Disposition: form-data; name="f"; filename="../../etc/passwd"\r\nContent-Type: x',
  'Content-Disposition: form-data; name=',
  'Content-Disposition: form-data; name="\xff\x00"; filename=""',
  "Content-Disposition: form-data; name*=UTF-8''%ff; filename*=x",
  'Content-Disposition: attachment',
  'Content-Disposition',
  `Content-Disposition: form-data; name="${'n'.repeat(5000)}"`,
  'X: y',
  '',
]

function chunked(dice: Dice, content: string): string {
  const size = content.length.toString(16)
  return dice.pick([
    `${size}\r\n${content}\r\n0\r\n\r\n`,
    `${size.toUpperCase()};a=b;c="d"\r\n${content}\r\n0\r\nX-Trailer: y\r\n\r\n`,
    `00000${size}\r\n${content}\r\n000\r\n\r\n`,
    Array.from(content.slice(0, 50), (byte) => `1\r\n${byte}\r\n`).join('') + '0\r\n\r\n',
  ])
}
