import type { OpenLink } from '../types/reverse.ts'
import type { Route } from '../types/routes.ts'
import { encodeRootPath, encodeSegment } from './encoding.ts'
import { BoundedMap } from '../std/bounded-map.ts'
import type { SuffixRule } from './format-suffix.ts'
import { type Parameter, type Segment, endsWithSlash, isRest } from './path-pattern.ts'

export type Params = Readonly<Record<string, unknown>>

/** A path prepared for building: encoded text, and between its pieces the parameters. */
export interface PathTemplate {
  readonly route: Route
  readonly start: string
  readonly holes: readonly Hole[]
  /** Characters to drop before a format suffix: the slash at the end, if any. */
  readonly slash: 0 | 1
  /** The text behind the path and its suffix: a query, or nothing. */
  readonly end: string
}

export interface Hole extends Parameter {
  readonly encode: (text: string) => string | null
  /** The encoded text up to the next parameter. */
  readonly after: string
}

const PREPARED = 500
/** The weight of an entry: the characters of its key. */
const WEIGHT = { most: 100_000, of: (key: string) => key.length }

/** Builds paths from names. Of several paths of a name the first is taken that takes exactly what was given. */
export class PathTemplates {
  readonly suffixes: SuffixRule | null
  readonly byName: ReadonlyMap<string, readonly PathTemplate[]>
  /**
   * Templates that begin with an origin, by everything from which they were made. Clients name hosts and versions, so few
   * are kept.
   */
  readonly prepared: BoundedMap<string, readonly PathTemplate[]> = new BoundedMap(PREPARED, WEIGHT)

  constructor(templates: readonly PathTemplate[], suffixes: SuffixRule | null) {
    this.suffixes = suffixes
    this.byName = Map.groupBy(templates, ({ route }) => route.name)
  }

  find(candidates: readonly PathTemplate[], params: Params): string | null {
    const format = this.suffixes === null ? undefined : valueOf(params, 'format')
    if (!this.#admits(format)) return null
    for (const template of candidates) {
      const path = this.#hasMore(params, template) ? null : build(template, params)
      if (path !== null) return finish(path, template, format)
    }
    return null
  }

  /** The links that differ in `param`, the only open one. `'several'`: its value decides which path takes it. */
  open(
    candidates: readonly PathTemplate[],
    param: string,
    format?: unknown,
  ): OpenLink | 'several' | null {
    if (!this.#admits(format)) return null
    const [taker, other] = candidates.filter(
      ({ holes: [hole, more] }) => hole?.name === param && more === undefined,
    )
    if (other !== undefined) return 'several'
    return taker === undefined ? null : openLink(taker, format)
  }

  /** Does the path take parameters of these names, with any values? */
  takes(template: PathTemplate, params: Params): boolean {
    const hasAll = template.holes.every(({ name }) => valueOf(params, name) !== undefined)
    return hasAll && !this.#hasMore(params, template)
  }

  #hasMore(params: Params, { holes }: PathTemplate): boolean {
    for (const name in params) {
      const isTaken = isAmong(holes, name) || (name === 'format' && this.suffixes !== null)
      if (!isTaken && valueOf(params, name) !== undefined) return true
    }
    return false
  }

  #admits(format: unknown): format is string | undefined {
    if (this.suffixes === null) return true
    return format === undefined ? !this.suffixes.required : this.suffixes.admits(format)
  }
}

export function toTemplate(route: Route, segments: readonly Segment[]): PathTemplate {
  const pieces = ['']
  const parameters: Parameter[] = []
  for (const segment of segments) {
    pieces.push(`${pieces.pop()}/${typeof segment === 'string' ? encodeSegment(segment) : ''}`)
    if (typeof segment === 'string') continue
    parameters.push(segment)
    pieces.push('')
  }
  const [start = '', ...after] = pieces
  const holes = parameters.map((parameter, index) => {
    const isRoot = start === '/' && isRest(parameter)
    const encode = isRoot ? encodeRootPath : parameter.converter.encode
    return { ...parameter, encode, after: after[index] ?? '' }
  })
  return { route, start, holes, slash: endsWithSlash(segments) ? 1 : 0, end: '' }
}

/** The path with one parameter filled in; `null`: it has no such parameter, or not with this value. */
export function fillParameter(
  template: PathTemplate,
  param: string,
  value: unknown,
): PathTemplate | null {
  const { start, holes } = template
  const at = holes.findIndex(({ name }) => name === param)
  const hole = holes[at]
  const text = hole === undefined ? null : textOf(hole, value)
  if (hole === undefined || text === null) return null
  const filled = text + hole.after
  const rest = holes.toSpliced(at, 1)
  const before = rest[at - 1]
  if (before === undefined) return { ...template, start: start + filled, holes: rest }
  return { ...template, holes: rest.with(at - 1, { ...before, after: before.after + filled }) }
}

/** The path without its end; `null` where a value is missing or does not fit. */
function build({ start, holes }: PathTemplate, params: Params): string | null {
  let path = start
  for (const { name, converter, encode, after } of holes) {
    const value = valueOf(params, name)
    const text = value === undefined ? undefined : converter.format(value)
    const encoded = text === undefined ? null : encode(text)
    if (encoded === null) return null
    path += encoded + after
  }
  return path
}

function finish(path: string, { slash, end }: PathTemplate, format: string | undefined): string {
  if (format === undefined) return end === '' ? path : path + end
  return `${path.slice(0, path.length - slash)}.${format}${end}`
}

function openLink(template: PathTemplate, format: string | undefined): OpenLink {
  const [hole] = template.holes as readonly [Hole]
  const { start } = template
  const end = finish(hole.after, template, format)
  const { key } = hole.converter
  // Most keys are numbers, and a number joins a text without conversion.
  const takesNumbers = key === 'int'
  const encode = (value: unknown): string | null =>
    takesNumbers && typeof value === 'number' && value >= 0 && Number.isSafeInteger(value)
      ? `${value}`
      : textOf(hole, value)
  const link = (value: unknown): string | null => {
    const text = encode(value)
    return text === null ? null : start + text + end
  }
  return Object.assign(link, { start, end, encode, takesDigits: takesNumbers })
}

/**
 * Databases give keys as numbers and long integers, whatever the address makes of them, so these also fit where
 * text is wanted.
 */
function textOf({ converter, encode }: Hole, value: unknown): string | null {
  const isLong = typeof value === 'bigint'
  const text =
    converter.format(isLong ? Number(value) : value) ??
    (isLong || typeof value === 'number' ? converter.format(`${value}`) : undefined)
  return text === undefined ? null : encode(text)
}

function isAmong(holes: readonly Hole[], name: string): boolean {
  for (const hole of holes) if (hole.name === name) return true
  return false
}

/** The value of a given parameter; members that an object inherits do not count. */
function valueOf(params: Params, name: string): unknown {
  return Object.hasOwn(params, name) ? params[name] : undefined
}
