import type { RowsToChoose } from '../../core/ports/page.ts'
import type { ChoiceInfo, FieldInfo } from '../../core/ports/serializer.ts'
import { Form } from '../../core/std/http/form.ts'
import { toJSONText } from '../../core/representations/json.ts'

/** One field as a form shows it. What the form cannot carry is only in its raw data. */
export interface FormField {
  readonly id: string
  readonly name: string
  readonly label: string
  readonly help: string
  readonly errors: readonly string[]
  readonly required: boolean
  readonly control: Control
  /** `type`, `inputmode` and the like. */
  readonly attributes: Readonly<Record<string, string>>
  /** What stands in it; of a list each item. */
  readonly value: string
  readonly items: readonly string[]
  readonly groups: readonly ChoiceGroup[]
  /** How many more may be chosen than are listed. */
  readonly left: number
  /** The list that it is chosen from, as a path. */
  readonly list: RowsToChoose | null
}

type Control =
  | 'input'
  | 'textarea'
  | 'select'
  | 'boxes'
  | 'box'
  | 'file'
  | 'items'
  | 'shown'
  | 'raw'

interface ChoiceGroup {
  readonly heading: string | null
  readonly choices: readonly { value: string; label: string; chosen: boolean }[]
}

/** Where the value of a field comes from, and what is wrong with it. */
export interface FilledField {
  /** A `Form`, or an object by the names of the fields. */
  readonly values: unknown
  readonly errors: unknown
  readonly list: RowsToChoose | null
  /** What browsers fill in; `null`: it is not known. */
  readonly autocomplete: string | null
}

/** Choices that are listed (`HTML_SELECT_CUTOFF`). */
const MOST_CHOICES = 1000

/** Characters in all fields of a form that a page still shows, or of raw data. */
export const LONGEST_FORM = 100_000
/** Characters of markup around an item, which may be an empty text. */
const ITEM_MARKUP = 70
/** No form shows so many: of a list that has more, the others are not even made. */
const TOO_MANY_ITEMS = Math.ceil(LONGEST_FORM / ITEM_MARKUP) + 1

export function formField(
  name: string,
  info: FieldInfo,
  id: string,
  filled: FilledField,
): FormField {
  const { autocomplete } = filled
  const value = memberOf(filled.values, name)
  const hasItems = controlOf(info, '') === 'items'
  const last = Array.isArray(value) && info.type !== 'list' ? value.at(-1) : value
  const text = info.type === 'password' || hasItems ? '' : textOf(last)
  const all = info.choices ?? info.child?.choices ?? []
  const chosen = new Set(all.length === 0 ? [] : textsOf(value))
  return {
    id,
    name,
    label: info.label ?? name,
    help: info.help_text ?? '',
    errors: sentencesOf(memberOf(filled.errors, name)),
    required: info.required,
    control: controlOf(info, text),
    attributes: { ...attributesOf(info, text), ...(autocomplete !== null && { autocomplete }) },
    value: text,
    items: hasItems ? textsOf(Array.isArray(value) ? value.slice(0, TOO_MANY_ITEMS) : value) : [],
    groups: groupsOf(all.slice(0, MOST_CHOICES), chosen),
    left: Math.max(0, all.length - MOST_CHOICES),
    list: filled.list,
  }
}

export const FILES: ReadonlySet<string> = new Set(['file upload', 'image upload'])

/** From so many characters on, a text gets lines. */
const ONE_LINE = 200

function controlOf(info: FieldInfo, text: string): Control {
  const { type, child } = info
  if (info.read_only) return 'shown'
  if (FILES.has(type)) return 'file'
  if (type === 'boolean') return 'box'
  if (type === 'multiple choice' || child?.choices !== undefined) return 'boxes'
  if (type === 'list') return child === undefined || !isPlain(child) ? 'raw' : 'items'
  if (!isPlain(info)) return 'raw'
  if (info.choices !== undefined) return 'select'
  const isLong = type === 'string' && (info.max_length ?? Infinity) > ONE_LINE
  // A line break would be lost in an input of one line.
  return isLong || /[\r\n]/.test(text) ? 'textarea' : 'input'
}

/** Can a single value of a form be it? */
function isPlain({ type, child, children }: FieldInfo): boolean {
  return child === undefined && children === undefined && !NESTED.has(type) && !FILES.has(type)
}

const NESTED: ReadonlySet<string> = new Set(['nested object', 'list', 'multiple choice'])

const INPUTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  integer: { type: 'text', inputmode: 'numeric' },
  float: { type: 'text', inputmode: 'decimal' },
  decimal: { type: 'text', inputmode: 'decimal' },
  email: { type: 'email' },
  url: { type: 'url' },
  password: { type: 'password', autocomplete: 'new-password' },
  datetime: { type: 'text', placeholder: '2030-01-31T12:00:00Z' },
  time: { type: 'text', placeholder: '12:00:00' },
}

/** What browsers throw away because it does not fit must not be what was typed: it is shown again (W15). */
function attributesOf(info: FieldInfo, text: string): Readonly<Record<string, string>> {
  if (info.type === 'date' && /^(?:\d{4}-\d\d-\d\d)?$/.test(text)) return { type: 'date' }
  if (FILES.has(info.type)) return { accept: (info.media_types ?? []).join(',') }
  return Object.hasOwn(INPUTS, info.type) ? INPUTS[info.type]! : { type: 'text' }
}

function groupsOf(
  choices: readonly ChoiceInfo[],
  chosen: ReadonlySet<string>,
): readonly ChoiceGroup[] {
  const groups = Map.groupBy(choices, ({ group = null }) => group)
  return [...groups].map(([heading, some]) => ({
    heading,
    choices: some.map(({ value, display_name: label }) => {
      const text = textOf(value)
      return { value: text, label, chosen: chosen.has(text) }
    }),
  }))
}

/** Own members only, whatever their names; `null`: there is none. Of a form all values, where it has several. */
function memberOf(holder: unknown, name: string): unknown {
  if (holder instanceof Form) {
    const values = holder.getAll(name)
    return values.length > 1 ? values : (values[0] ?? null)
  }
  const isObject = typeof holder === 'object' && holder !== null
  return isObject && Object.hasOwn(holder, name) ? (holder as Record<string, unknown>)[name] : null
}

function textsOf(value: unknown): readonly string[] {
  if (value === null || value === undefined) return []
  return (Array.isArray(value) ? value : [value]).map(textOf)
}

/** Characters that a form has for it. */
export function lengthOf({ value, items }: FormField): number {
  return items.reduce((sum, text) => sum + text.length + ITEM_MARKUP, value.length)
}

/** As a form would send it. Files are not sent twice. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'object' && 'stream' in value) return ''
  return withoutQuotes(toJSONText(value, 4))
}

/** A date is a text in JSON. */
const withoutQuotes = (text: string): string => text.replace(/^"(.*)"$/s, '$1')

/** Of an error as clients are shown it: texts, and of parts their names or places before them. */
export function sentencesOf(errors: unknown): readonly string[] {
  if (errors === null || errors === undefined) return []
  if (typeof errors !== 'object') return [textOf(errors)]
  if (Array.isArray(errors)) return errors.flatMap(sentencesOf)
  return Object.entries(errors).flatMap(([name, own]) =>
    sentencesOf(own).map((sentence) => `${name}: ${sentence}`),
  )
}
