// The smallest service.
import { defineApi } from 'colophon'
export const api = defineApi({ urls: { hello: '/hello/' } })
export const hello = api.endpoint('hello').get(() => ({ hello: 'world' }))
export default api.serve([hello])
