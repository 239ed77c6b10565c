// Values of JSON that are hostile as a whole, by their size in bytes.
import { TEXTS } from './growth-texts.ts'

export const VALUES: Readonly<Record<string, (size: number) => unknown>> = {
  ...TEXTS,
  'a list of numbers': (size) => Array.from({ length: size / 2 }, () => 1),
  'a list of different numbers': (size) => Array.from({ length: size / 8 }, (_, index) => index),
  'a list of texts': (size) => Array.from({ length: size / 8 }, (_, index) => `a${index}`),
  'a list of objects': (size) => Array.from({ length: size / 3 }, () => ({})),
  'a list of lists': (size) => Array.from({ length: size / 3 }, () => []),
  'an object of many members': (size) =>
    Object.fromEntries(Array.from({ length: size / 12 }, (_, index) => [`a${index}`, 1])),
  'one member with a long name': (size) => ({ [TEXTS['combining marks']!(size)]: 1 }),
}
