// R43, I11: an answer that may look otherwise for another `Accept` says so, however few renderers there are.
import { expect, test } from 'vitest'
import { JSONRenderer, NotFound, configurationOf, defineApi, reply } from '../../src/index.ts'
import { client } from '../../src/testing.ts'

const api = defineApi({
  urls: { fine: '/fine/', missing: '/missing/', broken: '/broken/', own: '/own/', post: '/post/' },
  logger: { error: () => {} },
  authentication: [],
  renderers: [new JSONRenderer()],
})
const app = api.serve(
  [
    api.endpoint('fine').get(() => 'fine'),
    api.endpoint('missing').get(() => {
      throw new NotFound()
    }),
    api.endpoint('broken').get(() => {
      throw new Error('broke')
    }),
    api.endpoint('own', { exceptionHandler: () => reply('mine', { status: 418 }) }).get(() => {
      throw new NotFound()
    }),
    api.endpoint('post').post(({ body }) => body()),
  ],
  { configuration: configurationOf({}) },
)

test.each([
  ['an error of an endpoint', '/missing/', 404, 'Accept'],
  ['an error that nobody foresaw', '/broken/', 500, 'Accept'],
  ['an address that is not there', '/nowhere/', 404, 'Accept'],
  ['a method without a handler', '/post/', 405, 'Accept'],
  // Here nothing was chosen by `Accept`.
  ['an answer in the one form there is', '/fine/', 200, null],
  ['the answer of an exception handler of the application', '/own/', 418, null],
])('%s', async (_, path, status, vary) => {
  for (const accept of ['application/json', 'application/json, application/problem+json']) {
    const response = await client(app).get(path, { headers: { accept } })
    expect([response.status, response.header('vary')]).toEqual([status, vary])
  }
})
