import { configurationOf, defineApi } from 'colophon'
import { serve } from 'colophon/node'
import { tellParent } from './http/server-process.ts'
const api = defineApi({ urls: { hello: '/hello/' } })
const hello = api.endpoint('hello').get(() => ({ hello: 'world' }))
const server = await serve(api.serve([hello], { configuration: configurationOf() }), { port: 0 })
tellParent(Number(new URL(server.url).port))
