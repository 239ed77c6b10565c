// The measured service, as short as the one by hand.
import { defineApi, defineUrls } from 'colophon'

const api = defineApi({ urls: defineUrls({ hello: '/' }) })

export default api.serve([api.endpoint('hello').get(() => ({ hello: 'world' }))])
