// Bodies that are hostile as a whole, by their size in bytes.
import { BODY } from './growth.ts'
import { TEXTS } from './growth-texts.ts'
import { VALUES } from './growth-values.ts'

/** `a=1&a=1…`, up to a length. */
export const repeated =
  (part: (index: number) => string, separator = '&') =>
  (length: number): string => {
    const parts: string[] = []
    for (let size = 0, index = 0; size < length; index++) {
      parts.push(part(index))
      size += parts.at(-1)!.length + separator.length
    }
    return parts.join(separator).slice(0, length)
  }

/** Bodies of JSON: whole values, and texts that are none. */
export const JSON_BODIES = {
  ...Object.fromEntries(
    Object.entries(VALUES).map(([name, value]) => [
      name,
      (size: number) => JSON.stringify(value(size)).slice(0, size),
    ]),
  ),
  'no JSON': TEXTS['letters']!,
  'long numbers': (size: number) => `[${repeated(() => '12345678901234567890', ',')(size - 30)},1]`,
  'one long number': (size: number) => `[${'7'.repeat(size)}]`,
  'large powers': (size: number) => `[${repeated(() => '1e200', ',')(size - 10)},1]`,
  'powers without an end': (size: number) => `[${'1e200'.repeat(size / 5)}]`,
  'texts like large powers': (size: number) => `[${repeated(() => '"1e999"', ',')(size - 10)},1]`,
  'one name again and again': (size: number) =>
    `{${repeated(() => '"a":12345678901234567', ',')(size - 50)}}`,
  'many names': (size: number) =>
    `{${repeated((index) => `"a${index}":1`, ',')(size - 50)},"b":12345678901234567}`,
  'escaped quotes': (size: number) => `["${'\\"'.repeat(size / 2)}",12345678901234567890]`,
  backslashes: (size: number) => `["${'\\\\'.repeat(size / 2)}",12345678901234567890]`,
  'deep lists': (size: number) => '['.repeat(size / 2) + ']'.repeat(size / 2),
  'deep objects': (size: number) => '{"a":'.repeat(size / 6) + '1' + '}'.repeat(size / 6),
}

export const FORM_BODIES = {
  ...TEXTS,
  'one name again and again': repeated(() => 'a=1'),
  'many names': repeated((index) => `a${index}=1`),
  'a thousand long values': (size: number) =>
    repeated((index) => `a${index}=${'%41'.repeat(size / 3000)}`)(size),
  'a long name': (size: number) => `${TEXTS['combining marks']!(size)}=1`,
}

const part = (headers: string, content: string): string => `--x\r\n${headers}\r\n\r\n${content}\r\n`
const named = (name: string): string => `Content-Disposition: form-data; name="${name}"`
export const PARTS_BODIES = {
  'many parts': (size: number) =>
    repeated((index) => part(named(`a${index}`), '1'), '')(size) + '--x--\r\n',
  'one large part': (size: number) => `${part(named('a'), 'a'.repeat(size))}--x--\r\n`,
  'no end': (size: number) => part(named('a'), 'a'.repeat(size)),
  'almost boundaries': (size: number) => `${part(named('a'), '\r\n--'.repeat(size / 4))}--x--\r\n`,
  'empty lines': (size: number) => `${part(named('a'), '\r\n'.repeat(size / 2))}--x--\r\n`,
  boundaries: (size: number) => '--x\r\n'.repeat(size / 5),
  'a long name': (size: number) => `${part(named('a'.repeat(size)), '1')}--x--\r\n`,
  'a long name of quotes': (size: number) => `${part(named('\\"'.repeat(size / 2)), '1')}--x--\r\n`,
  'many parameters': (size: number) =>
    `${part(`${named('a')}${'; a=b'.repeat(size / 5)}`, '1')}--x--\r\n`,
  'many headers': (size: number) =>
    `${part(`${named('a')}\r\n${'A: b\r\n'.repeat(size / 6)}B: c`, '1')}--x--\r\n`,
  'a header without an end': (size: number) => `--x\r\nA: ${'a'.repeat(size)}`,
  'many files': (size: number) =>
    repeated((index) => part(`${named(`a${index}`)}; filename="${index}"`, '1'), '')(size) +
    '--x--\r\n',
}

/** A long name, and a long password. */
export const CREDENTIALS = credentials()

function credentials(): object {
  const json = (name: string) => (text: (length: number) => string) => (size: number) =>
    JSON.stringify({ username: 'a', password: 'b', [name]: text(size / 3) }).slice(0, BODY)
  return Object.fromEntries(
    ['username', 'password'].flatMap((name) =>
      Object.entries(TEXTS).map(([title, text]) => [`${name}: ${title}`, json(name)(text)]),
    ),
  )
}
