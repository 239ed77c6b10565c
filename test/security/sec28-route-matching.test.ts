// SEC28: the time of finding an endpoint grows with the path, and no faster. More: test/links/match.test.ts.
import { expect, test } from 'vitest'
import { configurationOf, defineApi } from '../../src/index.ts'
import { client } from '../../src/testing.ts'

const api = defineApi({
  urls: {
    number: '/a/:id<int>/',
    text: '/b/:one/:two/',
    path: '/files/:rest<path>',
    uuid: '/u/:id<uuid>/',
    choice: '/c/:kind<alpha|beta>/x/',
    deep: '/b/:one/:two/:three/:four/end/',
  },
})
const endpoints = (['number', 'text', 'path', 'uuid', 'choice', 'deep'] as const).map((name) =>
  api.endpoint(name).get(() => 'found'),
)
const { get } = client(api.serve(endpoints, { configuration: configurationOf() }))

test.each([
  ['/a/', '1'],
  ['/a/', '1/'],
  ['/b/', 'x'],
  ['/b/', 'x/'],
  ['/b/', '/'],
  ['/', '/'],
  ['/', 'a'],
  ['/u/', 'a-'],
  ['/c/', 'alpha'],
  ['/files/', 'x/'],
  ['/files/', '../'],
  ['/', '%61'],
  ['/', '%2F'],
  ['/', '%'],
  ['/', '%c3%a9'],
  ['/b/', '-._~'],
  ['/a/1/?', 'a=b&'],
  ['/a/1/?', '&='],
  ['/a/1/?', '%'],
])('%s with many %s', async (start, piece) => {
  const time = async (length: number): Promise<number> => {
    const path = start + piece.repeat(length / piece.length)
    const times: number[] = []
    for (let i = 0; i < 9; i++) {
      const begun = performance.now()
      expect((await get(path)).status).toBeLessThan(500)
      times.push(performance.now() - begun)
    }
    return Math.min(...times)
  }
  await time(1000)
  // Sixteen times the length: a square would take 256 times as long.
  const [short, long] = [await time(8192), await time(131_072)]
  expect(long).toBeLessThan(Math.max(short, 0.05) * 128)
})
