import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DATA } from '../../conformance/data.ts'
import { Client, loadCases, runCase } from '../../conformance/data/replay.mjs'
import { type ServiceProcess, startService } from '../../conformance/service-process.ts'
import * as errors from '../../src/core/errors/api-errors.ts'
import * as colophon from '../../src/index.ts'
import { type MessageKey, english } from '../../src/core/messages/english.ts'
import { type Template, parametersOf } from '../../src/core/messages/forms.ts'
import { Message } from '../../src/core/messages/message.ts'

const sources = Object.fromEntries(
  globSync('src/**/*.{ts,eta}')
    .filter((file) => !file.startsWith('src/core/messages/'))
    .map((file) => [file, readFileSync(file, 'utf8').replace(/^\s*(?:\*|\/\/|\/\*\*).*$/gm, '')]),
)
const keys = Object.keys(english) as MessageKey[]

/** Keys that templates build, by their beginning. Every key of `status.` is one. */
const COMPUTED: Readonly<Record<string, readonly string[]>> = {
  account: ['sessions', 'tokens'],
  admin: ['activate', 'activate.sure', 'audit', 'deactivate', 'deactivate.sure', 'tokens'],
  authentication_failed: ['encoding'],
  form: ['patch', 'post', 'put'],
  mail: ['email-changed', 'email-confirm', 'password-reset', 'register-known', 'register'].flatMap(
    (kind) => [`${kind}.subject`, `${kind}.text`],
  ),
  permission_denied: [
    'cookie-malformed',
    'cookie-missing',
    'cookie-withheld',
    'origin-mismatch',
    'referer-insecure',
    'referer-malformed',
    'referer-mismatch',
    'referer-missing',
    'token-incorrect',
    'token-malformed',
    'token-missing',
  ],
}

test('every message has a use', () => {
  const text = Object.values(sources).join('\n')
  const unused = keys.filter((key) => !key.startsWith('status.') && !text.includes(`'${key}'`))
  // The page of the route `admin-users` is named by `admin.users`.
  const computed = Object.entries(COMPUTED).flatMap(([beginning, ends]) =>
    new RegExp(`\`${beginning}[.-]\\$\\{`).test(text)
      ? ends.map((end) => `${beginning}.${end}`)
      : [],
  )
  expect(keys.length).toBeGreaterThan(300)
  expect(unused.toSorted()).toEqual(computed)
})

