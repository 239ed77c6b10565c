import { ConfigurationError } from './configuration-error.ts'
import type { MessageKey } from '../messages/english.ts'
import type { Template } from '../messages/forms.ts'
import { Message, type NamesIn, type OwnSentence, type Value } from '../messages/message.ts'
import { languageProblem, templateProblem } from '../messages/words.ts'

/** Sentences of an application: by language tag, and by key. */
export type OwnMessages = Readonly<Record<string, Readonly<Record<string, Template>>>>

/** The keys that at least one language has. */
export type OwnKeys<C extends OwnMessages> = { [L in keyof C]: keyof C[L] & string }[keyof C]

/** The sentences with every key in every language. */
type WithoutHoles<C extends OwnMessages> = {
  readonly [L in keyof C]: { readonly [K in OwnKeys<C>]: Template }
}

type TextIn<T> = T extends { readonly other: infer Text extends string } ? Text : T & string

/** The parameters of a key in the sentences of any language. */
type Named<C extends OwnMessages, K> = NamesIn<
  { [L in keyof C]: K extends keyof C[L] ? TextIn<C[L][K]> : never }[keyof C]
>

/** The arguments after the key of an application's sentence: none if the sentence has no parameters. */
export type OwnValues<C extends OwnMessages, K> = [Named<C, K>] extends [never]
  ? []
  : [{ readonly [Name in Named<C, K>]: Name extends 'count' ? number : Value }]

/** Gives a sentence with the values of its parameters, which the compiler checks. */
export type Sentences<C extends OwnMessages> = <K extends OwnKeys<C>>(
  key: K,
  ...values: OwnValues<C, K>
) => Message

/**
 * The sentences of an application, in its languages. An error that is made with one is answered in the language of the
 * request, as those of the framework are: the setting `messages` says which languages there are. Every language has
 * every sentence with the same parameters, and a sentence with `{count}` may have plural forms.
 *
 * @throws ConfigurationError a sentence is missing in a language, or has other parameters there
 * @example
 * const say = defineMessages({
 *   en: { overlap: '{doctor} has an appointment then.' },
 *   de: { overlap: '{doctor} hat dann einen Termin.' },
 * })
 * throw new ValidationError({ starts: [say('overlap', { doctor: 'Dr. Ada' })] })
 */
export function defineMessages<const C extends OwnMessages>(
  catalogues: C & WithoutHoles<C>,
): Sentences<C> {
  const sentences = new Map<string, OwnSentence>()
  const languages = Object.entries<OwnMessages[string]>(catalogues)
  for (const key of new Set(languages.flatMap(([, own]) => Object.keys(own))))
    sentences.set(key, sentenceOf(key, languages))
  return (key, ...values) =>
    new Message(key as unknown as MessageKey, values[0] ?? {}, sentences.get(key))
}

function sentenceOf(
  key: string,
  languages: readonly (readonly [tag: string, OwnMessages[string]])[],
): OwnSentence {
  const original = languages.find(([, own]) => Object.hasOwn(own, key))![1][key]!
  for (const [tag, own] of languages) {
    const problem =
      languageProblem(tag) ??
      (Object.hasOwn(own, key)
        ? wrong(key, tag, templateProblem(original, own[key]))
        : `has no "${key}" in "${tag}".`)
    if (problem !== null) throw new ConfigurationError(`defineMessages ${problem}`)
  }
  return new Map(languages.map(([tag, own]) => [tag.toLowerCase(), own[key]!]))
}

function wrong(key: string, tag: string, problem: string | null): string | null {
  return problem === null ? null : `has "${key}" in "${tag}", which ${problem}.`
}
