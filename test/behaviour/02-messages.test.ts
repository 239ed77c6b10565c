import { describe, expect, test } from 'vitest'
import {
  HTMLRenderer,
  type Incoming,
  JSONParser,
  JSONRenderer,
  NotFound,
  StaticHTMLRenderer,
  configurationOf,
  defineApi,
  serializer,
  defineUrls,
  field,
  german,
  handleException,
  reply,
} from '../../src/index.ts'
import { type Row, throughDoors } from './doors.ts'

const urls = defineUrls({
  plain: '/plain/',
  group: '/group/',
  endpoint: '/endpoint/',
  english: '/english/',
  own: '/own/',
  handled: '/handled/',
  page: '/page/',
  browse: '/browse/',
  note: '/note/',
  ok: '/ok/',
})

const lines = serializer({
  lines: field.list(field.text({ maxLength: 3 }), { maxLength: 1 }),
})

const missing = (): never => {
  throw new NotFound()
}

const app = (messages: unknown) => {
  const api = defineApi({ urls, renderers: [new JSONRenderer()], parsers: [new JSONParser()] })
  const group = api.group({ messages: { de: { not_found: 'Nichts in der Gruppe.' } } })
  return api.serve(
    [
      api.endpoint('plain').get(missing),
      group.endpoint('group').get(missing),
      group.endpoint('endpoint', { messages: { fr: { not_found: 'Rien ici.' } } }).get(missing),
      group.endpoint('english', { messages: null }).get(missing),
      api.endpoint('own').get(() => {
        throw new NotFound('No page of ours.')
      }),
      api
        .endpoint('handled', {
          exceptionHandler: (error: unknown, request: Incoming) => {
            const answer = handleException(error, request)
            return answer && reply({ problem: answer.data }, answer)
          },
        })
        .get(missing),
      api.endpoint('browse', { renderers: [new HTMLRenderer()] }).get(() => ({ ok: true })),
      api.endpoint('page', { renderers: [new StaticHTMLRenderer()] }).get(missing),
      api.endpoint('note').post(async (request) => lines.parse(await request.body(), request)),
      api.endpoint('ok').get(() => ({ ok: true })),
    ],
    { configuration: configurationOf(messages === undefined ? {} : { MESSAGES: messages }) },
  )
}

const GERMAN = { detail: german.not_found }
const ENGLISH = { detail: 'There is nothing at this address.' }
const asks = (language: string) => ({ headers: { 'accept-language': language } })

const speaks = (language: string, data: unknown) => ({
  status: 404,
  data,
  headers: { 'content-language': language, vary: /(^|, )Accept-Language(,|$)/ },
})
const silent = (data: unknown) => ({
  status: 404,
  data,
  headers: { 'content-language': null, vary: /^(?!.*Accept-Language)/ },
})

