import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  AllowAny,
  CursorPagination,
  IsAuthenticated,
  arraySource,
  defineApi,
  list,
} from '../../../src/index.ts'
import { BUILT_IN } from '../../../src/preset/built-in.ts'
import { ConfigurationError } from '../../../src/core/errors/configuration-error.ts'
import {
  type Configuration,
  configurationOf,
  layerFromKeys,
  layersOf,
  readConfiguration,
} from '../../../src/core/settings/configuration.ts'

const registry = { named: BUILT_IN, services: {} }
let folder: string
let count = 0
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'colophon-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** A working directory with this `colophon.json`. */
function cwdWith(file: unknown, name = 'colophon.json'): string {
  const cwd = join(folder, String((count += 1)))
  mkdirSync(cwd)
  if (file !== undefined)
    writeFileSync(join(cwd, name), typeof file === 'string' ? file : JSON.stringify(file))
  return cwd
}
const read = (file: unknown, env: Record<string, string> = {}): Configuration =>
  readConfiguration({ cwd: cwdWith(file), env })
const said = (configuration: Configuration): Record<string, unknown> =>
  Object.assign({}, ...layersOf(configuration, registry).map(({ values }) => values)) as Record<
    string,
    unknown
  >

describe('where keys are read', () => {
  test('nothing said: no layers and the defaults', () => {
    const configuration = read(undefined)
    expect(layersOf(configuration, registry)).toEqual([])
    expect(configuration.service).toMatchObject({
      host: '127.0.0.1',
      port: 8000,
      secretKey: null,
      publicUrl: null,
    })
    expect(configuration.app).toBeNull()
  })

  test('a mark of the encoding before the file means nothing', () => {
    expect(read('\uFEFF{"PORT": 80}').service.port).toBe(80)
  })

  test('the file of the working directory', () => {
    expect(said(read({ PAGE_SIZE: 5, app: 'app.ts' }))).toEqual({ pageSize: 5 })
    expect(read({ app: 'app.ts' }).app).toBe('app.ts')
  })

  test('the file that COLOPHON_CONFIG names, from the working directory', () => {
    const cwd = cwdWith({ PAGE_SIZE: 9 }, 'other.json')
    expect(said(readConfiguration({ cwd, env: { COLOPHON_CONFIG: 'other.json' } }))).toEqual({
      pageSize: 9,
    })
    expect(
      said(readConfiguration({ cwd: folder, env: { COLOPHON_CONFIG: join(cwd, 'other.json') } })),
    ).toEqual({ pageSize: 9 })
  })

  test('the environment after the file, each as a layer', () => {
    const configuration = read({ PAGE_SIZE: 5, VERSION_PARAM: 'v' }, { COLOPHON_PAGE_SIZE: '7' })
    expect(said(configuration)).toEqual({ pageSize: 7, versionParam: 'v' })
    expect(
      layersOf(configuration, registry)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['colophon.json', 'environment'])
  })

  test('null in the environment switches off what the file says', () => {
    expect(said(read({ PAGE_SIZE: 5 }, { COLOPHON_PAGE_SIZE: 'null' }))).toEqual({ pageSize: null })
  })

  test('an empty value says nothing', () => {
    expect(said(read({ PAGE_SIZE: 5 }, { COLOPHON_PAGE_SIZE: '' }))).toEqual({ pageSize: 5 })
    expect(read(undefined, { PORT: '', COLOPHON_CONFIG: '' }).service.port).toBe(8000)
  })

  test.each<[env: Record<string, string>, service: object]>([
    [{ DATABASE_URL: 'sqlite:a' }, { databaseUrl: 'sqlite:a' }],
    [{ SECRET_KEY: 's' }, { secretKey: 's' }],
    [
      { HOST: '0.0.0.0', PORT: '80' },
      { host: '0.0.0.0', port: 80 },
    ],
    [{ PORT: '80', COLOPHON_PORT: '81' }, { port: 81 }],
    [{ COLOPHON_ALLOWED_HOSTS: 'a.example' }, { allowedHosts: ['a.example'] }],
    [
      { COLOPHON_ALLOWED_HOSTS: 'a.example, .b.example' },
      { allowedHosts: ['a.example', '.b.example'] },
    ],
    [
      { COLOPHON_ALLOWED_HOSTS: '[2001:db8::1], a.example' },
      { allowedHosts: ['[2001:db8::1]', 'a.example'] },
    ],
    [{ COLOPHON_ALLOWED_HOSTS: '["a.example","*"]' }, { allowedHosts: ['a.example', '*'] }],
    [{ COLOPHON_PUBLIC_URL: 'https://a.example' }, { publicUrl: 'https://a.example' }],
    [{ SECRET_KEY: '12345678901234567890' }, { secretKey: '12345678901234567890' }],
    [{ SECRET_KEY: 'true' }, { secretKey: 'true' }],
    [{ COLOPHON_SECRET_KEY_FALLBACKS: 'old' }, { secretKeyFallbacks: ['old'] }],
    [{ COLOPHON_SECRET_KEY_FALLBACKS: 'old,older' }, { secretKeyFallbacks: ['old', 'older'] }],
    [{ COLOPHON_SECRET_KEY_FALLBACKS: '["o,ld"]' }, { secretKeyFallbacks: ['o,ld'] }],
    [{ HOST: '0' }, { host: '0' }],
  ])('%j for the whole service', (env, service) => {
    expect(read(undefined, env).service).toMatchObject(service)
  })

  test.each(['ALLOWED_HOSTS', 'PAGE_SIZE', 'CONFIG', 'DEBUG'])(
    "%s without the prefix is somebody else's",
    (name) => {
      expect(said(read(undefined, { [name]: 'x' }))).toEqual({})
    },
  )
})

