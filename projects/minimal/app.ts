import { defineApi, defineUrls } from 'colophon'

const urls = defineUrls({ home: '/', health: '/health/', hello: '/hello/:name/' })

const api = defineApi({ urls })

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