describe('a second language, switched on by one key', () => {
  throughDoors(app(['de']), [
    ['the language that is asked for', 'GET /plain/', speaks('de', GERMAN), asks('de')],
    ['by its region', 'GET /plain/', speaks('de', GERMAN), asks('de-AT')],
    ['in any case', 'GET /plain/', speaks('de', GERMAN), asks('DE-at')],
    ['the heavier one', 'GET /plain/', speaks('de', GERMAN), asks('en;q=0.5, de;q=0.6')],
    ['the first of equals', 'GET /plain/', speaks('en', ENGLISH), asks('en, de')],
    ['the next one where one is unknown', 'GET /plain/', speaks('de', GERMAN), asks('fr, de')],
    ['nothing asked: English', 'GET /plain/', speaks('en', ENGLISH)],
    ['an unknown one: English', 'GET /plain/', speaks('en', ENGLISH), asks('tlh')],
    ['any: English', 'GET /plain/', speaks('en', ENGLISH), asks('*')],
    ['any but English', 'GET /plain/', speaks('de', GERMAN), asks('*, en;q=0')],
    ['refused: English', 'GET /plain/', speaks('en', ENGLISH), asks('de;q=0')],
    ['a header that cannot be read', 'GET /plain/', speaks('en', ENGLISH), asks(';;,q=,de_DE,@')],
    ['one that is too long', 'GET /plain/', speaks('en', ENGLISH), asks(`${'a-'.repeat(3000)}b`)],
    ['one of many', 'GET /plain/', speaks('de', GERMAN), asks(`de${', fr'.repeat(3000)}`)],
    ['an address that does not exist', 'GET /nowhere/', speaks('de', GERMAN), asks('de')],
    [
      'a problem: title and detail',
      'GET /plain/',
      {
        status: 404,
        headers: { 'content-language': 'de', 'content-type': 'application/problem+json' },
        text: /"title":"Nicht gefunden".*"detail":"Unter dieser Adresse gibt es nichts\."/,
      },
      {
        headers: { 'accept-language': 'de', accept: 'application/problem+json, application/json' },
      },
    ],
    [
      'a page',
      'GET /page/',
      {
        status: 404,
        headers: { 'content-language': 'de', vary: /Accept-Language/ },
        text: /<html lang="de">[^]*404 Nicht gefunden[^]*Unter dieser Adresse gibt es nichts\./,
      },
      asks('de'),
    ],
    [
      'a page that succeeds has words, too',
      'GET /browse/',
      {
        status: 200,
        headers: { 'content-language': 'de', vary: /Accept-Language/ },
        text: /<html lang="de" [^]*Daten der Antwort/,
      },
      asks('de'),
    ],
    [
      'fields in lists',
      'POST /note/',
      {
        status: 400,
        data: { lines: { 0: ['Verwenden Sie höchstens 3 Zeichen.'] } },
        headers: { 'content-language': 'de' },
      },
      { ...asks('de'), json: { lines: ['four'] } },
    ],
    [
      'one form for one, another for more',
      'POST /note/',
      { status: 400, data: { lines: ['Senden Sie höchstens 1 Eintrag.'] } },
      { ...asks('de'), json: { lines: ['a', 'b'] } },
    ],
    [
      'a handler of errors gets the words',
      'GET /handled/',
      speaks('de', { problem: GERMAN }),
      asks('de'),
    ],
    [
      "an application's own text stays, and does not vary",
      'GET /own/',
      silent({ detail: 'No page of ours.' }),
      asks('de'),
    ],
    [
      'what succeeds has no language',
      'GET /ok/',
      { status: 200, headers: { 'content-language': null, vary: null } },
      asks('de'),
    ],
  ] satisfies Row[])
})

describe('the last word wins, nothing merges', () => {
  throughDoors(app({ en: { not_found: 'Gone fishing.' } }), [
    ['a key', 'GET /plain/', silent({ detail: 'Gone fishing.' }), asks('de')],
    ['a group', 'GET /group/', speaks('de', { detail: 'Nichts in der Gruppe.' }), asks('de')],
    ['a group leaves English as shipped', 'GET /group/', speaks('en', ENGLISH), asks('en')],
    ['an endpoint', 'GET /endpoint/', speaks('fr', { detail: 'Rien ici.' }), asks('de, fr;q=0.5')],
    [
      'an endpoint has no language of its group',
      'GET /endpoint/',
      speaks('en', ENGLISH),
      asks('de'),
    ],
    ['null: English, as shipped', 'GET /english/', silent(ENGLISH), asks('de')],
  ] satisfies Row[])
})

describe('nothing configured', () => {
  throughDoors(app(undefined), [
    ['no header changes', 'GET /plain/', silent(ENGLISH), asks('de')],
    ['whatever is asked', 'GET /plain/', silent(ENGLISH), asks(';')],
  ] satisfies Row[])
})

test('what is wrong refuses to start', () => {
  expect(() => app({ de: { not_fond: 'x' } })).toThrow(
    'MESSAGES (configuration) has "not_fond" in "de", which is not the key of a message. Did you mean "not_found"?',
  )
})
