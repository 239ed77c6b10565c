import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { english } from '../../../src/core/messages/english.ts'
import { german } from '../../../src/core/messages/german.ts'
import { type Template, parametersOf } from '../../../src/core/messages/forms.ts'
import { Message, type Messages } from '../../../src/core/messages/message.ts'
import { LANGUAGES, wordsFor } from '../../../src/core/messages/words.ts'

const inLanguage = (messages: Messages | null, accept: string | null) =>
  wordsFor({ settings: { messages }, header: () => accept })

const hurry = Message.of('throttled.wait', { detail: Message.of('throttled'), count: 2 })

describe('the words of an answer', () => {
  test.each<[title: string, messages: Messages | null, accept: string | null, text: string]>([
    [
      'nothing configured: English, whatever is asked',
      null,
      'de',
      'Too many requests. Try again in 2 seconds.',
    ],
    ['nothing asked: English', { de: german }, null, 'Too many requests. Try again in 2 seconds.'],
    [
      'a message inside another is in the same language',
      { de: german },
      'de',
      'Zu viele Anfragen. Versuchen Sie es in 2 Sekunden noch einmal.',
    ],
    [
      'a shipped language needs no messages',
      { de: {} },
      'de',
      'Zu viele Anfragen. Versuchen Sie es in 2 Sekunden noch einmal.',
    ],
    [
      'what a language leaves out is shipped in that language',
      { de: { throttled: 'Langsam!' } },
      'de',
      'Langsam! Versuchen Sie es in 2 Sekunden noch einmal.',
    ],
    [
      'or in English',
      { fr: { throttled: 'Trop de requêtes.' } },
      'fr',
      'Trop de requêtes. Try again in 2 seconds.',
    ],
    [
      'a region has the sentences of its language, but for its own',
      {
        de: { throttled: 'Langsam!' },
        'de-AT': { 'throttled.wait': '{detail} {count} Sekunden.' },
      },
      'de-AT',
      'Langsam! 2 Sekunden.',
    ],
    [
      'English can be replaced',
      { en: { throttled: 'Slow down.' } },
      'de',
      'Slow down. Try again in 2 seconds.',
    ],
    [
      'each language has plural forms of its own',
      {
        pl: {
          'throttled.wait': { few: '{detail} {count} sekundy.', other: '{detail} {count} sekund.' },
        },
      },
      'pl',
      'Too many requests. 2 sekundy.',
    ],
  ])('%s', (_, messages, accept, text) => {
    expect(inLanguage(messages, accept).text(hurry)).toBe(text)
  })

  test('the language is named where there is more than one', () => {
    expect(inLanguage({ de: german }, 'de-AT').headers).toEqual({ 'Content-Language': 'de' })
    expect(inLanguage({ de: german }, 'fr').headers).toEqual({ 'Content-Language': 'en' })
    expect(inLanguage({ en: { gone: 'Away.' } }, 'en').headers).toEqual({})
    expect(inLanguage(null, 'de').headers).toEqual({})
    expect(inLanguage({ 'pt-br': { gone: 'Foi.' } }, 'PT-br').language).toBe('pt-BR')
  })

  test('only a choice reads the header', () => {
    const header = (): never => {
      throw new Error('It was read.')
    }
    expect(wordsFor({ settings: { messages: null }, header }).language).toBe('en')
    expect(wordsFor({ settings: { messages: { en: {} } }, header }).language).toBe('en')
  })

  test('values are not searched for parameters', () => {
    const asked = Message.of('unsupported_media_type', { type: '{type}{count}$&' })
    expect(String(asked)).toBe('This address does not accept bodies of type "{type}{count}$&".')
  })

  test('one has a form of its own', () => {
    expect(String(Message.of('page.bytes', { count: 1 }))).toBe('1 byte.')
    expect(inLanguage({ de: german }, 'de').text(Message.of('page.bytes', { count: 0 }))).toBe(
      '0 Bytes.',
    )
  })
})

describe.each(LANGUAGES)('%s is complete, and in %s', (tag, _, catalogue) => {
  const textsOf = (template: Template): string[] =>
    typeof template === 'string' ? [template] : Object.values(template)
  const keys = Object.keys(english) as (keyof typeof english)[]

  test('each sentence has one, with the same parameters in each of its forms', () => {
    expect(keys.length).toBeGreaterThan(300)
    const differing = keys.filter((key) => {
      const names = new Set(textsOf(english[key]).flatMap(parametersOf))
      const texts = textsOf(catalogue[key] ?? {})
      return (
        !texts.length ||
        texts.some((text) => !isDeepStrictEqual(new Set(parametersOf(text)), names))
      )
    })
    expect(differing).toEqual([])
  })

  test('none of its longer sentences is another language', () => {
    const others = LANGUAGES.filter(([other]) => other !== tag)
    const long = keys.filter((key) => textsOf(catalogue[key]).join('').split(' ').length > 3)
    const same = ([, , other]: (typeof others)[number]) =>
      long.filter((key) => String(textsOf(other[key])) === String(textsOf(catalogue[key])))
    expect(others.flatMap(same)).toEqual([])
  })
})
