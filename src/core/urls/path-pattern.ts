import { didYouMean } from '../std/text/nearest.ts'
import { addressRefusal } from './address-table.ts'
import { CONVERTERS, type Converter, choiceOf } from './converters.ts'
import { isDots } from './encoding.ts'

export interface Parameter {
  readonly name: string
  readonly converter: Converter
}

/** A segment of a path: text as it stands (decoded), or a parameter. */
export type Segment = string | Parameter

/**
 * The segments of a path of the table: text, or a parameter with its converter. `name` is that of the address, for errors.
 *
 * @throws ConfigurationError it cannot be matched or reversed
 * @example parsePattern('book-detail', '/books/:id<int>/')
 */
export function parsePattern(name: string, path: string): readonly Segment[] {
  const refuse: Refuse = (problem) => addressRefusal(name, path, problem)
  const segments = path
    .slice(1)
    .split('/')
    .map((text) =>
      text.startsWith(':') ? parseParameter(text, refuse) : checkLiteral(text, refuse),
    )
  const names = pathParameters(segments).map((parameter) => parameter.name)
  const repeated = names.find((one, index) => names.indexOf(one) < index)
  if (repeated !== undefined)
    throw refuse(`the parameter "${repeated}" is there twice. Rename one of the two.`)
  const rest = segments.findIndex(isRest)
  if (rest >= 0 && segments.slice(rest + 1).some((segment, index) => segment !== '' || index > 0))
    throw refuse('a "path" parameter takes the rest of the path. Move it to the end.')
  return segments
}

export function pathParameters(segments: readonly Segment[]): readonly Parameter[] {
  return segments.filter((segment) => typeof segment !== 'string')
}

/** Does the parameter take the rest of the path, slashes included? */
export function isRest(segment: Segment): boolean {
  return typeof segment === 'object' && segment.converter === CONVERTERS.path
}

export function endsWithSlash(segments: readonly Segment[]): boolean {
  return segments.length > 1 && segments.at(-1) === ''
}

type Refuse = (problem: string) => Error

function checkLiteral(text: string, refuse: Refuse): string {
  if (isDots(text)) throw refuse(`clients take the segment "${text}" out of an address. Remove it.`)
  if (!text.isWellFormed()) throw refuse('it has half of a surrogate pair. Remove it.')
  if (/:[A-Za-z_][A-Za-z0-9_]*</.test(text)) {
    throw refuse(`a parameter is a whole segment. Put a slash before the ":" of "${text}".`)
  }
  return text
}

function parseParameter(text: string, refuse: Refuse): Parameter {
  const [, name, converter] = /^:([^<]*)(?:<([^<>]+)>)?$/.exec(text) ?? []
  if (name === undefined)
    throw refuse(`"${text}" is not a parameter. Write ":name<converter>" as a whole segment.`)
  return {
    name: checkParameterName(name, refuse),
    converter: converter === undefined ? CONVERTERS.str : toConverter(converter, refuse),
  }
}

function checkParameterName(name: string, refuse: Refuse): string {
  // An assignment to this name would change what the object inherits instead of giving it a member.
  if (name === '__proto__') throw refuse('no parameter can be called "__proto__". Rename it.')
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return name
  throw refuse(
    `"${name}" is not a name for a parameter. Use letters, digits and "_", first not a digit, and the whole segment.`,
  )
}

function toConverter(text: string, refuse: Refuse): Converter {
  if (text.includes('|')) return toChoice(text, refuse)
  if (Object.hasOwn(CONVERTERS, text)) return CONVERTERS[text as keyof typeof CONVERTERS]
  const names = Object.keys(CONVERTERS)
  const near = didYouMean(text, names)
  // Names of converters are letters: a mistaken one ("integer") must not become the only text that fits.
  if (near === '' && /\d/.test(text)) return toChoice(text, refuse)
  const all = ` There are ${names.join(', ')}, and lists of choices such as "v1|v2".`
  throw refuse(`there is no converter "${text}".${near || all}`)
}

function toChoice(text: string, refuse: Refuse): Converter {
  const choices = text.split('|')
  if (choices.includes('')) throw refuse(`a choice in "<${text}>" is empty. Remove a "|".`)
  if (new Set(choices).size < choices.length) {
    throw refuse(`a choice in "<${text}>" is there twice. Remove one.`)
  }
  for (const choice of choices) checkLiteral(choice, refuse)
  return choiceOf(choices)
}
