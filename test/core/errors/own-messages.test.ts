// Sentences of an application, in the language of the request.
import { describe, expect, test } from 'vitest'
import { ConfigurationError } from '../../../src/core/errors/configuration-error.ts'
import {
  type Messages,
  PermissionDenied,
  ValidationError,
  configurationOf,
  create,
  defineApi,
  defineMessages,
  defineUrls,
  field,
  serializer,
} from '../../../src/index.ts'
import { client } from '../../../src/testing.ts'
import type { Permission } from '../../../src/types.ts'

const say = defineMessages({
  en: {
    overlap: '{doctor} has an appointment then.',
    'overlap.many': {
      one: '{count} appointment is in the way.',
      other: '{count} appointments are.',
    },
    closed: 'Closed on Sundays.',
  },
  de: {
    overlap: '{doctor} hat dann einen Termin.',
    'overlap.many': { one: 'Ein Termin ist im Weg.', other: '{count} Termine sind im Weg.' },
    closed: 'Sonntags geschlossen.',
  },
  'pt-BR': {
    overlap: '{doctor} está ocupado.',
    'overlap.many': '{count} consultas.',
    closed: 'Fechado aos domingos.',
  },
})

class Weekdays implements Permission {
  readonly message = say('closed')
  hasPermission(): boolean {
    return false
  }
}

function serve(messages: Messages | null) {
  const api = defineApi({ urls: defineUrls({ visits: '/visits/', closed: '/closed/' }), messages })
  const visit = serializer({
    at: field.integer({ validators: [(at) => (at === 7 ? say('closed') : null)] }),
  })
  const save = ({ at }: { at: number }) => {
    if (at === 1) throw new ValidationError({ at: [say('overlap', { doctor: '{Ada}' })] })
    if (at === 2) throw new PermissionDenied(say('overlap.many', { count: 1 }))
    if (at === 3) throw new PermissionDenied(say('overlap.many', { count: 2 }), 'busy')
    return { at }
  }
  return client(
    api.serve(
      [
        api.endpoint('visits').post(create({ serializer: visit, save })),
        api.endpoint('closed', { permissions: [new Weekdays()] }).get(() => 'open'),
      ],
      { configuration: configurationOf() },
    ),
  )
}

const both: Messages = { en: {}, de: {}, 'pt-BR': { invalid: 'Inválido.' } }

describe('in the language of the request', () => {
  test.each<[language: string, at: number, expected: unknown]>([
    ['en', 1, { at: ['{Ada} has an appointment then.'] }],
    ['de-AT', 1, { at: ['{Ada} hat dann einen Termin.'] }],
    ['pt-BR', 1, { at: ['{Ada} está ocupado.'] }],
    ['fr', 1, { at: ['{Ada} has an appointment then.'] }],
    ['de', 2, { detail: 'Ein Termin ist im Weg.' }],
    ['en', 2, { detail: '1 appointment is in the way.' }],
    ['de', 3, { detail: '2 Termine sind im Weg.' }],
    ['de', 7, { at: ['Sonntags geschlossen.'] }],
  ])('%s %i', async (language, at, expected) => {
    const headers = { 'accept-language': language }
    const answer = await serve(both).post('/visits/', { json: { at }, headers })
    expect(answer.data).toEqual(expected)
    expect(answer.header('vary')).toMatch(/Accept-Language/)
  })

  test('as the message of a permission', async () => {
    const headers = { 'accept-language': 'de' }
    expect((await serve(both).get('/closed/', { headers })).data).toEqual({
      detail: 'Sonntags geschlossen.',
    })
  })

  test('a service of one language speaks that one', async () => {
    const headers = { 'accept-language': 'de' }
    const answer = await serve(null).post('/visits/', { json: { at: 7 }, headers })
    expect(answer.data).toEqual({ at: ['Closed on Sundays.'] })
  })
})

test('the code is that of the error, and the log is in English', () => {
  const error = new ValidationError({ at: [say('overlap', { doctor: 'Ada' })] })
  expect(error.codes).toEqual({ at: ['invalid'] })
  expect(String(say('overlap', { doctor: 'Ada' }))).toBe('Ada has an appointment then.')
})

test('without English, the first language stands for those that it lacks', () => {
  const diga = defineMessages({ es: { hola: 'Hola.' }, it: { hola: 'Ciao.' } })
  expect(String(diga('hola'))).toBe('Hola.')
})

describe('with a hole it does not start', () => {
  test.each<[title: string, catalogues: object, expected: string]>([
    ['a key', { en: { a: 'A' }, de: {} }, 'defineMessages has no "a" in "de".'],
    [
      'a parameter',
      { en: { a: '{x}' }, de: { a: 'A' } },
      'defineMessages has "a" in "de", which must show {x}.',
    ],
    [
      'a parameter of its own',
      { en: { a: '{x}' }, de: { a: '{x} {y}' } },
      'defineMessages has "a" in "de", which has no parameter {y}: it has {x}.',
    ],
    [
      'a form for other numbers',
      { en: { a: '{count}' }, de: { a: { one: 'eins' } } },
      'defineMessages has "a" in "de", which must have the plural form "other".',
    ],
    [
      'a language that is none',
      { en: { a: 'A' }, 'no such': { a: 'A' } },
      'defineMessages names the language "no such", which is not a language tag such as "de" or "pt-BR".',
    ],
    [
      'a text',
      { en: { a: '' } },
      'defineMessages has "a" in "en", which must be a text that is not empty.',
    ],
  ])('%s', (_title, catalogues, expected) => {
    expect(() => defineMessages(catalogues as { en: { a: string } })).toThrow(
      new ConfigurationError(expected),
    )
  })
})
