import { describe, expect, test } from 'vitest'
import { DEFAULTS } from '../../../src/preset/built-in.ts'
import { ConfigurationError } from '../../../src/core/errors/configuration-error.ts'
import { german } from '../../../src/core/messages/german.ts'
import { messagesFromValue } from '../../../src/core/messages/words.ts'
import { configurationOf, layersOf } from '../../../src/core/settings/configuration.ts'
import { fold } from '../../../src/core/settings/fold.ts'

describe('what is wrong with messages is refused at start-up', () => {
  test.each<[title: string, messages: unknown, problem: string]>([
    [
      'no object',
      'German',
      'must be an object of messages by language, a list of shipped languages, or null, but is "German".',
    ],
    [
      'a list',
      [],
      'must be an object of messages by language, a list of shipped languages, or null, but is [].',
    ],
    [
      'an unknown message',
      { en: { not_foud: 'x' } },
      'has "not_foud" in "en", which is not the key of a message. Did you mean "not_found"?',
    ],
    [
      'one that is like none',
      { en: { xyzzy: 'x' } },
      'has "xyzzy" in "en", which is not the key of a message.',
    ],
    [
      'a name of every object',
      { en: { constructor: 'x' } },
      'has "constructor" in "en", which is not the key of a message.',
    ],
    [
      'messages without a language',
      { not_found: 'x' },
      'holds messages by language: write { "en": { "not_found": … } }.',
    ],
    [
      'no tag',
      { 'de_AT!': {} },
      'names the language "de_AT!", which is not a language tag such as "de" or "pt-BR".',
    ],
    ['a language twice', { de: {}, DE: {} }, 'has the language "de" twice.'],
    [
      'a language that is not shipped, without messages',
      { fr: {} },
      'has no messages for "fr", and Colophon ships none: it has en, de.',
    ],
    [
      'a text for a language',
      { de: 'germn' },
      'names "germn" for "de", which is not a shipped language. Did you mean "german"?',
    ],
    ['null for a language', { de: null }, 'must have an object of messages for "de".'],
    [
      'a number for a text',
      { en: { gone: 1 } },
      'has "gone" in "en", which must be a text, or an object with plural forms.',
    ],
    [
      'an empty text',
      { en: { gone: '' } },
      'has "gone" in "en", which must be a text that is not empty.',
    ],
    [
      'an unknown parameter',
      { en: { gone: 'Since {year}.' } },
      'has "gone" in "en", which has no parameter {year}: it has none.',
    ],
    [
      'another name',
      { en: { payload_too_large: 'At most {limt}.' } },
      'has "payload_too_large" in "en", which has no parameter {limt}: it has {limit}.',
    ],
    [
      'a missing parameter',
      { en: { payload_too_large: 'Too large.' } },
      'has "payload_too_large" in "en", which must show {limit}.',
    ],
    [
      'forms without a number',
      { en: { gone: { other: 'x' } } },
      'has "gone" in "en", which must be a text: it has no {count}, and so no plural forms.',
    ],
    [
      'an unknown form',
      { en: { 'page.bytes': { two: '2', three: '3', other: '{count}' } } },
      'has "page.bytes" in "en", which has no plural form "three": there is zero, one, two, few, many, other.',
    ],
    [
      'no form for the others',
      { en: { 'page.bytes': { one: '{count}' } } },
      'has "page.bytes" in "en", which must have the plural form "other".',
    ],
  ])('%s', (_, messages, problem) => {
    const folding = (): unknown =>
      fold(DEFAULTS, [{ name: 'group', values: { messages } as object }])
    expect(folding).toThrow(ConfigurationError)
    expect(folding).toThrow(`group: "messages" ${problem}`)
  })

  test('a key is named with its place', () => {
    const configuration = configurationOf({ MESSAGES: { en: { gon: 'x' } } })
    expect(() => layersOf(configuration, { named: {}, services: {} })).toThrow(
      'MESSAGES (configuration) has "gon" in "en", which is not the key of a message. Did you mean "gone"?',
    )
  })
})

describe('the key MESSAGES', () => {
  test.each<[title: string, value: unknown, setting: unknown]>([
    ['tags of shipped languages', ['de'], { de: {} }],
    ['the name of a shipped language', { de: 'german' }, { de: german }],
    ['sentences', { en: { gone: 'Away.' } }, { en: { gone: 'Away.' } }],
    ['nothing', null, null],
  ])('%s', (_, value, setting) => {
    expect(messagesFromValue(value)).toEqual(setting)
    const [layer] = layersOf(configurationOf({ MESSAGES: value }), { named: {}, services: {} })
    expect(layer?.values.messages).toEqual(setting)
  })
})

test('a form for one number may leave the number out', () => {
  const messages = { en: { 'page.bytes': { one: 'A byte.', other: '{count} bytes.' } } }
  expect(fold(DEFAULTS, [{ name: 'api', values: { messages } }]).settings.messages).toBe(messages)
})
