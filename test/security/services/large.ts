// A service of large answers. `node large.ts MEGABYTES MAX_BUFFERED_BYTES`
import { configurationOf, defineApi } from '../../../src/index.ts'
import { serve } from '../../../src/node.ts'

const [megabytes, maxBufferedBytes] = process.argv.slice(2).map(Number)
let handled = 0
const api = defineApi({
  urls: { large: '/large/', memory: '/memory/' },
  authentication: [],
})
const app = api.serve(
  [
    api.endpoint('large').get(() => {
      handled += 1
      return 'x'.repeat(megabytes! * 2 ** 20)
    }),
    api.endpoint('memory').get(() => {
      globalThis.gc?.()
      return { handled, resident: process.memoryUsage().rss }
    }),
  ],
  { configuration: configurationOf({}) },
)
const server = await serve(app, { port: 0, maxBufferedBytes: maxBufferedBytes! })
process.stdout.write(`Listening on ${server.url}\n`)
