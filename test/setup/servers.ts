// Servers and installed packages for tests, in the process of the runner: each one starts when a test first asks for it, once
// for all tests of a run, and stops at the end of the run.
import { createServer } from 'node:http'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { startMariadb } from '../../scripts/servers/mariadb.ts'
import { startPostgres } from '../../scripts/servers/postgres.ts'
import { startRedis } from '../../scripts/servers/redis.ts'
import type { Running } from '../../scripts/servers/run-server.ts'
import { makePackages } from './packages.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address that test files, which run in other threads, ask for those of servers. */
    readonly servers: string
  }
}

const starts: Readonly<Record<string, () => Promise<Running>>> = {
  '/postgres': () => startPostgres(),
  '/mysql': startMariadb,
  '/redis': () => startRedis(),
  '/packages': makePackages,
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Tests and their programs write in this folder, and do not delete all of their files.
  const written = project.config.env['TMPDIR']!
  mkdirSync(written, { recursive: true })
  const running = new Map<string, Promise<Running>>()
  const desk = createServer((request, response) => {
    // A kept connection could end just when the next request is on its way.
    response.setHeader('Connection', 'close')
    const start = starts[request.url ?? '']
    if (start === undefined) return response.writeHead(404).end()
    const server = running.get(request.url!) ?? start()
    running.set(request.url!, server)
    server.then(
      (addresses) => response.end(JSON.stringify(addresses)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
    return undefined
  }).listen(0, '127.0.0.1')
  await once(desk, 'listening')
  project.provide('servers', `http://127.0.0.1:${(desk.address() as AddressInfo).port}`)
  return async () => {
    desk.close()
    desk.closeAllConnections()
    const servers = await Promise.allSettled(running.values())
    for (const server of servers) if (server.status === 'fulfilled') await server.value.stop()
    rmSync(written, { recursive: true, force: true, maxRetries: 5 })
  }
}
