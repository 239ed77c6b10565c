// The benefit of keeping PostgreSQL's rows as texts: CPU time of a server for a request, ours ÷ the same service with the
// values that `pg` makes. Both use `rowMode: 'array'`, named prepared statements and pipelines, in interleaved rounds.
// `npm run bench -- postgres-rows [rounds]`
import { compare } from '../http/rounds.ts'
import { startServer } from '../http/server-process.ts'
import { startPostgres } from '../../scripts/servers/postgres.ts'
import { createWorld } from './world.ts'

const rounds = Number(process.argv[2] ?? 15)
const WORKS = {
  'a list of 100 rows': 'hundred/',
  'a page of 25': 'page/?page=3',
  'one row': 'one/7/',
}

const { url, stop } = await startPostgres()
await createWorld(url)
const server = await startServer(new URL('server.ts', import.meta.url), [url])
const asking = (path: string) => ({
  server,
  request: () => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n`,
})
try {
  for (const [name, path] of Object.entries(WORKS)) {
    await checkSame(`/ours/${path}`, `/pg/${path}`)
    for (const connections of [1, 16]) {
      const { low, median, high, own, hand } = await compare({
        ours: asking(`/ours/${path}`),
        theirs: asking(`/pg/${path}`),
        connections,
        requests: 200,
        rounds,
      })
      const [ratio, from, to] = [median, low, high].map((each) => each.toFixed(2))
      const costs = `${own.toFixed(0)} : ${hand.toFixed(0)} µs`
      console.log(`${name}, ${connections} at a time: ${costs}, × ${ratio} (${from} to ${to})`)
    }
  }
} finally {
  server.stop()
  await stop()
}

/** Checks that both give the same answers, without which a comparison is unfair. */
async function checkSame(...paths: readonly string[]): Promise<void> {
  const [one, other] = await Promise.all(
    paths.map(async (each) => {
      const answer = await fetch(`http://127.0.0.1:${server.port}${each}`)
      const text = await answer.text()
      return `${answer.status} ${text.replaceAll(/\/(?:ours|pg)\//g, '/')}`
    }),
  )
  if (one !== other || !one?.startsWith('200 '))
    throw new Error(`${paths.join()} differ: ${one?.slice(0, 200)} : ${other?.slice(0, 200)}`)
}
