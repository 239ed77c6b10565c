import { attempt } from '../std/attempt.ts'
import { keptIn, oncePer } from '../std/once.ts'
import { didYouMean, nearest } from '../std/text/nearest.ts'
import { type Catalogue, type MessageKey, english } from './english.ts'
import { type PluralForms, type Template, fillIn, formOf, parametersOf } from './forms.ts'
import { german } from './german.ts'
import { Message, type Messages, sentenceIn } from './message.ts'

/** The languages that Colophon brings: their tags, and how a configuration names them. */
export const LANGUAGES: readonly (readonly [tag: string, name: string, Catalogue])[] = [
  ['en', 'english', english],
  ['de', 'german', german],
]
const SHIPPED = Object.fromEntries(LANGUAGES.map(([tag, , catalogue]) => [tag, catalogue]))
const NAMED = Object.fromEntries(LANGUAGES.map(([, name, catalogue]) => [name, catalogue]))

/** Puts messages into words, in one language and with the replacements of one endpoint. */
export class Words {
  readonly language: string
  /** `Content-Language`, where an endpoint has more than one language. */
  readonly headers: Readonly<Record<string, string>>
  readonly #sources: readonly Source[]
  /** Sentences that were looked up: each page asks for the same sentences as the page before it. */
  readonly #found = new Map<MessageKey, Found>()

  constructor(language: string, sources: readonly Source[], isNegotiated: boolean) {
    this.language = language
    this.headers = isNegotiated ? { 'Content-Language': language } : {}
    this.#sources = sources
  }

  text({ key, values, own }: Message): string {
    const { template, language } = own
      ? sentenceIn(own, rangesOf(this.language.toLowerCase()))
      : keptIn(this.#found, key, () => this.#find(key))
    const form = formOf(template, values, (count) => pluralIn(language, count))
    return fillIn(form, values, (value) =>
      typeof value === 'object' ? this.text(value) : String(value),
    )
  }

  #find(key: MessageKey): Found {
    const has = ({ catalogue }: Source): boolean => Object.hasOwn(catalogue, key)
    const { catalogue, language } = this.#sources.find(has)!
    return { template: catalogue[key]!, language }
  }

  /** The phrase for a status; empty if the status has none. */
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

/** The part of a request that `wordsFor` reads. */
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
  const tags = rangesOf(tag)
  const shipped = [...tags, 'en'].filter((language) => Object.hasOwn(SHIPPED, language))
  return [
    ...tags.flatMap((each) => replaced.get(each) ?? []),
    ...shipped.map((language) => ({ catalogue: SHIPPED[language]!, language })),
  ]
}

/** `de-at`: itself, and `de`. */
function rangesOf(tag: string): string[] {
  const parts = tag.split('-')
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('-'))
}

const pluralRules = new Map<string, Intl.PluralRules>()

function pluralIn(language: string, count: number): keyof PluralForms {
  return keptIn(pluralRules, language, (tag) => new Intl.PluralRules(tag)).select(count)
}

/**
 * Reads messages from a configuration key: an object by language tag, where `"german"` stands for the shipped catalogue, or
 * a list of tags of shipped languages. Any other value stays as it is, for `messagesProblem` to refuse.
 */
export function messagesFromValue(value: unknown): unknown {
  if (Array.isArray(value) && value.every((tag) => typeof tag === 'string'))
    return Object.fromEntries(value.map((tag) => [tag, {}]))
  if (!isObject(value)) return value
  const languages = Object.entries(value).map(([tag, catalogue]: [string, unknown]) => {
    const isName = typeof catalogue === 'string' && Object.hasOwn(NAMED, catalogue)
    return [tag, isName ? NAMED[catalogue] : catalogue]
  })
  return Object.fromEntries(languages)
}

/** The problem with the setting `messages`, as the end of a sentence; `null`: none. */
export function messagesProblem(messages: Messages): string | null {
  const seen = new Set<string>()
  for (const [tag, catalogue] of Object.entries(messages)) {
    const problem = tagProblem(tag) ?? catalogueProblem(tag, catalogue)
    if (problem !== null) return problem
    const [language] = Intl.getCanonicalLocales(tag)
    if (seen.has(language!)) return `has the language "${language}" twice.`
    seen.add(language!)
  }
  return null
}

function tagProblem(tag: string): string | null {
  if (Object.hasOwn(english, tag))
    return `holds messages by language: write { "en": { "${tag}": … } }.`
  return languageProblem(tag)
}

export function languageProblem(tag: string): string | null {
  if (attempt(RangeError, () => Intl.getCanonicalLocales(tag)) !== null) return null
  return `names the language "${tag}", which is not a language tag such as "de" or "pt-BR".`
}

