import { english } from './english.ts'

/** The name of a sentence: a `code`, with a dot and a second part where one code has several sentences. */
export type MessageKey = keyof typeof english

/** Forms of a sentence by the number in its `{count}`, named as in `Intl.PluralRules`. */
export interface PluralForms {
  readonly zero?: string
  readonly one?: string
  readonly two?: string
  readonly few?: string
  readonly many?: string
  readonly other: string
}

/** A sentence with `{parameters}`. */
export type Template = string | PluralForms

/** All sentences of a language. */
export type Catalogue = { readonly [Key in MessageKey]: Template }

/**
 * Replaced sentences by language tag. What a language leaves out stays as shipped: in that language, or in English.
 *
 * @example { en: { not_found: 'No such page.' }, de: german }
 */
export type Messages = Readonly<Record<string, Partial<Catalogue>>>

/** The value of a parameter. A message is put into the language of the sentence that it stands in. */
export type Value = string | number | bigint | Message

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

type TextOf<Key extends MessageKey> = (typeof english)[Key] extends infer Text extends string
  ? Text
  : (typeof english)[Key][keyof (typeof english)[Key]] & string

/** The parameters of a sentence, as its template names them. */
type Parameters<Key extends MessageKey> = {
  readonly [Name in NamesIn<TextOf<Key>>]: Name extends 'count' ? number : Value
}

/** The values after the key of a sentence: none where it has no parameters. */
export type ValuesFor<Key extends MessageKey> = keyof Parameters<Key> extends never
  ? []
  : [Parameters<Key>]

type Values = Readonly<Record<string, Value>>

/** A sentence of the catalogue with its values. It becomes a text when an answer is rendered. */
export class Message {
  readonly key: MessageKey
  readonly values: Values

  constructor(key: MessageKey, values: Values) {
    this.key = key
    this.values = values
  }

  /**
   * A sentence with the values of its parameters, which the compiler checks.
   *
   * @example Message.of('payload_too_large', { limit: 1000 })
   */
  static of<Key extends MessageKey>(key: Key, ...values: ValuesFor<Key>): Message {
    return new Message(key, values[0] ?? NONE)
  }

  /** The error code that the sentence belongs to. */
  get code(): string {
    return codeOf(this.key)
  }

  /** In English, as shipped. */
  toString(): string {
    const { key, values } = this
    const template: Template = english[key]
    return fillIn(formOf(template, values, englishForm), values, String)
  }

  toJSON(): string {
    return this.toString()
  }
}

/** `invalid.date` → `invalid`. */
function codeOf(key: MessageKey): string {
  const dot = key.indexOf('.')
  return dot < 0 ? key : key.slice(0, dot)
}

const NONE: Values = Object.freeze({})

// Without `Intl`, whose data takes time to load: English is what a service needs at start-up.
const englishForm = (count: number): keyof PluralForms => (count === 1 ? 'one' : 'other')

/** The form of a template for the number in `{count}`. */
export function formOf(
  template: Template,
  { count }: Values,
  select: (count: number) => keyof PluralForms,
): string {
  if (typeof template === 'string') return template
  return template[select(Number(count))] ?? template.other
}

/** Replaces each `{parameter}` once: values are not searched for parameters. */
export function fillIn(text: string, values: Values, show: (value: Value) => string): string {
  if (!text.includes('{')) return text
  return text.replace(PARAMETER, (place, name: string) =>
    Object.hasOwn(values, name) ? show(values[name]!) : place,
  )
}

/** The names between braces. */
export function parametersOf(template: string): string[] {
  return [...template.matchAll(PARAMETER)].map(([, name]) => name!)
}

const PARAMETER = /\{(\w*)\}/g
