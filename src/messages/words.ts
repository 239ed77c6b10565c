import { matchLanguage } from '../std/http/accept-language.ts'
import { oncePer } from '../std/once.ts'
import { type Catalogue, type MessageKey, english } from './english.ts'
import { type PluralForms, type Template, fillIn, formOf } from './forms.ts'
import { german } from './german.ts'
import { Message, type Messages } from './message.ts'

/** The languages that Colophon brings, by tag. */
export const SHIPPED: Readonly<Record<string, Catalogue>> = { en: english, de: german }

/** Puts messages into words, in one language and with the replacements of one endpoint. */
export class Words {
  readonly language: string
  /** `Content-Language`, where an endpoint has more than one language. */
  readonly headers: Readonly<Record<string, string>>
  readonly #sources: readonly Source[]
  /** What was looked up: each page asks for the sentences of the last one. */
  readonly #found = new Map<MessageKey, Found>()

  constructor(language: string, sources: readonly Source[], isNegotiated: boolean) {
    this.language = language
    this.headers = isNegotiated ? { 'Content-Language': language } : {}
    this.#sources = sources
  }

  text({ key, values }: Message): string {
    const { template, language } = this.#found.get(key) ?? this.#find(key)
    const form = formOf(template, values, (count) => pluralIn(language, count))
    return fillIn(form, values, (value) =>
      typeof value === 'object' ? this.text(value) : String(value),
    )
  }

  #find(key: MessageKey): Found {
    const has = ({ catalogue }: Source): boolean => Object.hasOwn(catalogue, key)
    const { catalogue, language } = this.#sources.find(has)!
    const found = { template: catalogue[key]!, language }
    this.#found.set(key, found)
    return found
  }

  /** The phrase for a status; empty for a status that has none. */
  status(status: number): string {
    const key = `status.${status}`
    return Object.hasOwn(english, key) ? this.text(new Message(key as MessageKey, {})) : ''
  }
}

/** Sentences with the language that they are in: each language has plural forms of its own. */
interface Source {
  readonly catalogue: Partial<Catalogue>
  readonly language: string
}

/** A sentence, with the language of its plural forms. */
interface Found {
  readonly template: Template
  readonly language: string
}

export const ENGLISH: Words = new Words('en', [{ catalogue: english, language: 'en' }], false)
const ENGLISH_ONLY: ReadonlyMap<string, Words> = new Map([['en', ENGLISH]])

/** What `wordsFor` has to know of a request. */
interface Asking {
  readonly settings: { readonly messages: Messages | null }
  header(name: string): string | null
}

/**
 * The words for the answer to a request. `Accept-Language` chooses among the languages of its endpoint; without an
 * acceptable one they are English. Only where there is a choice is the header read, so that the answer varies by it.
 */
export function wordsFor(request: Asking): Words {
  const { messages } = request.settings
  const languages = messages === null ? ENGLISH_ONLY : languagesOf(messages)
  if (languages.size === 1) return languages.get('en')!
  const wanted = matchLanguage(request.header('accept-language') ?? '', [...languages.keys()])
  return languages.get(wanted ?? 'en')!
}

/** Words by language tag in lower case. English is always among them. */
const languagesOf = oncePer((messages: Messages): ReadonlyMap<string, Words> => {
  const replaced = new Map(
    Object.entries({ en: {}, ...messages }).map(([tag, catalogue]) => {
      const [language] = Intl.getCanonicalLocales(tag)
      return [language!.toLowerCase(), { catalogue, language: language! }]
    }),
  )
  const wordsOf = (tag: string, { language }: Source): Words =>
    new Words(language, sourcesOf(tag, replaced), replaced.size > 1)
  return new Map([...replaced].map(([tag, source]) => [tag, wordsOf(tag, source)]))
})

/** `de-AT`: its own sentences, those for `de`, the shipped German ones, the English ones. */
function sourcesOf(tag: string, replaced: ReadonlyMap<string, Source>): Source[] {
  const parts = tag.split('-')
  const tags = parts.map((_, index) => parts.slice(0, parts.length - index).join('-'))
  const shipped = [...tags, 'en'].filter((language) => Object.hasOwn(SHIPPED, language))
  return [
    ...tags.flatMap((each) => replaced.get(each) ?? []),
    ...shipped.map((language) => ({ catalogue: SHIPPED[language]!, language })),
  ]
}

const pluralRules = new Map<string, Intl.PluralRules>()
/** By number, up to `SMALL`: asking `Intl` costs more than all the rest of a sentence. */
const pluralForms = new Map<string, (keyof PluralForms)[]>()
const SMALL = 100

function pluralIn(language: string, count: number): keyof PluralForms {
  const known = pluralForms.get(language) ?? []
  const rules = pluralRules.get(language) ?? new Intl.PluralRules(language)
  pluralForms.set(language, known)
  pluralRules.set(language, rules)
  if (!Number.isInteger(count) || count < 0 || count > SMALL) return rules.select(count)
  return (known[count] ??= rules.select(count))
}
