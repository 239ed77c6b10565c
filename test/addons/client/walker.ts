// A process that walks on from a checkpoint, takes some rows, and ends: node walker.ts URL CHECKPOINT ROWS
import { type Contract, createClient } from '../../../src/client.ts'

interface Numbers extends Contract {
  readonly version: null
  readonly operations: {
    readonly rows: { readonly get: { readonly data: { results: readonly { id: number }[] } } }
  }
}

const [baseUrl = '', checkpoint = '', most = ''] = process.argv.slice(2)
const client = createClient<Numbers>({
  baseUrl,
  routes: { rows: '/rows/' },
  version: null,
  retry: { retries: 20, firstWait: 1, longestWait: 5 },
})
const walk = checkpoint === '' ? client.rows('rows') : client.rows('rows').resume(checkpoint)
const taken: number[] = []
let isOver = true
for await (const { id } of walk)
  if (taken.push(id) === Number(most)) {
    isOver = false
    break
  }
console.log(JSON.stringify({ taken, checkpoint: walk.checkpoint(), isOver }))
// Connections that are kept would keep the process, too.
process.exit()
