import type { LinkFrame } from '../contract/routes.ts'
import type { Converter } from './converters.ts'
import type { SuffixRule } from './suffix.ts'
import { type Params, type Slot, type Template, countGiven, hasAll } from './template.ts'

/** What the paths have in common that `param` tells apart; the other parameters have values. */
export function frameAmong(
  templates: readonly Template[],
  params: Params,
  param: string,
  suffixes: SuffixRule | null,
): LinkFrame | 'several' | null {
  const format = suffixes === null ? undefined : params['format']
  if (!isAdmitted(format, suffixes)) return null
  const given = countGiven(params) - (format === undefined ? 0 : 1)
  const takers = templates.filter(({ slots }) => slots.length === given && hasAll(slots, params))
  if (takers.length > 1) return 'several'
  return takers.length === 0 ? null : frameOf(takers[0]!, params, param, format)
}

function isAdmitted(format: unknown, suffixes: SuffixRule | null): format is string | undefined {
  return format === undefined ? !suffixes?.required : (suffixes?.admits(format) ?? false)
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
  const { format, isPlain } = converter
  if (isPlain) return (value) => format(value) ?? otherText(value, converter) ?? null
  return (value) => {
    const text = format(value) ?? otherText(value, converter)
    return text === undefined ? null : encode(text)
  }
}

/** Databases give keys as numbers and as long integers, whatever the address makes of them. */
function otherText(value: unknown, { format }: Converter): string | undefined {
  if (typeof value === 'bigint') return format(Number(value)) ?? format(`${value}`)
  return typeof value === 'number' ? format(`${value}`) : undefined
}
