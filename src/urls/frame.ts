import type { LinkFrame } from '../contract/routes.ts'
import type { Converter } from './converters.ts'
import type { SuffixRule } from './suffix.ts'
import type { Params, Slot, Template } from './template.ts'

/** What the paths have in common that `param` tells apart; the other parameters have values. */
export function frameAmong(
  templates: readonly Template[],
  params: Params,
  param: string,
  suffixes: SuffixRule | null,
): LinkFrame | 'several' | null {
  const format = suffixes === null ? undefined : params['format']
  if (!isAdmitted(format, suffixes)) return null
  const names = Object.keys(params).filter((name) => params[name] !== undefined)
  const given = new Set(format === undefined ? names : names.filter((name) => name !== 'format'))
  const [template, other] = templates.filter(({ slots }) => takes(slots, given))
  if (template === undefined) return null
  return other === undefined ? frameOf(template, params, param, format) : 'several'
}

function isAdmitted(format: unknown, suffixes: SuffixRule | null): format is string | undefined {
  return format === undefined ? !suffixes?.required : (suffixes?.admits(format) ?? false)
}

function takes(slots: readonly Slot[], given: ReadonlySet<string>): boolean {
  return slots.length === given.size && slots.every(({ name }) => given.has(name))
}

function frameOf(
  { start, slots, slash }: Template,
  params: Params,
  param: string,
  format: string | undefined,
): LinkFrame | null {
  const texts = [start]
  let between: LinkFrame['between'] | null = null
  for (const slot of slots) {
    const open = slot.name === param
    const text = open ? '' : betweenOf(slot)(params[slot.name])
    if (text === null) return null
    if (open) {
      between = betweenOf(slot)
      texts.push('')
    }
    texts.push(`${texts.pop()}${text}${slot.after}`)
  }
  const [before = '', path = ''] = texts
  const after = format === undefined ? path : `${path.slice(0, path.length - slash)}.${format}`
  return between === null ? null : { before, after, between }
}

function betweenOf({ converter, encode }: Slot): LinkFrame['between'] {
  if (converter.isPlain) return (value) => toText(value, converter) ?? null
  return (value) => {
    const text = toText(value, converter)
    return text === undefined ? null : encode(text)
  }
}

/** Databases give keys as numbers and as long integers, whatever the address makes of them. */
function toText(value: unknown, converter: Converter): string | undefined {
  const text = converter.format(value)
  if (text !== undefined) return text
  if (typeof value === 'bigint') return converter.format(Number(value)) ?? converter.format(`${value}`)
  return typeof value === 'number' ? converter.format(`${value}`) : undefined
}
