import { defineApi, defineUrls } from 'colophon'

const urls = defineUrls({ home: '/', health: '/health/', hello: '/hello/:name/' })

const api = defineApi({
  urls,
  // These settings keep later endpoints safe: they limit pages, refuse misspelt parameters and members with a 400 and the
  // eleventh wrong password in ten minutes with a 429, and tell the remaining requests of throttles.
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
