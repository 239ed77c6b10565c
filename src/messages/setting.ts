import { didYouMean, nearest } from '../std/text/nearest.ts'
import { type MessageKey, english } from './english.ts'
import { parametersOf } from './forms.ts'
import { german } from './german.ts'
import type { Messages } from './message.ts'
import { SHIPPED } from './words.ts'

/** How a configuration names the languages that Colophon brings. */
const NAMED: Readonly<Record<string, object>> = { english, german }

/**
 * From a configuration key: an object by language tag, where `"german"` stands for the shipped catalogue, or a list
 * of tags of shipped languages. What has no such form stays as it is, for `messagesProblem` to refuse.
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

/** What is wrong with the setting `messages`, as the end of a sentence; `null`: nothing. */
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
  try {
    Intl.getCanonicalLocales(tag)
    return null
  } catch {
    return `names the language "${tag}", which is not a language tag such as "de" or "pt-BR".`
  }
}

function catalogueProblem(tag: string, catalogue: unknown): string | null {
  if (typeof catalogue === 'string') return notShipped(tag, catalogue)
  if (!isObject(catalogue)) return `wants an object of messages for "${tag}".`
  if (Object.keys(catalogue).length === 0 && !isShipped(tag))
    return `has no messages for "${tag}", and Colophon ships none: it has ${Object.keys(SHIPPED).join(', ')}.`
  for (const [key, template] of Object.entries(catalogue)) {
    const has = `has "${key}" in "${tag}", which`
    if (!Object.hasOwn(english, key))
      return `${has} is not the key of a message.${didYouMean(key, Object.keys(english))}`
    const problem = templateProblem(key as MessageKey, template)
    if (problem !== null) return `${has} ${problem}.`
  }
  return null
}

const isShipped = (tag: string): boolean => Object.hasOwn(SHIPPED, tag.toLowerCase().split('-')[0]!)

function notShipped(tag: string, name: string): string {
  const hint = didYouMean(name, Object.keys(NAMED)) || ` There is ${Object.keys(NAMED).join(', ')}.`
  return `names "${name}" for "${tag}", which is not a shipped language.${hint}`
}

function templateProblem(key: MessageKey, template: unknown): string | null {
  const shipped = english[key]
  const named = parametersOf(typeof shipped === 'string' ? shipped : shipped.other)
  if (typeof template === 'string') return textProblem(template, named, named)
  if (!isObject(template)) return 'wants a text, or an object with plural forms'
  if (!named.includes('count')) return 'wants a text: it has no {count}, and so no plural forms'
  for (const [form, text] of Object.entries(template)) {
    if (!FORMS.includes(form)) return `has no plural form "${form}": there is ${FORMS.join(', ')}`
    // "in a second": only the form for all other numbers has to show the number.
    const needed = form === 'other' ? named : named.filter((name) => name !== 'count')
    const problem = textProblem(text, named, needed)
    if (problem !== null) return problem
  }
  return Object.hasOwn(template, 'other') ? null : 'wants the plural form "other"'
}

const FORMS: readonly string[] = ['zero', 'one', 'two', 'few', 'many', 'other']

type Names = readonly string[]

function textProblem(text: unknown, known: Names, needed: Names): string | null {
  if (typeof text !== 'string' || text === '') return 'wants a text that is not empty'
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
