import { describe, expect, test } from 'vitest'
import { RemoteUserAuthentication } from '../../../src/policies/authentication/remote-user.ts'
import type { RemoteUserBackend, User } from '../../../src/core/ports/credentials.ts'
import type { Environ } from '../../../src/core/ports/http-adapter.ts'
import type { Incoming } from '../../../src/core/ports/request.ts'
import { ConfigurationError } from '../../../src/core/errors/configuration-error.ts'
import { ada, eve } from '../../behaviour/fixtures.ts'

const people = new Map<string, User>([ada, eve].map((user) => [user.username, user]))

function backend(): RemoteUserBackend & { readonly asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    remoteUser(username) {
      asked.push(username)
      return people.get(username) ?? null
    },
  }
}

/** A request that reads, of which this scheme may see method and environ and nothing else. */
const asking = (environ: Environ): Incoming =>
  new Proxy({ environ, method: 'GET' } as Incoming, {
    get(request, name) {
      if (name === 'environ' || name === 'method') return request[name]
      throw new Error(`It looked at ${String(name)}.`)
    },
  })

describe('the remote-user scheme', () => {
  test.each<[title: string, environ: Environ, user: User | null, asked: readonly string[]]>([
    ['RU4 a known user', { REMOTE_USER: 'ada' }, ada, ['ada']],
    ['RU3 no variable', {}, null, []],
    ['RU3 one that says nothing', { REMOTE_USER: undefined }, null, []],
    ['RU3 an empty one', { REMOTE_USER: '' }, null, []],
    ['RU5 a user who is switched off', { REMOTE_USER: 'eve' }, null, ['eve']],
    ['nobody that the backend knows', { REMOTE_USER: 'joe' }, null, ['joe']],
    ['RU1 the server variable of a header', { HTTP_REMOTE_USER: 'ada' }, null, []],
  ])('%s', async (_, environ, user, asked) => {
    const users = backend()
    const identity = await new RemoteUserAuthentication({ users }).authenticate(asking(environ))
    expect(identity).toEqual(user === null ? null : { user, auth: null })
    expect(users.asked).toEqual(asked)
  })

  test('RU1 another variable, by option or in a variant', async () => {
    class CertificateAuthentication extends RemoteUserAuthentication {
      override readonly variable = 'SSL_CLIENT_S_DN_CN'
    }
    const users = backend()
    const schemes = [
      new CertificateAuthentication({ users }),
      new RemoteUserAuthentication({ users, variable: 'SSL_CLIENT_S_DN_CN' }),
    ]
    for (const scheme of schemes) {
      expect(await scheme.authenticate(asking({ SSL_CLIENT_S_DN_CN: 'ada' }))).toEqual({
        user: ada,
        auth: null,
      })
      expect(await scheme.authenticate(asking({ REMOTE_USER: 'ada' }))).toBeNull()
    }
  })

  test('a backend that takes its time', async () => {
    const users = { remoteUser: async () => ada }
    const scheme = new RemoteUserAuthentication({ users })
    expect(await scheme.authenticate(asking({ REMOTE_USER: 'ada' }))).toMatchObject({ user: ada })
  })

  test('RU6 it has no challenge', () => {
    expect('authenticateHeader' in new RemoteUserAuthentication({ users: backend() })).toBe(false)
  })

  test('I9 it needs a channel', () => {
    const service = { hasSecret: false, routes: [] }
    const scheme = new RemoteUserAuthentication({ users: backend() })
    expect(scheme.check({ ...service, remoteUserSource: null })).toMatch(/REMOTE_USER_SOURCE/)
    expect(scheme.check({ ...service, remoteUserSource: 'environ' })).toBeNull()
    expect(
      scheme.check({ ...service, remoteUserSource: { header: 'X-User', proxies: ['unix'] } }),
    ).toBeNull()
  })

  const origin = 'https://api.example.com'
  test.each<[title: string, method: string, headers: Record<string, string>, refused: boolean]>([
    ['a program', 'POST', {}, false],
    ['our own page', 'POST', { origin, 'sec-fetch-site': 'same-origin' }, false],
    ['a person who types the address', 'POST', { 'sec-fetch-site': 'none' }, false],
    ['another site', 'POST', { origin: 'https://evil.example' }, true],
    ['another scheme', 'PUT', { origin: 'http://api.example.com' }, true],
    ['another port', 'PATCH', { origin: 'https://api.example.com:8443' }, true],
    ['a page that hides', 'DELETE', { origin: 'null' }, true],
    ['another site, by the browser alone', 'POST', { 'sec-fetch-site': 'cross-site' }, true],
    ['a neighbour', 'POST', { 'sec-fetch-site': 'same-site' }, true],
    ['a method of one’s own', 'PURGE', { origin: 'https://evil.example' }, true],
    ['another site that reads', 'GET', { origin: 'https://evil.example' }, false],
    ['or asks whether it may', 'OPTIONS', { 'sec-fetch-site': 'cross-site' }, false],
  ])('I18, D14 %s', async (_, method, headers, refused) => {
    const header = (name: string): string | null => headers[name] ?? null
    const facts = { method, header, origin, trustedOrigins: [], environ: { REMOTE_USER: 'ada' } }
    const request = facts as unknown as Incoming
    const users = backend()
    const scheme = new RemoteUserAuthentication({ users })
    const ask = async (): Promise<unknown> => scheme.authenticate(request)
    if (refused) await expect(ask()).rejects.toMatchObject({ status: 403 })
    else expect(await ask()).toMatchObject({ user: ada })
    expect(users.asked).toEqual(refused ? [] : ['ada'])
    expect(await scheme.authenticate({ ...request, environ: {} })).toBeNull()
  })

  test.each<[options: object, message: RegExp]>([
    [{ users: null }, /RemoteUserAuthentication: "users" must be an object with remoteUser\(\)/],
    [{ users: {} }, /RemoteUserAuthentication: "users" must be an object with remoteUser\(\)/],
    [{ users: backend(), variable: '' }, /"variable" must be a text/],
    [{ users: backend(), variable: 7 }, /"variable" must be a text/],
  ])('options that cannot work: %j', (options, message) => {
    const make = (): unknown =>
      new RemoteUserAuthentication(options as { users: RemoteUserBackend })
    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow(message)
  })
})