describe('no sentence for clients stands outside of the catalogue', () => {
  const refusals = [
    ...Object.keys(errors).filter((name) => /^[A-Z]/.test(name)),
    'OffsetTooLarge',
    'ErrorDetail',
  ]
  /** The beginning of a text: alone, in a list or as a member of an object. */
  const text = String.raw`(?:[[{(]\s*|[\w[\]'.]+:\s*)*['"\x60]`
  const rules: readonly [what: string, pattern: RegExp][] = [
    [
      'an error with a text',
      new RegExp(String.raw`new (?:${refusals.join('|')})\(\s*${text}`, 'g'),
    ],
    ['an account with a text', /new InvalidAccount\(\s*'\w+',\s*['"`]/g],
    ['a refusal with a text', /\brefused\(\s*(?:`|'[^']* |'[A-Z])/g],
    ['a permission with a text', /allowed: false, message: ['"`]/g],
    ['a class with a text', /static (?:override )?readonly detail(?:: \w+)? = ['"`]/g],
    ['a body with a text', /\bdetail: ['"`][A-Z]/g],
  ]

  test.each(rules)('%s', (_, pattern) => {
    const found = Object.entries(sources).flatMap(([file, source]) =>
      [...source.matchAll(pattern)].map(([match]) => `${file}: ${match}`),
    )
    // These texts come from others, and only their code is ours.
    expect(found.filter((each) => !/ErrorDetail\(\w/.test(each))).toEqual([])
  })

  test('the rules find what they look for', () => {
    const planted = [
      "new ParseError('No.')",
      "new InvalidAccount('name', 'No.')",
      "refused('No way.')",
      "{ allowed: false, message: 'No.' }",
      "static override readonly detail = 'No.'",
      "{ detail: 'No.' }",
      "new ValidationError({ [name]: ['No.'] })",
    ]
    const unseen = planted.filter((code) => !rules.some(([, pattern]) => code.match(pattern)))
    expect(unseen).toEqual([])
  })
})

/** Arguments of the classes that have no text without them. */
const ARGUMENTS: Readonly<Record<string, readonly unknown[]>> = {
  CsrfFailed: ['cookie-missing'],
  InvalidAccount: ['name', Message.of('blank')],
  MethodNotAllowed: ['BREW'],
  OffsetTooLarge: [1],
  PayloadTooLarge: [1],
  UnsupportedMediaType: ['a/b'],
}

describe('the default text of every error class is in the catalogue', () => {
  const classes = Object.entries({ ...colophon, ...errors }).filter(
    ([, value]) => typeof value === 'function' && value.prototype instanceof Error,
  )
  const own = classes.filter(
    ([, kind]) =>
      (kind as object) === errors.ApiError ||
      (kind as Function).prototype instanceof errors.ApiError,
  )

  test.each(own)('%s', (name, kind) => {
    const error = Reflect.construct(
      kind as new () => errors.ApiError,
      ARGUMENTS[name] ?? [],
    ) as errors.ApiError
    const leaves = leavesOf(error.inWords(({ key }) => `«${key}»`).detail)
    // A code beside the sentence is for programs.
    const { code } = kind as typeof errors.ApiError
    const sentences = leaves.filter((text) => text !== code)
    expect(sentences).toEqual([expect.stringMatching(/^«.+»$/)])
  })
})

describe('the conformance run', () => {
  let service: ServiceProcess
  const answers: { path: string; status: number; type: string; text: string }[] = []

  beforeAll(async () => {
    process.env['MESSAGES'] = JSON.stringify({ en: marked() })
    service = await startService(DATA)
    const exchange = Client.prototype.exchange
    Client.prototype.exchange = async function recorded(...asked) {
      const answer = await exchange.apply(this, asked)
      const type = String(answer.headers['content-type'] ?? '')
      answers.push({ path: asked[1], status: answer.status, type, text: answer.text })
      return answer
    }
    for (const one of loadCases([join(DATA, 'cases')])) {
      if (JSON.stringify(one).match(/"status":\s*4\d\d/)) await runCase(service.url, one)
    }
  })

  afterAll(async () => {
    delete process.env['MESSAGES']
    await service.stop()
  })

  test('every refusal is in the catalogue', () => {
    const owns = ownTexts()
    const refusals = answers.filter(
      ({ path, status, type, text }) =>
        // Endpoints below this path show codes and full details instead.
        !path.startsWith('/codes/') && status >= 400 && text !== '' && type.includes('json'),
    )
    const strange = refusals.flatMap(({ path, status, text }) =>
      leavesOf(sentencesIn(JSON.parse(text)))
        .filter((sentence) => !sentence.startsWith('«') && !owns.includes(sentence))
        .map((sentence) => `${status} ${path}: ${sentence}`),
    )
    expect(refusals.length).toBeGreaterThan(300)
    expect([...new Set(strange)]).toEqual([])
  })
})

/** Every message as its key and its parameters. */
function marked(): Record<string, string> {
  return Object.fromEntries(
    keys.map((key) => {
      const template: Template = english[key]
      const names = parametersOf(typeof template === 'string' ? template : template.other)
      return [key, `«${key}» ${names.map((name) => `{${name}}`).join(' ')}`.trimEnd()]
    }),
  )
}

/** Messages of refusals by the conformance service itself. */
function ownTexts(): string {
  return globSync(['conformance/**/*.ts', 'conformance/data/*.json'])
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
}

/** The parts of a problem that people read. */
function sentencesIn(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('type' in body)) return body
  const { title, detail, errors: list } = body as Record<string, unknown>
  return [title, detail, messagesIn(list)]
}

function messagesIn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if ('message' in value) return value.message
  return Object.values(value).map(messagesIn)
}

function leavesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null)
    return value === undefined ? [] : [typeof value === 'string' ? value : JSON.stringify(value)]
  if (value instanceof colophon.ErrorDetail) return [value.message]
  return Object.values(value).flatMap(leavesOf)
}
