// SEC28: the cost of finding an endpoint grows with the path, and no faster. More: test/core/urls/match.test.ts.
import { expect, test } from 'vitest'
import { configurationOf, defineApi } from '../../src/index.ts'
import { client } from '../../src/testing.ts'
import { expectLinear } from '../setup/linear.ts'

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
  await expectLinear(
    async (length) => {
      const path = start + piece.repeat(length / piece.length)
      expect((await get(path)).status).toBeLessThan(500)
    },
    { size: 16_384 },
  )
})
