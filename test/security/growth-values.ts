// Values of JSON that are hostile as a whole, by their size in bytes.
import { TEXTS } from './growth-texts.ts'

type Value = (size: number) => unknown

const STRUCTURES: Readonly<Record<string, Value>> = {
  'a list of numbers': (size) => Array.from({ length: size / 2 }, () => 1),
  'a list of different numbers': (size) => Array.from({ length: size / 8 }, (_, index) => index),
  'a list of texts': (size) => Array.from({ length: size / 8 }, (_, index) => `a${index}`),
  'a list of objects': (size) => Array.from({ length: size / 3 }, () => ({})),
  'a list of lists': (size) => Array.from({ length: size / 3 }, () => []),
  'an object of many members': (size) =>
    Object.fromEntries(Array.from({ length: size / 12 }, (_, index) => [`a${index}`, 1])),
  'one member with a long name': (size) => ({ [TEXTS['combining marks']!(size)]: 1 }),
}

/** Many kinds of fields read the same values, and none changes them: making them costs more than reading them. */
const made = new Map<string, unknown>()

const once =
  (name: string, value: Value): Value =>
  (size) => {
    const key = `${name} ${size}`
    if (!made.has(key)) made.set(key, value(size))
    return made.get(key)
  }

export const VALUES: Readonly<Record<string, Value>> = {
  ...TEXTS,
  ...Object.fromEntries(
    Object.entries(STRUCTURES).map(([name, value]) => [name, once(name, value)]),
  ),
}

/** Other tests of the same process need the memory. */
export const forgetValues = (): void => made.clear()
