import { defineApi, defineUrls } from 'colophon'

const urls = defineUrls({ home: '/', health: '/health/', hello: '/hello/:name/' })

const api = defineApi({
  urls,
  // What comes later is safe by default: no page is longer, misspelt parameters and members of a body are 400, of wrong
  // passwords the eleventh in ten minutes is 429, and where throttles are set, answers say how much is left.
  maxPageSize: 100,
  strictQuery: true,
  strictBody: true,
  credentialFailures: '10/10m',
  rateLimitHeaders: true,
})

const home = api
  .endpoint('home', { description: 'Where to begin.' })
  .get(({ reverse }) => ({ hello: reverse('hello', { name: 'world' }) }))

const health = api
  .endpoint('health', { description: 'Answers 200 while the service runs.' })
  .get(() => ({ ok: true }))

const hello = api
  .endpoint('hello', { description: 'Greets whom the address names.' })
  .get(({ params }) => ({ hello: params.name }))

export default api.serve([home, health, hello])
