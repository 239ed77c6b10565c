/* oxlint-disable unicorn/no-useless-spread -- each row of values is one, so that several stand in a line */
import type { Dice } from './dice.ts'

/** The identities that the service knows, so that some requests pass. */
export interface Known {
  readonly tokens: readonly string[]
}

/** Makes some headers that a service reads: valid, garbled, or sent twice. */
export function hostileHeaders(dice: Dice, known: Known): string {
  const lines = [`Host: ${dice.once(12) ? dice.pick(HOSTS) : 'localhost'}`]
  for (let more = dice.below(5); more > 0; more--) {
    const name = dice.pick(NAMES)
    lines.push(`${name}: ${headerValue(dice, name, known)}`)
    if (dice.once(12)) lines.push(`${name}: ${headerValue(dice, name, known)}`)
  }
  if (dice.once(40)) lines.push(`X-${'a'.repeat(dice.below(200))}: ${dice.visible(200)}`)
  return lines.map((line) => `${line}\r\n`).join('')
}

const HOSTS = [
  '',
  'evil.example',
  'localhost:99999',
  'a@localhost',
  '[::1',
  'localhost:80:80',
  'é',
  '.',
]

/** Values of each header, beside random bytes. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  Accept: [
    ...[
      '*/*',
      'application/json',
      'text/html',
      'application/*',
      '*',
      '',
      ',',
      ';',
      '*/*;q=x',
      ';q=0',
    ],
    ...[
      'application/json; version=v1',
      'application/json; version=',
      'application/json; version="2.0',
    ],
    ...['application/json; indent=4', 'application/json; indent=1e9', 'text/plain;q=0.5,*/*;q=0.1'],
    `${'a/b;q=0.1,'.repeat(300)}*/*`,
  ],
  'Accept-Language': ['de', 'x;q=9', `${'a-'.repeat(500)}b`, ''],
  'Accept-Encoding': ['gzip', 'identity;q=0', '*;q=0', ''],
  Cookie: [
    ...[
      'sessionid=x',
      'csrftoken=y',
      'sessionid=; csrftoken=',
      'a',
      '=',
      ';;;',
      'sessionid="x',
      'a=%00',
    ],
    `${'a=b; '.repeat(500)}c=d`,
  ],
  'X-CSRFToken': ['x', '', 'y'.repeat(64)],
  Origin: [
    'http://localhost',
    'http://evil.example',
    'null',
    '',
    'http://',
    '//',
    'http://localhost:x',
  ],
  Referer: ['http://localhost/', 'x', '', 'https://evil.example/'],
  'Sec-Fetch-Site': ['same-origin', 'cross-site', 'none', 'x'],
  'X-Forwarded-For': ['1.2.3.4', '1.2.3.4, ::1', 'unknown', ',,,', '[', '1.1.1.1,'.repeat(500)],
  'X-Forwarded-Host': ['evil.example', '', 'a,b'],
  'X-Forwarded-Proto': ['https', 'javascript', ''],
  Forwarded: ['for=1.2.3.4;host=evil.example', 'for="[', ';;,,==', ''],
  'Remote-User': ['alice', '', 'a\tb'],
  'X-Front-Remote-User': ['alice', 'é', '', 'x'.repeat(300)],
  'X-Api-User': ['alice', 'nobody', ''],
  'X-Signature': ['x', ''],
  'X-HTTP-Method-Override': ['DELETE', 'x', ''],
  'If-None-Match': ['*', '"x"', 'W/"', ''],
  'If-Modified-Since': ['Thu, 01 Jan 1970 00:00:00 GMT', 'yesterday', ''],
  Range: ['bytes=0-', 'bytes=-', 'bytes=9-1', `bytes=${'0-1,'.repeat(300)}0-1`],
  Expect: ['100-continue', 'x'],
  Upgrade: ['websocket', 'h2c'],
  Connection: ['keep-alive', 'Host', ''],
  TE: ['trailers', 'x'],
  'Content-Encoding': ['gzip', 'br', 'identity', 'x'],
  Authorization: [
    ...[
      'Token',
      'Token ',
      'Token x',
      'Token a b',
      'token x',
      'Bearer x',
      'Basic',
      'Basic ',
      'Basic x',
    ],
    ...[
      'Basic =',
      'Basic !!!',
      'Basic dXNlcg==',
      'Basic gICA',
      'Digest a=b',
      '',
      ' ',
      ',',
      'Token \u00e9',
    ],
    ...['Token\tx', 'Token  x', `Token ${'x'.repeat(4000)}`, 'Basic Og==', 'Token ÿþ'],
  ],
}
const NAMES = Object.keys(VALUES)

function headerValue(dice: Dice, name: string, { tokens }: Known): string {
  if (name === 'Authorization' && dice.once(3)) return `Token ${dice.pick(tokens)}`
  return dice.once(8) ? dice.visible(60) : dice.pick(VALUES[name]!)
}