describe('values of the environment', () => {
  test('keys without their prefix are named, as nothing reads them', () => {
    const cwd = cwdWith({ PAGE_SIZE: 5 })
    const env = { ALLOWED_HOSTS: 'a', PAGE_SIZE: '7', PUBLIC_URL: 'b', PORT: '80', SHELL: 'sh' }
    const { unread } = readConfiguration({
      cwd,
      env: { ...env, COLOPHON_PUBLIC_URL: 'https://a.example' },
    })
    expect(unread).toEqual(['ALLOWED_HOSTS'])
  })

  test.each<[key: string, text: string, value: unknown]>([
    ['DEFAULT_VERSION', '1.0', '1.0'],
    ['DEFAULT_VERSION', 'v1', 'v1'],
    ['DEFAULT_VERSION', '"quoted"', '"quoted"'],
    ['DEFAULT_VERSION', 'null', null],
    ['VERSION_PARAM', '7', '7'],
    ['NON_FIELD_ERRORS_KEY', 'true', 'true'],
    ['TIME_ZONE', 'Europe/Berlin', 'Europe/Berlin'],
    ['URL_FORMAT_OVERRIDE', 'null', null],
    ['ALLOWED_VERSIONS', '["1.0","2.0"]', ['1.0', '2.0']],
    ['ALLOWED_VERSIONS', '["v1",null]', ['v1', null]],
    ['ALLOWED_VERSIONS', 'v1, v2', ['v1', 'v2']],
    ['ALLOWED_VERSIONS', '1.0', ['1.0']],
    ['ALLOWED_VERSIONS', 'null', null],
    ['QUERY_PARAMS', 'utm_source,7', ['utm_source', '7']],
    ['DEFAULT_PERMISSION_CLASSES', 'IsAuthenticated', [expect.any(IsAuthenticated)]],
    [
      'DEFAULT_PERMISSION_CLASSES',
      'IsAuthenticated, AllowAny',
      [expect.any(IsAuthenticated), expect.any(AllowAny)],
    ],
    ['MESSAGES', 'de', { de: expect.any(Object) }],
    ['PAGE_SIZE', '10', 10],
    ['PAGE_SIZE', ' 10 ', 10],
  ])('COLOPHON_%s=%s', (key, text, value) => {
    expect(Object.values(said(read(undefined, { [`COLOPHON_${key}`]: text })))).toEqual([value])
  })
})

const UNFIT =
  'https://b.example/ b.example:80 b.example. *.example ::1 bücher.example [b .[::1]'.split(' ')

