import { describe, expect, test } from 'vitest'
import { AcceptHeaderVersioning, configurationOf, defineApi } from '../../../src/index.ts'
import { expectLinear } from '../../setup/linear.ts'

describe('V20 Accept headers that want to be expensive', () => {
  test.each([
    ['many ranges', (size: number) => 'a/b;version=v1,'.repeat(size / 15)],
    ['many ranges that fit', (size: number) => '*/*;version=v1,'.repeat(size / 15)],
    ['many parameters', (size: number) => `application/json${';version=v1'.repeat(size / 11)}`],
    ['many quotes', (size: number) => `application/json;version=${'"\\'.repeat(size / 2)}`],
    [
      'a quote without an end',
      (size: number) => `application/json;version="${'v,;'.repeat(size / 3)}`,
    ],
    ['blanks', (size: number) => `application/json;${' '.repeat(size)}version=v1`],
    ['digits', (size: number) => `application/json;q=0.${'1'.repeat(size)};version=v1`],
    ['slashes', (size: number) => `${'/'.repeat(size)};version=v1`],
    ['a long version', (size: number) => `application/json;version=${'v'.repeat(size)}`],
  ])('%s cost what their length costs', async (_, make) => {
    expect([200, 406]).toContain(await answer(make(16 << 10)))
    await expectLinear((size) => answer(make(size)), { size: 4 << 10 })
  })
})

const api = defineApi({ urls: { a: '/a/' }, versioning: new AcceptHeaderVersioning() })
const app = api.serve([api.endpoint('a').get(({ version }) => version)], {
  configuration: configurationOf(),
})

async function answer(accept: string): Promise<number> {
  const { status } = await app.handle({
    method: 'GET',
    target: '/a/',
    scheme: 'http',
    environ: {},
    body: null,
    header: (name) => (name === 'accept' ? accept : name === 'host' ? 'localhost' : null),
  })
  return status
}
