import { describe, expect, test } from 'vitest'
import { AcceptHeaderVersioning, configurationOf, defineApi } from '../../src/index.ts'

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
  ])('%s: four times the text, about four times the time', async (_, make) => {
    const [small, large] = [make(4 << 10), make(16 << 10)]
    expect([200, 406]).toContain(await answer(large))
    // Quadratic would be 16. The quickest of many, in turn: the machine has other things to do.
    const [once, more] = await quickest(small, large)
    expect(more).toBeLessThan(9 * once + 0.5)
  })
})

async function quickest(small: string, large: string): Promise<readonly [number, number]> {
  const best: [number, number] = [Infinity, Infinity]
  for (let run = 0; run < 40; run += 1) {
    best[0] = Math.min(best[0], await timeOf(small))
    best[1] = Math.min(best[1], await timeOf(large))
  }
  return best
}

/** In milliseconds. */
async function timeOf(accept: string): Promise<number> {
  const start = performance.now()
  await answer(accept)
  return performance.now() - start
}

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
