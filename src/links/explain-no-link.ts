import { NoReverseMatch } from '../errors/configuration-error.ts'
import { nearest } from '../std/text/nearest.ts'
import { obstacleIn } from './encoding.ts'
import type { SuffixRule } from './format-suffix.ts'
import type { Hole, Params, Template, Templates } from './templates.ts'

/** Why no address has this name, and which names could have been meant. */
export function explainName(name: string, names: readonly string[]): string {
  const likely = likelyNames(name, names).slice(0, 5)
  const hint = likely.length ? ` Did you mean ${alternatives(likely.map(quote))}?` : ''
  return `No address is named ${quote(name)}.${hint}`
}

/** The error where no path of this name takes these parameters: what is missing, too much or wrong in each. */
export function noReverseMatch(
  name: string,
  params: Params,
  templates: Templates,
  suffixes: SuffixRule | null,
): NoReverseMatch {
  const candidates = templates.byName.get(name)
  if (!candidates) return new NoReverseMatch(explainName(name, [...templates.byName.keys()]))
  const attempts = candidates.map(
    (template) => `${template.route.path}: ${problemsOf(template, params, suffixes).join('; ')}.`,
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

function problemsOf({ holes }: Template, params: Params, suffixes: SuffixRule | null): string[] {
  const taken = holes.map(({ name }) => name)
  const given = Object.keys(params).filter((name) => params[name] !== undefined)
  const extra = given.filter((name) => !taken.includes(name) && !(suffixes && name === 'format'))
  return [
    ...holes.flatMap((hole) =>
      given.includes(hole.name)
        ? wrongValue(hole, params[hole.name])
        : `${quote(hole.name)} is missing`,
    ),
    ...(suffixes
      ? formatProblem(given.includes('format') ? params['format'] : undefined, suffixes)
      : []),
    ...extra.map((name) => unknownParameter(name, taken, suffixes)),
  ]
}

function wrongValue({ name, converter, encode }: Hole, value: unknown): string[] {
  const text = converter.format(value)
  if (text === undefined) return [`${quote(name)} must be ${converter.expects}, not ${show(value)}`]
  return encode(text) === null ? [`${quote(name)} ${obstacleIn(text)}`] : []
}

function formatProblem(format: unknown, { required, admits, expects }: SuffixRule): string[] {
  if (format === undefined) return required ? ['"format" is missing'] : []
  return admits(format) ? [] : [`"format" must be ${expects}, not ${show(format)}`]
}

function unknownParameter(
  name: string,
  taken: readonly string[],
  suffixes: SuffixRule | null,
): string {
  if (name === 'format' && !suffixes) return 'it takes no "format", because format suffixes are off'
  const near = nearest(name, taken)
  return `it takes no ${quote(name)}${near === null ? '' : ` (did you mean ${quote(near)}?)`}`
}

function show(value: unknown): string {
  if (value === '') return 'an empty text'
  if (typeof value === 'string') return quote(value.length > 40 ? `${value.slice(0, 40)}…` : value)
  if (value === null || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  return `a value of type ${typeof value}`
}

function quote(text: string): string {
  return `"${text}"`
}

function alternatives(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`
}
