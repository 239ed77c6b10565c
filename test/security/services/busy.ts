// A service that its clients keep busy, and one address that breaks what no request can answer for.
import { setTimeout as wait } from 'node:timers/promises'
import { defineApi } from 'colophon'

const api = defineApi({
  urls: { busy: '/busy/', slow: '/slow/', thrown: '/thrown/' },
  authentication: [],
})

export default api.serve([
  api.endpoint('busy').get(async () => {
    await wait(1)
    return { text: 'x'.repeat(1000) }
  }),
  api.endpoint('slow').get(async () => {
    await wait(300)
    return { slow: true }
  }),
  api.endpoint('thrown').get(() => {
    setTimeout(() => {
      throw new Error('thrown from a timer')
    }, 5)
    return { thrown: 'soon' }
  }),
])
