import { NoReverseMatch } from '../errors/configuration-error.ts'
import { nearest } from '../std/text/nearest.ts'
import { obstacleIn } from './encoding.ts'
import type { SuffixRule } from './format-suffix.ts'
import type { Hole, Params, PathTemplates } from './templates.ts'

/** Why no address has this name, and which names could have been meant. */
export function explainName(name: string, names: readonly string[]): string {
  const likely = likelyNames(name, names).slice(0, 5).map(quote)
  // British English has no comma before the last alternative.
  const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(likely)
  return `No address is named ${quote(name)}.${likely.length ? ` Did you mean ${alternatives}?` : ''}`
}

/** The error if no path of a name takes these parameters, with the missing, additional and wrong ones of each. */
export function noReverseMatch(
  name: string,
  params: Params,
  templates: PathTemplates,
): NoReverseMatch {
  const candidates = templates.byName.get(name)
  if (!candidates) return new NoReverseMatch(explainName(name, [...templates.byName.keys()]))
  const given = new Map(Object.entries(params).filter(([, value]) => value !== undefined))
  const attempts = candidates.map(
    ({ route, holes }) =>
      `${route.path}: ${problemsOf(holes, given, templates.suffixes).join('; ')}.`,
  )
  return new NoReverseMatch(
    `${quote(name)} cannot be built with these parameters. ${attempts.join(' ')}`,
    candidates.some((each) => templates.takes(each, params)),
  )
}

function likelyNames(name: string, names: readonly string[]): readonly string[] {
  const inside = names.filter((candidate) => candidate.endsWith(`:${name}`))
  if (inside.length) return inside
  const near = nearest(name, names)
  if (near !== null) return [near]
  const local = nearest(name, names.map(localName))
  return names.filter((candidate) => localName(candidate) === local)
}

function localName(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1)
}

function problemsOf(
  holes: readonly Hole[],
  given: ReadonlyMap<string, unknown>,
  suffixes: SuffixRule | null,
): readonly string[] {
  const taken = holes.map(({ name }) => name)
  const extra = [...given.keys()].filter(
    (name) => !taken.includes(name) && !(suffixes && name === 'format'),
  )
  return [
    ...holes.flatMap((hole) => wrongValue(hole, given.get(hole.name))),
    ...(suffixes ? wrongFormat(suffixes, given.get('format')) : []),
    ...extra.map((name) => unknownParameter(name, taken)),
  ]
}

function wrongValue({ name, converter, encode }: Hole, value: unknown): string[] {
  if (value === undefined) return [`${quote(name)} is missing`]
  const text = converter.format(value)
  if (text === undefined) return [`${quote(name)} must be ${converter.expects}, not ${show(value)}`]
  return encode(text) === null ? [`${quote(name)} ${obstacleIn(text)}`] : []
}

function wrongFormat({ required, admits, expects }: SuffixRule, format: unknown): string[] {
  if (format === undefined) return required ? ['"format" is missing'] : []
  return admits(format) ? [] : [`"format" must be ${expects}, not ${show(format)}`]
}

function unknownParameter(name: string, taken: readonly string[]): string {
  if (name === 'format') return 'it takes no "format", because format suffixes are off'
  const near = nearest(name, taken)
  return `it takes no ${quote(name)}${near === null ? '' : ` (did you mean ${quote(near)}?)`}`
}

function show(value: unknown): string {
  if (value === '') return 'an empty text'
  if (typeof value === 'string') return quote(value.length > 40 ? `${value.slice(0, 40)}…` : value)
  const isPlain = value === null || typeof value === 'number' || typeof value === 'boolean'
  return isPlain ? String(value) : `a value of type ${typeof value}`
}

function quote(text: string): string {
  return `"${text}"`
}
