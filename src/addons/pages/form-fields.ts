import type { RowsToChoose } from '../../core/ports/page.ts'
import type { ChoiceInfo, FieldInfo } from '../../core/ports/serializer.ts'
import { Form } from '../../core/std/http/form.ts'
import { toJSONText } from '../../core/representations/json.ts'

/** A field in a form. Fields that a form cannot carry are only in its raw data. */
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
  /** The text in the field, or of each item of a list. */
  readonly value: string
  readonly items: readonly string[]
  readonly groups: readonly ChoiceGroup[]
  /** The number of further choices that are not listed. */
  readonly left: number
  /** The list to choose from, as a path. */
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

/** The source of a field's value, and its errors. */
export interface FilledField {
  /** A `Form`, or an object by the names of the fields. */
  readonly values: unknown
  readonly errors: unknown
  readonly list: RowsToChoose | null
  /** The kind of value that browsers fill in; `null`: it is not known. */
  readonly autocomplete: string | null
}

/** The most choices in a list (`HTML_SELECT_CUTOFF`). */
const MOST_CHOICES = 1000

/** The most characters of raw data, or in all fields of a form together, that a page shows. */
export const LONGEST_FORM = 100_000
/** The characters of markup around an item, whose text may be empty. */
const ITEM_MARKUP = 70
/** No form shows so many items, so the rest of a longer list is not even made. */
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

/** A field that allows more characters than this has several lines. */
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
  const isLong = type === 'string' && !info.isLine && (info.max_length ?? Infinity) > ONE_LINE
  // An input of one line would lose line breaks.
  return isLong || /[\r\n]/.test(text) ? 'textarea' : 'input'
}

/** Can one form value hold this field? */
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

/** A date that a date input would throw away gets a text input, so that the typed text is shown again (W15). */
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

/** A member by its name, never an inherited one; `null`: it is missing. A form with several values gives all of them. */
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

/** The number of characters that the field adds to a form. */
export function lengthOf({ value, items }: FormField): number {
  return items.reduce((sum, text) => sum + text.length + ITEM_MARKUP, value.length)
}

/** The text of a value in a form. Files are not sent back to the client. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'object' && 'stream' in value) return ''
  return withoutQuotes(toJSONText(value, 4))
}

/** JSON puts quotes around dates, which a form does not have. */
const withoutQuotes = (text: string): string => text.replace(/^"(.*)"$/s, '$1')

/** The sentences of an error, with the names or places of its parts before them. */
export function sentencesOf(errors: unknown): readonly string[] {
  if (errors === null || errors === undefined) return []
  if (typeof errors !== 'object') return [textOf(errors)]
  if (Array.isArray(errors)) return errors.flatMap(sentencesOf)
  return Object.entries(errors).flatMap(([name, own]) =>
    sentencesOf(own).map((sentence) => `${name}: ${sentence}`),
  )
}
