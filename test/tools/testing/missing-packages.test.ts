// What `expectContract()` says in a project that has not installed its packages.
import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'

const ENTRIES = ['src/index.ts', 'src/testing.ts'].map((file) => pathToFileURL(file).href)

/** In a thread of its own, since a module that was found once is not looked for again. */
const WITHOUT = `
const { registerHooks } = require('node:module')
const { parentPort, workerData } = require('node:worker_threads')
registerHooks({
  resolve(name, context, next) {
    if (name === 'ajv-formats') throw new Error('Cannot find package')
    return next(name, context)
  },
})
async function ask([index, testing]) {
  const { defineApi, configurationOf } = await import(index)
  const { client } = await import(testing)
  const api = defineApi({ urls: { cities: '/cities/' } })
  const app = api.serve([api.endpoint('cities').get(() => [])], { configuration: configurationOf() })
  await client(app).expectContract().get('/cities/')
}
ask(workerData).then(() => 'It was answered.', String).then((said) => parentPort.postMessage(said))`

test('the next request says how to install them', async () => {
  const thread = new Worker(WITHOUT, { eval: true, workerData: ENTRIES })
  const [said] = (await once(thread, 'message')) as readonly string[]
  await thread.terminate()
  expect(said).toContain('Run: npm install --save-dev ajv ajv-formats')
})
