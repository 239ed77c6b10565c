// SEC18: the address of a client is that of its connection, or what a trusted server says of it.
// Limits by address wait for throttling. More: test/doors/forwarded-headers.test.ts, test/doors/node-request.test.ts.
import { describe, expect, test } from 'vitest'
import { ask, trustingApp } from '../doors/trust.ts'

const FRAMED = '203.0.113.9'
const FORGED = [
  [`X-Forwarded-For: ${FRAMED}`],
  [`X-Forwarded-For: ${FRAMED}, 127.0.0.1`],
  [`Forwarded: for=${FRAMED}`],
  [`X-Real-IP: ${FRAMED}`],
  [`X-Client-IP: ${FRAMED}`],
  [`CF-Connecting-IP: ${FRAMED}`],
  [`X_Forwarded_For: ${FRAMED}`],
]

describe.each([
  ['nobody is trusted', []],
  ['another server is trusted', ['192.0.2.1']],
])('where %s', (_, TRUSTED_PROXIES) => {
  test.each(FORGED)('%s says nothing', async (...headers) => {
    const { facts } = await ask(trustingApp({ TRUSTED_PROXIES }), headers)
    expect(facts.address).toBe('127.0.0.1')
  })
})

describe('where this peer is trusted', () => {
  const app = trustingApp({ TRUSTED_PROXIES: ['127.0.0.1', '192.0.2.0/24'] })
  test.each([
    ['the last one that is no server of ours counts', '198.51.100.7', '198.51.100.7'],
    ['what the client put in front does not', `${FRAMED}, 198.51.100.7`, '198.51.100.7'],
    [
      'servers of ours in between are passed over',
      `${FRAMED}, 198.51.100.7, 192.0.2.4`,
      '198.51.100.7',
    ],
  ])('%s', async (_, sent, address) => {
    const { facts } = await ask(app, [`X-Forwarded-For: ${sent}`])
    expect(facts.address).toBe(address)
  })

  test('another header is not believed', async () => {
    const { facts } = await ask(app, [`X-Real-IP: ${FRAMED}`])
    expect(facts.address).toBe('127.0.0.1')
  })
})