function catalogueProblem(tag: string, catalogue: unknown): string | null {
  if (typeof catalogue === 'string') return notShipped(tag, catalogue)
  if (!isObject(catalogue)) return `must have an object of messages for "${tag}".`
  if (Object.keys(catalogue).length === 0 && !isShipped(tag))
    return `has no messages for "${tag}", and Colophon ships none: it has ${Object.keys(SHIPPED).join(', ')}.`
  for (const [key, template] of Object.entries(catalogue)) {
    const has = `has "${key}" in "${tag}", which`
    if (!Object.hasOwn(english, key))
      return `${has} is not the key of a message.${didYouMean(key, Object.keys(english))}`
    const problem = templateProblem(english[key as MessageKey], template)
    if (problem !== null) return `${has} ${problem}.`
  }
  return null
}

const isShipped = (tag: string): boolean => Object.hasOwn(SHIPPED, tag.toLowerCase().split('-')[0]!)

function notShipped(tag: string, name: string): string {
  const hint = didYouMean(name, Object.keys(NAMED)) || ` There is ${Object.keys(NAMED).join(', ')}.`
  return `names "${name}" for "${tag}", which is not a shipped language.${hint}`
}

/** The problem with a sentence that replaces `original`, as the end of a sentence; `null`: none. */
export function templateProblem(original: Template, template: unknown): string | null {
  const named = parametersOf(typeof original === 'string' ? original : original.other)
  if (typeof template === 'string') return textProblem(template, named, named)
  if (!isObject(template)) return 'must be a text, or an object with plural forms'
  if (!named.includes('count')) return 'must be a text: it has no {count}, and so no plural forms'
  for (const [form, text] of Object.entries(template)) {
    if (!FORMS.includes(form)) return `has no plural form "${form}": there is ${FORMS.join(', ')}`
    // A form such as "in a second" need not show the number; only the form for all other numbers has to.
    const needed = form === 'other' ? named : named.filter((name) => name !== 'count')
    const problem = textProblem(text, named, needed)
    if (problem !== null) return problem
  }
  return Object.hasOwn(template, 'other') ? null : 'must have the plural form "other"'
}

const FORMS: readonly string[] = ['zero', 'one', 'two', 'few', 'many', 'other']

type Names = readonly string[]

function textProblem(text: unknown, known: Names, needed: Names): string | null {
  if (typeof text !== 'string' || text === '') return 'must be a text that is not empty'
  const names = parametersOf(text)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const near = nearest(unknown, known) ?? known.join('}, {')
    return `has no parameter {${unknown}}: it has ${near === '' ? 'none' : `{${near}}`}`
  }
  const missing = needed.find((name) => !names.includes(name))
  return missing === undefined ? null : `must show {${missing}}`
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Elements of `Accept-Language` that are read. Browsers send fewer than ten. */
const MOST_RANGES = 50

/**
 * The best of `tags`, in lower case (RFC 4647 §3.4, RFC 9110 §12.5.4): `de-AT` is also answered with `de`, and `*`
 * with the first tag that the client does not refuse. Elements that cannot be read are left out.
 */
export function matchLanguage(header: string, tags: readonly string[]): string | null {
  const ranges = header.split(',', MOST_RANGES).flatMap(readRange)
  const refused = new Set(ranges.filter(({ q }) => q === 0).map(({ tag }) => tag))
  const offered = tags.filter((tag) => !refused.has(tag))
  const wanted = ranges.filter(({ q }) => q > 0).toSorted((a, b) => b.q - a.q)
  for (const { tag } of wanted) {
    const found = tag === '*' ? offered[0] : lookUp(tag, offered)
    if (found !== undefined) return found
  }
  return null
}

/** Drops subtags from the end until a tag is offered; a single letter is dropped together with the subtag after it. */
function lookUp(range: string, offered: readonly string[]): string | undefined {
  let tag = range
  while (tag !== '' && !offered.includes(tag))
    tag = tag.replace(/(?:^|-)[^-]*$/, '').replace(/-[^-]$/, '')
  return tag === '' ? undefined : tag
}

const LONGEST_RANGE = 100
const RANGE = /^\s*(\*|[a-z]{1,8}(?:-[a-z0-9]{1,8})*)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?$/i

function readRange(text: string): { tag: string; q: number }[] {
  const [, tag, q = '1'] = (text.length <= LONGEST_RANGE && RANGE.exec(text)) || []
  return tag === undefined ? [] : [{ tag: tag.toLowerCase(), q: Math.min(Number(q), 1) }]
}