describe('what is wrong is said with the key, its place and what is wanted', () => {
  const complains = (file: unknown, env: Record<string, string>, message: RegExp): void => {
    const reading = (): unknown => said(read(file, env))
    expect(reading).toThrow(ConfigurationError)
    expect(reading).toThrow(message)
  }

  test.each<[title: string, file: unknown, message: RegExp]>([
    [
      'an unknown key',
      { PAGESIZE: 5 },
      /There is no configuration key PAGESIZE\. Did you mean PAGE_SIZE\?/,
    ],
    [
      'a key without its beginning',
      { THROTTLE_RATES: {} },
      /There is no configuration key THROTTLE_RATES\. Did you mean DEFAULT_THROTTLE_RATES\?/,
    ],
    ['a key in lower case', { page_size: 5 }, /There is no configuration key page_size/],
    ['a removed key', { PAGINATE_BY: 5 }, /There is no configuration key PAGINATE_BY/],
    ['a name of every object', { constructor: 5 }, /There is no configuration key constructor/],
    [
      'a text for a number',
      { PAGE_SIZE: 'ten' },
      /PAGE_SIZE \(colophon\.json\) must be a whole number of at least 1, or null, but is "ten"/,
    ],
    [
      'a number for a version',
      { DEFAULT_VERSION: 1 },
      /DEFAULT_VERSION \(colophon\.json\) must be a text.*is 1/,
    ],
    [
      'one version for a list',
      { ALLOWED_VERSIONS: 'v1' },
      /ALLOWED_VERSIONS \(colophon\.json\) must be a list of texts/,
    ],
    [
      'one class for a list',
      { DEFAULT_PERMISSION_CLASSES: 'AllowAny' },
      /DEFAULT_PERMISSION_CLASSES \(colophon\.json\) must be a list of class names/,
    ],
    ['null for a list', { DEFAULT_PERMISSION_CLASSES: null }, /DEFAULT_PERMISSION_CLASSES/],
    [
      'a list for a class',
      { DEFAULT_PAGINATION_CLASS: [] },
      /DEFAULT_PAGINATION_CLASS \(colophon\.json\) must be a class name/,
    ],
    [
      'a port beyond all ports',
      { PORT: 65_536 },
      /PORT \(colophon\.json\) must be a number from 0 to 65535/,
    ],
    ['a text for a port', { PORT: '80' }, /PORT/],
    [
      'an address with a path',
      { PUBLIC_URL: 'https://a.example/api' },
      /PUBLIC_URL \(colophon\.json\) must be an address without a path/,
    ],
    ['an address of another kind', { PUBLIC_URL: 'ftp://a.example' }, /PUBLIC_URL/],
    [
      'hosts that are no texts',
      { ALLOWED_HOSTS: [1] },
      /ALLOWED_HOSTS \(colophon\.json\) must be a list of host names/,
    ],
    ['an app that is no text', { app: 7 }, /"app" must be the path of a module/],
    ['no object', [1], /must hold one JSON object/],
    ['null', 'null', /must hold one JSON object/],
    ['no JSON', '{', /cannot be read as JSON/],
    [
      'a key that stands there twice',
      '{"PORT": 80, "SECRET_KEY": "a", "SECRET_K\\u0045Y": "b"}',
      /colophon\.json cannot be read: "SECRET_KEY" stands there twice\. Remove one of them\./,
    ],
    ['a member that stands there twice', '{"CORS": {"a": [{"b": 1, "b": 2}]}}', /"b" stands/],
    ['lists within lists', `{"CORS": ${'['.repeat(60)}${']'.repeat(60)}}`, /nested too deep/],
    ...UNFIT.map((host): [string, object, RegExp] => [
      `a host that no request has: ${host}`,
      { ALLOWED_HOSTS: ['a.example', host] },
      /ALLOWED_HOSTS \(colophon\.json\): ".*" is no name of a host\. Write/,
    ]),
  ])('%s', (_, file, message) => complains(file, {}, message))

  test.each<[title: string, env: Record<string, string>, message: RegExp]>([
    [
      'an unknown key, with its prefix',
      { COLOPHON_PAGE_SISE: '5' },
      /There is no configuration key COLOPHON_PAGE_SISE\. Did you mean PAGE_SIZE\?/,
    ],
    [
      'a text for a number',
      { COLOPHON_PAGE_SIZE: 'ten' },
      /PAGE_SIZE \(environment\) must be a whole number.*is "ten"/,
    ],
    [
      'a port that is none',
      { PORT: 'http' },
      /PORT \(environment\) must be a number from 0 to 65535/,
    ],
    [
      'a file that is not there',
      { COLOPHON_CONFIG: 'nowhere.json' },
      /COLOPHON_CONFIG names .*nowhere\.json, which does not exist/,
    ],
  ])('%s', (_, env, message) => complains(undefined, env, message))

  test('hosts of the environment whose quotes a shell has eaten', () => {
    complains(undefined, { COLOPHON_ALLOWED_HOSTS: '[a.example,b.example]' }, /"\[a\.example" is/)
  })

  test('a file of another encoding, in which a secret would be another one', () => {
    const cwd = cwdWith(undefined)
    writeFileSync(join(cwd, 'colophon.json'), Buffer.from('{"SECRET_KEY":"caf\u00e9"}', 'latin1'))
    const reading = (): unknown => readConfiguration({ cwd, env: {} })
    expect(reading).toThrow(/colophon\.json cannot be read: .*encoded data was not valid/)
  })

  test.each([
    { SECRET_KEY: 12_345 },
    { SECRET_KEY: ['hush-hush'] },
    { SECRET_KEY: { a: 'hush-hush' } },
  ])('a wrong secret is not shown', (file) => {
    expect(() => read(file)).toThrow(
      /^SECRET_KEY \(colophon\.json\) must be a text that is not empty\.$/,
    )
  })

  test.each([
    '{"SECRET_KEY": hush-hush}',
    '{"SECRET_KEY": "hush-hush" oops',
    '{"SECRET_KEY": "hush-hush"',
  ])('a file that is no JSON does not show what stands in it: %s', (text) => {
    expect(() => read(text)).toThrow(/colophon\.json cannot be read as JSON/)
    expect(() => read(text)).not.toThrow(/hush/)
  })

  test.each(['[v1, v2]', "['v1', 'v2']", '["v1", "v2",]', '"v1","v2"', '{"v1":1'])(
    'what begins like JSON and is none is no list: %s',
    (text) => {
      const reading = (): unknown => said(read(undefined, { COLOPHON_ALLOWED_VERSIONS: text }))
      expect(reading).toThrow(/ALLOWED_VERSIONS .*must be a list of texts/)
    },
  )

  test('a folder in place of the file', () => {
    const cwd = cwdWith(undefined)
    mkdirSync(join(cwd, 'colophon.json'))
    expect(() => readConfiguration({ cwd, env: {} })).toThrow(
      /colophon\.json cannot be read: EISDIR/,
    )
  })
})

