// Five endpoints with one mistake, each in its own layer.
import { BasicAuthentication, defineApi, defineUrls } from 'colophon'

const users = { authenticate: () => Promise.resolve(null) }
const urls = defineUrls({ a: '/a/', b: '/b/', c: '/c/', d: '/d/', e: '/e/', open: '/open/' })
const api = defineApi({ urls })
const names = ['a', 'b', 'c', 'd', 'e'] as const

export default api.serve([
  api.endpoint('open').get(() => null),
  ...names.map((name) =>
    api.endpoint(name, { authentication: [new BasicAuthentication({ users })] }).get(() => null),
  ),
])
