// The same work with express-rate-limit, rate-limiter-flexible and @fastify/rate-limit: the cost of a limit, and the number of
// requests that pass.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { startRedis } from '../../scripts/servers/redis.ts'
import { run } from '../../scripts/run.ts'
import { type ServerProcess, startServer } from '../http/server-process.ts'
import { compareCost } from './cost.ts'

/** Starts a server with this limit, which counts in a Redis if one is given. */
type Start = (limit: number, seconds: number, redis?: string) => Promise<ServerProcess>

/** `ours`: starts the service in this folder. */
export async function comparePeers(rounds: number, ours: Start): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-peers-'))
  const redis = await startRedis()
  try {
    cpSync(fileURLToPath(new URL('peers', import.meta.url)), folder, { recursive: true })
    await run(`npm install --prefix ${folder} --no-audit --no-fund --loglevel=error`)
    const peer =
      (name: string): Start =>
      async (limit, seconds, url = '') =>
        startServer(pathToFileURL(join(folder, `${name}.mjs`)), [`${limit}`, `${seconds}`, url])
    const starts: Readonly<Record<string, Start>> = {
      colophon: ours,
      'express-rate-limit': peer('express'),
      'rate-limiter-flexible': peer('flexible'),
      '@fastify/rate-limit': peer('fastify'),
    }
    for (const [name, start] of Object.entries(starts)) {
      for (const url of [undefined, redis.url]) {
        const store = url === undefined ? 'memory' : 'redis'
        const cost = await compareCost(await start(10_000, 60, url), '/hello', rounds)
        const passed = await passing(start, url)
        console.log(`${name.padEnd(22)} ${store.padEnd(6)} ${cost}; let through ${passed}`)
      }
    }
  } finally {
    await redis.stop()
    rmSync(folder, { recursive: true })
  }
}

/** How many of 1,000 requests at once pass a limit of 100, and how many pass in a period from the middle of another. */
async function passing(start: Start, redis?: string): Promise<string> {
  // With Redis, four processes share the counters.
  const servers = await Promise.all(
    Array.from({ length: redis ? 4 : 1 }, () => start(100, 3, redis)),
  )
  const ports = servers.map(({ port }) => port)
  try {
    const atOnce = await ask(ports, 1000, '10.1.0.1')
    await ask(ports, 1, '10.1.0.2')
    await wait(2700)
    const before = await ask(ports, 250, '10.1.0.2')
    await wait(500)
    const within = before + (await ask(ports, 250, '10.1.0.2'))
    return `${atOnce} of 1,000 at once, ${within} of 500 around the edge of a period`
  } finally {
    for (const server of servers) server.stop()
  }
}

const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, milliseconds))

async function ask(ports: readonly number[], requests: number, client: string): Promise<number> {
  const statuses = await Promise.all(
    Array.from({ length: requests }, async (_, i) => {
      const url = `http://127.0.0.1:${ports[i % ports.length]}/hello/throttled/`
      const { status, body } = await fetch(url, { headers: { 'X-Forwarded-For': client } })
      await body?.cancel()
      return status
    }),
  )
  return statuses.filter((status) => status === 200).length
}
