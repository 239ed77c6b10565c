import { describe, expect, test } from 'vitest'
import * as colophon from '../../../src/index.ts'
import {
  ConfigurationError,
  PageNumberPagination,
  TokenAuthentication,
  TokenHasScope,
} from '../../../src/index.ts'

const classes = colophon as unknown as Readonly<
  Record<string, new (options: object) => Readonly<Record<string, unknown>>>
>
const make = (name: string, options: object) => new classes[name]!(options)

/** By class: options that it needs, one that it lacks, and the end of the refusal. */
const wrong: readonly [name: string, needed: object, wrong: string, hint: string][] = [
  ['PageNumberPagination', {}, 'pageSise', 'Did you mean "pageSize"?'],
  ['PageNumberPagination', {}, 'pageSizeParam', 'pageSize, pageSizeQueryParam, maxPageSize'],
  ['LimitOffsetPagination', {}, 'limitParam', 'limitQueryParam'],
  // Options of another style.
  ['LimitOffsetPagination', {}, 'pageSize', 'It has '],
  ['CursorPagination', {}, 'orderBy', 'ordering'],
  ['SearchFilter', {}, 'maxTerm', 'Did you mean "maxTerms"?'],
  ['FieldFilter', {}, 'maxLenght', 'Did you mean "maxLength"?'],
  ['AnonRateThrottle', {}, 'rates', 'Did you mean "rate"?'],
  ['UserRateThrottle', {}, 'scopes', 'Did you mean "scope"?'],
  ['ScopedRateThrottle', {}, 'costs', 'Did you mean "cost"?'],
  ['ConcurrencyThrottle', { limit: 1 }, 'second', 'Did you mean "seconds"?'],
  ['BasicAuthentication', { users: {} }, 'relm', 'Did you mean "realm"?'],
  ['TokenAuthentication', { tokens: {} }, 'keywords', 'Did you mean "keyword"?'],
  ['SessionAuthentication', { sessions: {} }, 'crsf', 'Did you mean "csrf"?'],
  ['RemoteUserAuthentication', { users: { remoteUser() {} } }, 'varable', '"variable"?'],
  ['URLPathVersioning', {}, 'defaultVersions', 'Did you mean "defaultVersion"?'],
  ['NamespaceVersioning', {}, 'allowedVersion', 'Did you mean "allowedVersions"?'],
  ['QueryParameterVersioning', {}, 'versionParm', 'Did you mean "versionParam"?'],
  ['AcceptHeaderVersioning', {}, 'version', 'It has defaultVersion, allowedVersions, versionParam'],
  ['HostNameVersioning', {}, 'hostNameRegexp', 'Did you mean "hostnameRegex"?'],
  ['FileParser', {}, 'mediaTypes', 'Did you mean "mediaType"?'],
  ['MultiPartParser', {}, 'file', 'Did you mean "files"?'],
  ['JSONRenderer', {}, 'contentTyp', 'Did you mean "contentType"?'],
  ['TokenHasScope', { scopes: ['read'] }, 'scope', 'Did you mean "scopes"?'],
]

describe('options that a policy does not have', () => {
  test.each(wrong)('%s with %o: "%s" is refused', (name, needed, option, hint) => {
    expect(() => make(name, needed)).not.toThrow()
    const refused = () => make(name, { ...needed, [option]: 1 })
    expect(refused).toThrow(ConfigurationError)
    expect(refused).toThrow(`${name}: there is no option "${option}".`)
    expect(refused).toThrow(hint)
  })

  test('messages of pages, which configuration files cannot set, are options', () => {
    expect(() => new PageNumberPagination({ invalidPageMessage: 'Gone.' })).not.toThrow()
    expect(() => make('CursorPagination', { invalidCursorMessage: 'Gone.' })).not.toThrow()
  })

  test('accounts may be given as they are', () => {
    const accounts = { users: { remoteUser() {} }, tokens: {}, sessions: {}, settings: {} }
    for (const name of ['Basic', 'Token', 'Session', 'RemoteUser'])
      expect(() => make(`${name}Authentication`, accounts)).not.toThrow()
  })
})

test('a value in place of options is refused with the options that there are', () => {
  expect(() => new TokenHasScope('reports' as never)).toThrow(
    'TokenHasScope takes an object of options: scopes',
  )
})

describe('a subclass of an application', () => {
  test('takes options of its own', () => {
    class Labelled extends PageNumberPagination {
      readonly label: string

      constructor(options: { readonly label: string; readonly pageSize?: number }) {
        super(options)
        this.label = options.label
      }
    }
    expect(new Labelled({ label: 'Books', pageSize: 3 }).label).toBe('Books')
  })

  test('that lists them is held to them and to those of its class', () => {
    class Bearer extends TokenAuthentication {
      static override readonly options: readonly string[] = ['issuer']
    }
    const given = (options: object) => () =>
      new Bearer(options as ConstructorParameters<typeof Bearer>[0])
    expect(given({ tokens: {}, issuer: 'us', keyword: 'Bearer' })).not.toThrow()
    expect(given({ tokens: {}, isuer: 'us' })).toThrow(
      'Bearer: there is no option "isuer". Did you mean "issuer"?',
    )
  })
})
