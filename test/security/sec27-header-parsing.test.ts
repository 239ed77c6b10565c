// SEC27: the cost of reading a header grows with its length, and no faster. More: test/core/std/, test/core/serving/node-protection.test.ts.
import { test } from 'vitest'
import { AcceptHeaderVersioning, configurationOf, defineApi } from '../../src/index.ts'
import { client } from '../../src/testing.ts'
import { expectLinear } from '../setup/linear.ts'
import { attacked } from './service.ts'

const { get } = await attacked({ TRUSTED_PROXIES: ['127.0.0.1'] })
const api = defineApi({ urls: { versioned: '/' }, versioning: new AcceptHeaderVersioning() })
const versioned = client(
  api.serve([api.endpoint('versioned', { authentication: [] }).get(() => 'x')], {
    configuration: configurationOf(),
  }),
)

/** Pieces that are repeated until the header is long. */
const PIECES: readonly (readonly [name: string, start: string, piece: string])[] = [
  ['accept', '', 'a/b;q=0.1,'],
  ['accept', '', ','],
  ['accept', 'a/b', ';x="\\"'],
  ['accept', 'application/json', ' ;\t'],
  ['accept', '*/*;q=', '0'],
  ['accept', '', '*/*;version=v1,'],
  ['accept-language', '', 'a-'],
  ['authorization', 'Token ', ' '],
  ['authorization', 'Basic ', '='],
  ['authorization', '', 'Token '],
  ['cookie', '', 'a=b; '],
  ['cookie', '', ';'],
  ['cookie', 'sessionid="', '\\"'],
  ['content-type', 'multipart/form-data', '; boundary="a'],
  ['forwarded', '', 'for="[::1]",'],
  ['x-forwarded-for', '', '1.1.1.1,'],
  ['x-forwarded-for', '', ' ,'],
  ['range', 'bytes=', '0-1,'],
  ['if-none-match', '', 'W/"a",'],
  ['origin', 'http://', 'a.'],
  ['host', '', 'a.'],
]

test.each(PIECES)('%s of many %j%j', async (name, start, piece) => {
  const header = (length: number): string => start + piece.repeat(length / piece.length)
  await expectLinear(
    async (length) => {
      const headers = { [name]: header(length) }
      await get('/open/', { headers })
      await versioned.get('/', { headers })
    },
    { size: 8192 },
  )
})
