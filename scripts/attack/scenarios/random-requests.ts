/* oxlint-disable unicorn/no-useless-spread -- each row of values is one */
import { flood } from '../hostile/flood.ts'
import type { Scenario } from '../scenario.ts'
import { told } from '../stage.ts'
import { WRITER } from '../target/tables.ts'
import { pause } from '../tools/pause.ts'

const REQUESTS = 600_000
/** Milliseconds after which fewer requests are enough. */
const PATIENCE = 75_000
/** The bytes of heap, and the open files, that the service may have gained afterwards. */
const [HEAP, DESCRIPTORS] = [10e6, 5]

const PATHS = [
  ...['/hello/', '/token/', '/session/', '/cities/', '/cities/<id>/', '/notes/', '/notes/<slug>/'],
  ...['/echo/', '/nothing/', '/'],
]

/** Every request gets an answer below 500, and leaves nothing behind. */
export const randomRequests: Scenario = {
  name: 'random-requests',
  sends: `up to ${REQUESTS} random requests on 4 connections, all parts of them odd`,
  async run(stage) {
    const service = await stage.onSqlite()
    const world = { paths: PATHS, tokens: [WRITER.token] }
    const seed = Math.floor(Math.random() * 2 ** 32)
    const limits = { connections: 4, seed }
    // Code and data that are prepared once must not count as a leak.
    await flood(service.url, world, { ...limits, requests: 10_000, milliseconds: 10_000 })
    const [heap, descriptors] = [
      (await service.read({ collect: true })).heap,
      service.descriptors(),
    ]
    await stage.measure(service, async () => {
      const all = { ...limits, seed: seed + 4, requests: REQUESTS, milliseconds: PATIENCE }
      const { sent, answers, suspects } = await flood(service.url, world, all)
      stage.note(`seed ${seed}: ${sent} requests, ${told(answers)}`)
      stage.expect('None is an error of ours.', suspects.length === 0)
    })
    await pause(1000)
    const [heapAfter, descriptorsAfter] = [
      (await service.read({ collect: true })).heap,
      service.descriptors(),
    ]
    const megabytes = [heap, heapAfter].map((bytes) => (bytes / 1e6).toFixed(0))
    stage.note(`heap ${megabytes.join(' → ')} MB, descriptors ${descriptors} → ${descriptorsAfter}`)
    stage.expect(`The heap grows by at most ${HEAP / 1e6} MB.`, heapAfter - heap <= HEAP)
    stage.expect('No connection stays behind.', descriptorsAfter - descriptors <= DESCRIPTORS)
  },
}
