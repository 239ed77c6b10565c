// SEC4: who is named by a header is named by a trusted server in front, or not at all.
// More: test/core/serving/forwarded-headers.test.ts, test/behaviour/07-remote-user.test.ts.
import { describe, expect, test } from 'vitest'
import { raw, lines } from '../core/serving/sockets.ts'
import { attacked, onSocket } from './service.ts'

const HEADER = 'Remote-User'
const FORGED = [
  [`${HEADER}: alice`],
  ['REMOTE_USER: alice'],
  ['Remote_User: alice'],
  ['X_Remote_User: alice'],
  ['remote-user: alice', 'REMOTE-USER: alice'],
  ['HTTP_REMOTE_USER: alice'],
  ['X-Forwarded-User: alice'],
  ['X-Forwarded-For: 10.0.0.1', `${HEADER}: alice`],
]

const ask = async (url: string, headers: readonly string[]): Promise<string> => {
  const all = ['Host: localhost', ...headers, 'Connection: close']
  const text = await raw(url, lines('GET /by/remote/ HTTP/1.1', ...all))
  return `${text.slice(9, 12)} ${text.includes('"alice"') ? 'alice' : 'nobody'}`
}

describe.each([
  ['nobody is trusted', {}],
  ['another server is trusted', { REMOTE_USER_SOURCE: { header: HEADER, proxies: ['192.0.2.1'] } }],
])('where %s', async (_, keys) => {
  const { url } = await onSocket((await attacked(keys)).app)
  test.each(FORGED)('%s names nobody', async (...headers) => {
    expect(await ask(url, headers)).toBe('403 nobody')
  })
})

describe('where this peer is trusted', async () => {
  const keys = { REMOTE_USER_SOURCE: { header: HEADER, proxies: ['127.0.0.1'] } }
  const { url } = await onSocket((await attacked(keys)).app)
  test.each([
    ['one name counts', [`${HEADER}: alice`], '200 alice'],
    ['two are refused', [`${HEADER}: alice`, `${HEADER}: ivan`], '400 nobody'],
    [
      'another spelling beside it says nothing',
      [`${HEADER}: alice`, 'Remote_User: ivan'],
      '200 alice',
    ],
    ['another spelling alone names nobody', ['REMOTE_USER: alice'], '403 nobody'],
    [
      'the same name twice is refused too',
      [`${HEADER}: alice`, 'remote-user: alice'],
      '400 nobody',
    ],
    ['a name of the prototype names nobody', ['__proto__: alice'], '403 nobody'],
    [
      'and is nothing beside the header',
      ['__proto__: ivan', `${HEADER}: alice`, '__proto__: ivan'],
      '200 alice',
    ],
  ])('%s', async (_, headers, outcome) => {
    expect(await ask(url, headers)).toBe(outcome)
  })
})

describe('where the header has a name that every object knows', async () => {
  const keys = { REMOTE_USER_SOURCE: { header: 'Constructor', proxies: ['127.0.0.1'] } }
  const { url } = await onSocket((await attacked(keys)).app)
  test.each([
    ['it names the user', ['Constructor: alice'], '200 alice'],
    ['without it there is none', [], '403 nobody'],
    ['two are refused', ['Constructor: alice', 'constructor: ivan'], '400 nobody'],
  ])('%s', async (_, headers, outcome) => {
    expect(await ask(url, headers)).toBe(outcome)
  })
})

test.each([
  ['without a word on who names users', null],
  ['with a header and no trusted servers', { header: HEADER }],
  ['with a header and an empty list of them', { header: HEADER, proxies: [] }],
])('%s the service does not start', async (_, source) => {
  await expect(attacked({ REMOTE_USER_SOURCE: source })).rejects.toThrow(/REMOTE_USER_SOURCE/)
})
