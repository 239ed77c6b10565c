// What a page offers for sending: how each kind of field is asked for, what stands in it, and what is wrong with it.
import { statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { DEFAULTS } from '../../../src/preset/built-in.ts'
import type { RefusedInput } from '../../../src/addons/pages/page-facts.ts'
import type { InputForm } from '../../../src/core/ports/page.ts'
import type { ApiRequest } from '../../../src/core/ports/request.ts'
import type { Parser } from '../../../src/core/ports/parsing.ts'
import { FileParser, JSONParser, field, serializer } from '../../../src/index.ts'
import { methodForms } from '../../../src/addons/pages/form-model.ts'
import type { FormField } from '../../../src/addons/pages/form-fields.ts'
import { Form } from '../../../src/core/std/http/form.ts'
import { Query } from '../../../src/core/std/http/query.ts'

const requestOf = ({ query = '', ...settings }: { query?: string; parsers?: Parser[] } = {}) =>
  ({
    path: '/books/',
    origin: 'https://api.example',
    query: Query.parse(query),
    settings: { ...DEFAULTS, ...settings },
    version: null,
  }) as unknown as ApiRequest

type Declared = Parameters<typeof serializer>[0]
const formOf = (fields: Declared, values: unknown = null): InputForm => ({
  fields: serializer(fields).describe(requestOf()),
  values,
})

function show(
  form: InputForm,
  {
    method = 'POST',
    methods = null as readonly string[] | null,
    refused = null as RefusedInput | null,
    request = requestOf(),
  } = {},
) {
  return methodForms(
    { methods: methods ?? [method], forms: { [method]: form }, refused, again: null },
    request,
  )[0]!
}

const inner = serializer({ street: field.text() })
const only = (fields: Declared, values?: unknown, method = 'PUT'): FormField =>
  show(formOf({ also: field.text(), ...fields }, values), { method }).fields!.at(-1)!

describe('a field', () => {
  test.each([
    ['a short text', field.text({ maxLength: 50 }), 'x', 'input', 'x'],
    ['a text of any length', field.text(), 'x', 'textarea', 'x'],
    ['a short text with a line break', field.text({ maxLength: 50 }), 'a\nb', 'textarea', 'a\nb'],
    ['a UUID', field.uuid(), 'x', 'input', 'x'],
    ['an IP address', field.ip(), '::1', 'input', '::1'],
    ['a number', field.integer(), 7, 'input', '7'],
    ['a number beyond 2⁵³', field.integer(), 9007199254740993n, 'input', '9007199254740993'],
    ['a truth', field.boolean(), true, 'box', 'true'],
    ['a choice', field.choice(['a', 'b']), 'b', 'select', 'b'],
    ['several choices', field.multipleChoice(['a', 'b']), ['a'], 'boxes', ''],
    ['a list', field.list(field.integer()), [1, 2], 'items', ''],
    ['a list of choices', field.list(field.choice(['a', 'b'])), ['b'], 'boxes', ''],
    ['JSON', field.json(), { a: 1 }, 'textarea', '{\n    "a": 1\n}'],
    ['a file', field.file(), 'https://x/1.pdf', 'file', 'https://x/1.pdf'],
    ['an object', field.nested(inner, { required: false }), { street: 'A' }, 'raw', null],
    ['a list of objects', field.list(field.nested(inner), { required: false }), [], 'raw', null],
    ['what is only read', field.text({ readOnly: true }), 'x', 'shown', 'x'],
  ] as const)('that is %s', (_, declared, value, control, text) => {
    const found = only({ it: declared }, { it: value })
    expect(found.control).toBe(control)
    if (text !== null && !['boxes', 'items'].includes(control)) expect(found.value).toBe(text)
  })

  test('on one line is described by OPTIONS as any other text', () => {
    const { short, text } = formOf({ short: field.uuid(), text: field.text() }).fields
    expect(Object.keys(short!)).toEqual(Object.keys(text!))
  })
  test('of a list shows its items, of choices those that are chosen', () => {
    expect(only({ it: field.list(field.integer()) }, { it: [1, 2] }).items).toEqual(['1', '2'])
    const { groups } = only(
      { it: field.choice({ groups: { A: ['x'], B: { y: 'Y' } } }) },
      { it: 'y' },
    )
    expect(groups).toEqual([
      { heading: 'A', choices: [{ value: 'x', label: 'x', chosen: false }] },
      { heading: 'B', choices: [{ value: 'y', label: 'Y', chosen: true }] },
    ])
  })
  test('W16 of many choices lists a thousand, and says how many are left', () => {
    const many = Array.from({ length: 1003 }, (_, at) => `c${at}`)
    const { groups, left } = only({ it: field.choice(many) })
    expect([groups[0]!.choices.length, left]).toEqual([1000, 3])
  })
  test.each([
    ['2030-01-31', 'date'],
    ['31st', 'text'],
  ])('of a date keeps what a date input would throw away: %s', (value, type) => {
    expect(only({ it: field.date() }, { it: value }).attributes).toEqual({ type })
  })
  test.each(['__proto__', 'constructor', 'toString'])(
    'with the name %s has no value by nature',
    (name) => {
      const fields = Object.fromEntries([
        [name, { type: 'string', required: true, read_only: false }],
      ])
      expect(show({ fields, values: {} }).fields![0]).toMatchObject({
        name,
        value: '',
        errors: [],
        list: null,
      })
    },
  )
})

describe('a form', () => {
  test('W13 to create has no fields that are only read, W14 to change shows them', () => {
    const form = formOf(
      { id: field.integer({ readOnly: true }), title: field.text() },
      { id: 1, title: 'a' },
    )
    expect(show(form).fields!.map(({ name }) => name)).toEqual(['title'])
    expect(show(form, { method: 'PUT' }).fields!.map(({ name }) => name)).toEqual(['id', 'title'])
  })
  test.each([
    [
      'W16 without a parser of forms',
      formOf({ a: field.text() }),
      { request: requestOf({ parsers: [new JSONParser()] }) },
    ],
    ['W16 without fields', { fields: {}, values: null }, {}],
    ['that would lack an object', formOf({ a: field.nested(inner) }), {}],
    ['of a part', formOf({ a: field.text() }), { method: 'PATCH' }],
    [
      'of very many',
      {
        fields: Object.fromEntries(
          Array.from({ length: 501 }, (_, at) => [
            `f${at}`,
            { type: 'string', required: false, read_only: false },
          ]),
        ),
        values: null,
      },
      {},
    ],
  ])('%s is raw data only', (_, form, how) => {
    const { fields, raw } = show(form, how)
    expect([fields, raw.mediaTypes.includes('application/json')]).toEqual([null, true])
  })
  test('W14 of PUT and PATCH is one, with a button for each', () => {
    const forms = methodForms(
      { methods: ['PUT', 'PATCH'], forms: {}, refused: null, again: null },
      requestOf(),
    )
    expect(forms.map(({ method, raw }) => [method, raw.methods])).toEqual([
      ['PUT', ['PUT', 'PATCH']],
    ])
  })
  test('keeps the format of its address, not the page', () => {
    const request = requestOf({ query: 'page=3&format=api&search=x' })
    expect(show(formOf({}), { request }).action).toBe('?format=api')
  })
  test('lists that rows are chosen from are asked for data, on this host only', () => {
    const form = formOf({ a: field.text(), b: field.text() })
    const lists = {
      a: { url: 'https://api.example/users/?format=api', member: 'id' },
      b: { url: 'https://evil.example/users/', member: 'id' },
    }
    const request = requestOf({ query: 'format=api' })
    expect(show({ ...form, lists }, { request }).fields!.map(({ list }) => list)).toEqual([
      { url: '/users/', member: 'id' },
      null,
    ])
  })
})

describe('W15 after a refusal', () => {
  const form = formOf(
    { title: field.text(), tags: field.list(field.text()) },
    { title: 'old', tags: [] },
  )
  const errors = {
    title: ['Too long.'],
    tags: { 1: ['Bad.'] },
    other: ['Odd.'],
    non_field_errors: ['All bad.'],
  }
  const refusedBy = (data: unknown) => ({ method: 'POST', data, errors })

  test.each([
    [
      'a form',
      new Form([
        ['title', 'new'],
        ['tags', 'a'],
        ['tags', 'b'],
      ]),
    ],
    ['JSON', { title: 'new', tags: ['a', 'b'] }],
  ])('shows what was sent as %s, with what is wrong at its fields', (_, data) => {
    const shown = show(form, { refused: refusedBy(data) })
    expect(shown.fields).toMatchObject([
      { value: 'new', errors: ['Too long.'] },
      { items: ['a', 'b'], errors: ['1: Bad.'] },
    ])
    expect(shown).toMatchObject({ isRefused: true, errors: ['other: Odd.', 'All bad.'] })
  })
  test('of PATCH belongs to the form of PUT', () => {
    const refused = { ...refusedBy({ title: 'new' }), method: 'PATCH' }
    expect(show(form, { method: 'PUT', methods: ['PUT', 'PATCH'], refused })).toMatchObject({
      isRefused: true,
      isRaw: true,
      raw: { text: '{\n    "title": "new"\n}' },
    })
  })
  test('the texts of a list of bodies are told too', () => {
    const refused = { method: 'POST', data: [], errors: ['Not a list.'] }
    expect(show(form, { refused }).errors).toEqual(['Not a list.'])
  })
})

const refusedWith = (data: unknown) => ({
  values: null,
  method: 'POST',
  refused: { method: 'POST', data, errors: {} },
})

describe('raw data', () => {
  test('W13 begins with an empty object, in depth', () => {
    const form = formOf({
      id: field.integer({ readOnly: true }),
      title: field.text(),
      count: field.integer(),
      done: field.boolean(),
      kind: field.choice(['a']),
      tags: field.list(field.text()),
      place: field.nested(inner),
    })
    expect(JSON.parse(show(form).raw.text!)).toEqual({
      title: '',
      count: null,
      done: false,
      kind: null,
      tags: [],
      place: { street: '' },
    })
  })
  test('W14 begins with the object, indented by 4', () => {
    const form = formOf(
      { id: field.integer({ readOnly: true }), title: field.text() },
      { id: 1, title: 'a' },
    )
    expect(show(form, { method: 'PUT' }).raw.text).toBe('{\n    "title": "a"\n}')
  })
  test('that is too long for a page is not on it', () => {
    const form = formOf({ title: field.text() }, { title: 'x'.repeat(100_001) })
    expect(show(form, { method: 'PUT' }).raw.text).toBeNull()
  })
  // Without a field a form would take its value away.
  test('what is longer than a page has room for has no form at all', () => {
    const fields = { title: field.text({ required: false }), text: field.text({ required: false }) }
    const shown = (title: string, text: string) =>
      show(formOf(fields, { title, text }), { method: 'PUT' }).fields
    expect(shown('x'.repeat(50_000), 'x'.repeat(50_000))).toHaveLength(2)
    expect(shown('x'.repeat(50_000), 'x'.repeat(50_001))).toBeNull()
  })
  test.each([
    ['a row', (tags: string[]) => ({ values: { tags }, method: 'PUT', refused: null })],
    ['a refused body', (tags: string[]) => refusedWith({ tags })],
    ['a refused form', (tags: string[]) => refusedWith(new Form(tags.map((tag) => ['tags', tag])))],
  ])('is instead of a form that would be mostly markup for the empty items of %s', (_, of) => {
    const fields = { tags: field.list(field.text({ allowBlank: true })) }
    const shown = (count: number) => {
      const { values, ...how } = of(Array(count).fill(''))
      return show(formOf(fields, values), how)
    }
    expect(shown(1_428).fields![0]!.items).toHaveLength(1_428)
    const many = shown(830_000)
    expect(many.fields).toBeNull()
    expect(JSON.stringify(many).length).toBeLessThan(1_000)
  })
  test('is of the types that hands can write', () => {
    const parsing = (mediaType: string) => new FileParser({ mediaType })
    const bytes = ['image/*', 'image/png', 'application/cbor', 'application/x-protobuf', 'text/*']
    const texts = ['text/csv', 'application/vnd.acme.v2+json', 'application/x-ndjson']
    const parsers = [...DEFAULTS.parsers, ...bytes.map(parsing), ...texts.map(parsing)]
    expect(show(formOf({}), { request: requestOf({ parsers }) }).raw.mediaTypes).toEqual([
      'application/json',
      'application/x-www-form-urlencoded',
      ...texts,
    ])
  })
  test('can be pasted into a shell', () => {
    const form = formOf({ title: field.text() }, { title: "it's; $(rm)" })
    expect(show(form, { method: 'PUT' }).raw.curl).toBe(
      "curl -X PUT 'https://api.example/books/' \\\n  -H 'Content-Type: application/json' \\\n" +
        `  --data-binary '{\n    "title": "it'\\''s; $(rm)"\n}'`,
    )
  })
})

test('the script is under 8 kB, and with the style sheet under 30 kB', () => {
  const size = (name: string) =>
    statSync(new URL(`../../../src/addons/pages/templates/${name}`, import.meta.url)).size
  expect(size('script.js')).toBeLessThan(8_000)
  expect(size('script.js') + size('style.css')).toBeLessThan(30_000)
})
