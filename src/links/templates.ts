import type { Route } from '../types/routes.ts'
import type { Converter } from './converters.ts'
import { encodePath, encodeRootPath, encodeSegment } from './encoding.ts'
import type { SuffixRule } from './format-suffix.ts'
import { type Parameter, type Segment, endsWithSlash, isRest } from './path-pattern.ts'

export type Params = Readonly<Record<string, unknown>>

/** A path prepared for building: encoded text, and between its pieces the parameters. */
export interface Template {
  readonly route: Route
  readonly start: string
  readonly holes: readonly Hole[]
  /** Characters to drop before a format suffix: the slash at the end, if any. */
  readonly slash: 0 | 1
  /** What stands behind the path and its suffix: a query, or nothing. */
  readonly end: string
}

/** Where the value of a parameter goes. */
export interface Hole {
  readonly name: string
  readonly converter: Converter
  readonly encode: (text: string) => string | null
  /** The encoded text up to the next parameter. */
  readonly after: string
}

/** The templates of a table by name: of one namespace, by the names in it. */
type TemplatesByName = ReadonlyMap<string, readonly Template[]>

/**
 * A link with all parameters filled in but one, as a function of its value. It takes values as rows have
 * them: databases give keys as numbers and long integers, whatever the address makes of them, so these
 * also fit where text is wanted. `null`: the value does not fit.
 */
export type OpenLink = (value: unknown) => string | null

/** Builds paths from names. Of several paths of a name the first is taken that takes exactly what was given. */
export class Templates {
  readonly #suffixes: SuffixRule | null
  readonly #byName: TemplatesByName
  readonly #byNamespace = new Map<string, Map<string, Template[]>>()

  constructor(templates: readonly Template[], suffixes: SuffixRule | null) {
    this.#suffixes = suffixes
    this.#byName = Map.groupBy(templates, ({ route }) => route.name)
    for (const template of templates) this.#addToNamespaces(template)
  }

  /** The templates of a namespace; without one, all by their full names. */
  in(namespace?: string): TemplatesByName {
    return namespace === undefined ? this.#byName : (this.#byNamespace.get(namespace) ?? NONE)
  }

  /** The path of the first of these templates that takes exactly what is given; `null`: none does. */
  find(candidates: readonly Template[], params: Params): string | null {
    const format = this.#formatIn(params)
    if (!this.#admits(format)) return null
    for (const template of candidates) {
      if (this.#hasMore(params, template)) continue
      const path = build(template, params)
      if (path !== null) return finish(path, template, format)
    }
    return null
  }

  /**
   * The links that differ in `param` only, which must be all that is open in a path. `null`: no path takes
   * it. `'several'`: it depends on the value which of several paths does.
   */
  open(
    candidates: readonly Template[],
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

  /** `library:v2:reports` is `reports` in `library:v2`, and `v2:reports` in `library`. */
  #addToNamespaces(template: Template): void {
    const { name } = template.route
    for (let cut = name.indexOf(':'); cut >= 0; cut = name.indexOf(':', cut + 1)) {
      const names = this.#byNamespace.get(name.slice(0, cut)) ?? new Map<string, Template[]>()
      const local = name.slice(cut + 1)
      this.#byNamespace.set(name.slice(0, cut), names)
      names.set(local, [...(names.get(local) ?? []), template])
    }
  }

  /** Does the path take parameters of these names, whatever their values? */
  takes(template: Template, params: Params): boolean {
    const hasAll = template.holes.every(({ name }) => valueOf(params, name) !== undefined)
    return hasAll && !this.#hasMore(params, template)
  }

  /** Is there a parameter that the path has no place for? */
  #hasMore(params: Params, { holes }: Template): boolean {
    for (const name in params) {
      if (isAmong(holes, name) || valueOf(params, name) === undefined) continue
      if (name !== 'format' || this.#suffixes === null) return true
    }
    return false
  }

  #formatIn(params: Params): unknown {
    return this.#suffixes === null ? undefined : valueOf(params, 'format')
  }

  #admits(format: unknown): format is string | undefined {
    if (this.#suffixes === null) return true
    return format === undefined ? !this.#suffixes.required : this.#suffixes.admits(format)
  }
}

const NONE: TemplatesByName = new Map()

export function toTemplate(route: Route, segments: readonly Segment[]): Template {
  const pieces = ['']
  const parameters: Parameter[] = []
  for (const segment of segments) {
    pieces.push(`${pieces.pop()}/${typeof segment === 'string' ? encodeSegment(segment) : ''}`)
    if (typeof segment === 'string') continue
    parameters.push(segment)
    pieces.push('')
  }
  const [start = '', ...after] = pieces
  const holes = parameters.map((parameter, index) => ({
    ...parameter,
    encode: encoderOf(parameter, start === '/' && index === 0),
    after: after[index] ?? '',
  }))
  return { route, start, holes, slash: endsWithSlash(segments) ? 1 : 0, end: '' }
}

function encoderOf(parameter: Parameter, atRoot: boolean): Hole['encode'] {
  if (parameter.converter.isPlain) return (text) => text
  if (!isRest(parameter)) return encodeSegment
  return atRoot ? encodeRootPath : encodePath
}

/** The same path with one parameter filled in; `null`: it has no such parameter, or not with this value. */
export function fillIn(template: Template, param: string, value: unknown): Template | null {
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

/** The path with these values, but for its end; `null` where one is missing or does not fit. */
function build({ start, holes }: Template, params: Params): string | null {
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

function finish(path: string, { slash, end }: Template, format: string | undefined): string {
  if (format === undefined) return end === '' ? path : path + end
  return `${path.slice(0, path.length - slash)}.${format}${end}`
}

function openLink(template: Template, format: string | undefined): OpenLink {
  const [hole] = template.holes as readonly [Hole]
  const { start } = template
  const after = finish(hole.after, template, format)
  // Most keys are numbers, and a number joins a text as it is.
  const takesNumbers = hole.converter.key === 'int'
  return (value) => {
    if (takesNumbers && typeof value === 'number' && value >= 0 && Number.isSafeInteger(value))
      return `${start}${value}${after}`
    const text = textOf(hole, value)
    return text === null ? null : start + text + after
  }
}

function textOf({ converter, encode }: Hole, value: unknown): string | null {
  const text = converter.format(value) ?? textOfNumber(value, converter)
  return text === undefined ? null : encode(text)
}

function textOfNumber(value: unknown, converter: Converter): string | undefined {
  if (typeof value === 'bigint')
    return converter.format(Number(value)) ?? converter.format(`${value}`)
  return typeof value === 'number' ? converter.format(`${value}`) : undefined
}

function isAmong(holes: readonly Hole[], name: string): boolean {
  for (const hole of holes) if (hole.name === name) return true
  return false
}

/** What an object inherits is not given. */
function valueOf(params: Params, name: string): unknown {
  return Object.hasOwn(params, name) ? params[name] : undefined
}