describe('configurationOf and layerFromKeys', () => {
  test('keys said in a program', () => {
    const configuration = configurationOf({ PAGE_SIZE: 3, PORT: 1 })
    expect([said(configuration), configuration.service.port]).toEqual([{ pageSize: 3 }, 1])
    expect(layersOf(configuration, registry)[0]!.name).toBe('configuration')
    expect(() => configurationOf({ PAGE_SIZ: 3 })).toThrow(/PAGE_SIZE/)
  })

  test('NODE_ENV makes it one of production, as it does what the environment has; unless somebody says otherwise', () => {
    onTestFinished(() => void vi.unstubAllEnvs())
    const api = defineApi({
      urls: { numbers: '/numbers/' },
      pagination: new CursorPagination({ ordering: 'id', pageSize: 1 }),
      logger: { error: () => undefined },
    })
    const numbers = api
      .endpoint('numbers')
      .get(list({ source: arraySource([{ id: 1 }], { key: 'id' }) }))
    const facts = (configuration: Configuration) => {
      const { production, service } = configuration
      let serves = true
      try {
        api.serve([numbers], { configuration })
      } catch (error) {
        expect(String(error)).toContain('SECRET_KEY')
        serves = false
      }
      return { production, serves, secure: service.sessionCookieSecure }
    }
    const keys = { SECRET_KEY: 'x' }
    for (const mode of ['production', 'development', undefined]) {
      vi.stubEnv('NODE_ENV', mode)
      const environment = { SECRET_KEY: 'x', ...(mode && { NODE_ENV: mode }) }
      const cwd = cwdWith(undefined)
      expect(facts(configurationOf(keys))).toEqual(
        facts(readConfiguration({ cwd, env: environment })),
      )
      const strict = { production: true, serves: false, secure: true }
      const lenient = { production: false, serves: true, secure: 'auto' }
      expect(facts(configurationOf(keys))).toEqual(mode === 'production' ? strict : lenient)
      expect(facts(configurationOf(keys, { production: true }))).toEqual(strict)
      expect(facts(configurationOf(keys, { production: false }))).toEqual(lenient)
    }
  })

  test('the keys of a behaviour belong to one endpoint', () => {
    expect(layerFromKeys({ PAGE_SIZE: 3 }, registry, 'GET of a')).toEqual({ pageSize: 3 })
    expect(() => layerFromKeys({ PORT: 3 }, registry, 'GET of a')).toThrow(
      'GET of a: PORT belongs to the whole service.',
    )
    expect(() => layerFromKeys({ PAGE_SIZE: 0 }, registry, 'GET of a')).toThrow(
      /PAGE_SIZE \(GET of a\)/,
    )
  })
})
