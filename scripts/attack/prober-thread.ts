// The thread of a prober.
import { Agent, get } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

/** Milliseconds between two requests. */
const INTERVAL = 20
/** Milliseconds after which a request counts as hanging. */
const PATIENCE = 15_000

const { url, headers } = workerData as {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}
const agent = new Agent({ keepAlive: true, localAddress: '127.0.0.1' })
const answers: Record<string, number> = {}
const underWay = new Set<Promise<void>>()
let [longest, asked] = [0, 0]

await ask()
;[longest, asked] = [0, 0]
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
parentPort!.postMessage('ready')
const timer = setInterval(() => {
  asked++
  const request = ask().finally(() => underWay.delete(request))
  underWay.add(request)
}, INTERVAL)

parentPort!.once('message', () => {
  clearInterval(timer)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  void Promise.all(underWay).then(() => parentPort!.postMessage({ longest, asked, answers }))
})

function ask(): Promise<void> {
  const begun = performance.now()
  return new Promise((resolve) => {
    const settle = (outcome: string): void => {
      answers[outcome] = (answers[outcome] ?? 0) + 1
      longest = Math.max(longest, performance.now() - begun)
      resolve()
    }
    const request = get(url, { agent, headers }, (response) => {
      response.resume().once('end', () => settle(String(response.statusCode)))
      response.once('error', () => settle('reset'))
    })
    request.once('error', () => settle('reset'))
    request.setTimeout(PATIENCE, () => {
      settle('hang')
      request.destroy()
    })
  })
}
