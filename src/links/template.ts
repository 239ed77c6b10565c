import type { Route } from '../types/routes.ts'
import type { Converter } from './converters.ts'
import { encodePath, encodeRootPath, encodeSegment } from './encoding.ts'
import { type Parameter, type Segment, endsWithSlash, isRest } from './pattern.ts'

/** A path prepared for building: encoded text, and between its pieces the parameters. */
export interface Template {
  readonly route: Route
  readonly start: string
  readonly slots: readonly Slot[]
  /** Characters to drop before a format suffix: the slash at the end, if any. */
  readonly slash: 0 | 1
}

export interface Slot {
  readonly name: string
  readonly converter: Converter
  readonly encode: (text: string) => string | null
  /** The encoded text up to the next parameter. */
  readonly after: string
  /** The value as a link of many has it: numbers also where a text is wanted. `null`: it does not fit. */
  readonly between: (value: unknown) => string | null
}

export type Params = Readonly<Record<string, unknown>>

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
  const slots = parameters.map((parameter, index) => {
    const encode = encoderOf(parameter, start === '/' && index === 0)
    const between = betweenOf(parameter.converter, encode)
    return { ...parameter, encode, between, after: after[index] ?? '' }
  })
  return { route, start, slots, slash: endsWithSlash(segments) ? 1 : 0 }
}

/** The path with these values; `null` where one of them does not fit. All of them must be there. */
export function build(template: Template, params: Params, format?: string): string | null {
  let path = template.start
  for (const slot of template.slots) {
    const text = slot.converter.format(params[slot.name])
    const encoded = text === undefined ? null : slot.encode(text)
    if (encoded === null) return null
    path += encoded + slot.after
  }
  return format === undefined ? path : `${path.slice(0, path.length - template.slash)}.${format}`
}

/** How many parameters have a value. */
export function countGiven(params: Params): number {
  let count = 0
  for (const name of Object.keys(params)) if (params[name] !== undefined) count++
  return count
}

/** Does each slot have its value? */
export function hasAll(slots: readonly Slot[], params: Params): boolean {
  for (const { name } of slots) {
    if (!Object.hasOwn(params, name) || params[name] === undefined) return false
  }
  return true
}

function encoderOf(parameter: Parameter, atRoot: boolean): Slot['encode'] {
  if (!isRest(parameter)) return encodeSegment
  return atRoot ? encodeRootPath : encodePath
}

function betweenOf(converter: Converter, encode: Slot['encode']): Slot['between'] {
  if (converter.isPlain)
    return (value) => converter.format(value) ?? otherText(value, converter) ?? null
  return (value) => {
    const text = converter.format(value) ?? otherText(value, converter)
    return text === undefined ? null : encode(text)
  }
}

/** Databases give keys as numbers and as long integers, whatever the address makes of them. */
function otherText(value: unknown, converter: Converter): string | undefined {
  if (typeof value === 'bigint')
    return converter.format(Number(value)) ?? converter.format(`${value}`)
  return typeof value === 'number' ? converter.format(`${value}`) : undefined
}
