// Node runs programs that no compiler has seen: what types refuse there is refused in words at the start.
import { describe, expect, test } from 'vitest'
import {
  ConfigurationError,
  IsAuthenticated,
  PageNumberPagination,
  action,
  arraySource,
  defineApi,
  field,
  resource,
  serializer,
} from 'colophon'

const api = defineApi({ urls: { 'tag-list': '/tags/', 'tag-detail': '/tags/:id<int>/' } })
const rows = arraySource([{ id: 1, name: 'red' }], { key: 'id' })
const tag = serializer({ id: field.integer({ readOnly: true }), name: field.text() })

/** As plain JavaScript calls it. */
type Any = (...given: readonly unknown[]) => unknown
const kinds = field as unknown as Readonly<Record<string, Any>>

describe('an option that is not there', () => {
  test.each<[what: string, make: () => unknown, message: string]>([
    [
      'of an action of it',
      () =>
        (resource as Any)(api, 'tag', {
          store: rows,
          serializer: tag,
          only: [],
          actions: { list2: { detail: false, post: { perform: () => null, ouput: tag } } },
        }),
      'An action: there is no option "ouput". Did you mean "output"?',
    ],
    [
      'of an action by itself',
      () => (action as Any)({ perform: () => null, permision: [] }),
      'An action: there is no option "permision". Did you mean "permissions"?',
    ],
    [
      'of a serializer',
      () => (serializer as Any)({ id: field.integer() }, { validator: [] }),
      'serializer(): there is no option "validator". Did you mean "validators"?',
    ],
    [
      'of this kind of field',
      () => (serializer as Any)({ count: kinds['integer']!({ maxLength: 3 }) }),
      'The field "count" of a serializer has no option "maxLength".',
    ],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow(message)
  })

  test('of an item of a list is refused; one that is undefined is not there', () => {
    const items = kinds['list']!(kinds['integer']!({ mn: 1 }))
    expect(() => (serializer as Any)({ items })).toThrow(
      '"items" of a serializer has no option "mn"',
    )
    const free = kinds['text']!({ min: undefined })
    expect(() => (serializer as Any)({ free }, { validator: undefined })).not.toThrow()
  })

  test('of each kind of field is refused, and its own are not', () => {
    const own: Readonly<Record<string, readonly [...given: unknown[]]>> = {
      text: [
        { minLength: 1, maxLength: 2, pattern: /a/, allowBlank: true, trim: false, secret: true },
      ],
      email: [{ maxLength: 2 }],
      url: [{ schemes: ['https'] }],
      slug: [{ maxLength: 2 }],
      uuid: [{ label: 'Id' }],
      ip: [{ version: 4 }],
      integer: [{ min: 1, max: 2 }],
      bigInteger: [{ min: 1, max: 2, coerceToString: true }],
      float: [{ min: 1, max: 2 }],
      decimal: [
        { maxDigits: 3, decimalPlaces: 1, min: 1, max: 2, rounding: 'up', coerceToString: false },
      ],
      boolean: [{ default: true }],
      choice: [['a'], { default: 'a' }],
      multipleChoice: [['a'], { allowEmpty: false }],
      list: [field.text(), { allowEmpty: false, minLength: 1, maxLength: 2 }],
      dictionary: [field.text(), { allowEmpty: false }],
      json: [{ nullable: true }],
      date: [{ zone: 'UTC' }],
      time: [{ helpText: 'Then.' }],
      dateTime: [{ zone: 'UTC', naive: 'zone', format: 'unix', as: 'date' }],
      duration: [{ format: 'iso', min: 0, max: 2 }],
      computed: [() => 1, { type: 'integer', schema: {}, label: 'One' }],
      hidden: [() => 1, { always: true, source: 'by' }],
      identity: ['tag-detail', { label: 'Own' }],
      hyperlink: [
        { route: 'tag-detail', find: () => null },
        { as: 'row', source: 'tag_id' },
      ],
      related: [{ find: () => null }, { as: 'row', required: false }],
      nested: [tag, { required: false }],
      file: [{ maxSize: 9, types: ['image/png'], link: 'tag-detail', key: () => 'a' }],
      image: [{ maxSize: 9, maxWidth: 1, maxHeight: 1, minWidth: 1, minHeight: 1, maxPixels: 1 }],
      embed: [{ manyByKey: () => [] }, tag, { source: 'tag' }],
      embedMany: [{ store: { manyBy: () => [] }, by: 'tag' }, tag, { source: 'id' }],
      schema: [
        { '~standard': { version: 1, vendor: 'a', validate: (value: unknown) => ({ value }) } },
        { label: 'A' },
      ],
    }
    expect(Object.keys(own).toSorted()).toEqual(Object.keys(kinds).toSorted())
    for (const [kind, given] of Object.entries(own)) {
      expect(() => (serializer as Any)({ one: kinds[kind]!(...given) })).not.toThrow()
      const wrong = [...given.slice(0, -1), { ...(given.at(-1) as object), readonly: true }]
      expect(() => (serializer as Any)({ one: kinds[kind]!(...wrong) })).toThrow(
        'Did you mean "readOnly"?',
      )
    }
  })
})

test.each([
  [{ permissions: [IsAuthenticated] }, 'In a program, write [new IsAuthenticated()].'],
  [{ permissions: new IsAuthenticated() }, 'In a program, write [new IsAuthenticated(…)].'],
  [{ pagination: PageNumberPagination }, 'In a program, write new PageNumberPagination().'],
])('a class in place of an instance is refused with what to write: %o', (layer, message) => {
  const own = defineApi({ urls: { 'tag-list': '/tags/' }, ...(layer as object) })
  const serving = () => own.serve([own.endpoint('tag-list').get(() => [])])
  expect(serving).toThrow(message)
})
