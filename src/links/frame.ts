import type { LinkFrame } from '../types/routes.ts'
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
  let taker: Template | null = null
  for (const template of templates) {
    if (template.slots.length !== given || !hasAll(template.slots, params)) continue
    if (taker !== null) return 'several'
    taker = template
  }
  return taker === null ? null : frameOf(taker, params, param, format)
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
  let [before, text] = ['', start]
  let open: Slot | null = null
  for (const slot of slots) {
    if (slot.name === param) {
      open = slot
      before = text
      text = slot.after
      continue
    }
    const value = slot.between(params[slot.name])
    if (value === null) return null
    text += value + slot.after
  }
  if (open === null) return null
  const after = format === undefined ? text : `${text.slice(0, text.length - slash)}.${format}`
  const { between, converter } = open
  return { before, after, between, takesNumbers: converter.takesNumbers }
}
