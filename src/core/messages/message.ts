import { type Catalogue, type MessageKey, type TextOf, english } from './english.ts'
import { type PluralForms, type Template, fillIn, formOf } from './forms.ts'

/**
 * Replaced sentences by language tag. What a language leaves out stays as shipped: in that language, or in English.
 *
 * @example { en: { not_found: 'No such page.' }, de: german }
 */
export type Messages = Readonly<Record<string, Partial<Catalogue>>>

/** The value of a parameter. A message as a value takes the language of the sentence around it. */
export type Value = string | number | bigint | Message

/** The parameters that a text shows: `'{limit} bytes'` has `limit`. */
export type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

/** The parameters of a sentence, as its template names them. */
type Parameters<Key extends MessageKey> = {
  readonly [Name in NamesIn<TextOf<Key>>]: Name extends 'count' ? number : Value
}

/** The arguments after the key of a sentence: none if the sentence has no parameters. */
export type ValuesFor<Key extends MessageKey> = keyof Parameters<Key> extends never
  ? []
  : [Parameters<Key>]

type Values = Readonly<Record<string, Value>>

/** A sentence of the application, by language tag in lower case. */
export type OwnSentence = ReadonlyMap<string, Template>

/**
 * A sentence of the catalogue, or one of the application's own, with its values. It becomes a text when an answer is
 * rendered.
 */
export class Message {
  readonly key: MessageKey
  readonly values: Values
  /** `null`: the sentence is in the catalogue. */
  readonly own: OwnSentence | null

  constructor(key: MessageKey, values: Values, own: OwnSentence | null = null) {
    this.key = key
    this.values = values
    this.own = own
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
    return this.key.split('.', 1)[0]!
  }

  /** In English, as shipped; a sentence of the application without English is in its first language. */
  toString(): string {
    const { key, values, own } = this
    const template = own === null ? english[key] : sentenceIn(own, ['en']).template
    return fillIn(formOf(template, values, englishForm), values, String)
  }

  toJSON(): string {
    return this.toString()
  }
}

/** Gives the sentence in the first of these languages that it has, else in English, else in its first language. */
export function sentenceIn(
  own: OwnSentence,
  languages: readonly string[],
): { readonly template: Template; readonly language: string } {
  const [first = 'en'] = own.keys()
  const language = [...languages, 'en'].find((each) => own.has(each)) ?? first
  return { template: own.get(language)!, language }
}

const NONE: Values = Object.freeze({})

// Without `Intl`, whose data takes time to load: English is what a service needs at start-up.
const englishForm = (count: number): keyof PluralForms => (count === 1 ? 'one' : 'other')
