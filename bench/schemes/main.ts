// CPU time for a request of each scheme ÷ Token, interleaved; `limited`: with wrong tokens. `npm run bench -- schemes [rounds]`
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configurationOf } from 'colophon'
import { defineAccounts } from 'colophon/accounts'
import { openSqlite } from 'colophon/sqlite'
import { SignJWT } from 'jose'
import { sendLoad } from '../http/load.ts'
import { startServer } from '../http/server-process.ts'
import { provider } from './provider.ts'

const REQUESTS = 8000
const rounds = Number(process.argv[2] ?? 15)
const folder = mkdtempSync(join(tmpdir(), 'colophon-bench-'))
const path = join(folder, 'bench.sqlite')
const headers = await createAlice(path)
const server = await startServer(new URL('service.ts', import.meta.url), [path])
try {
  const figures = new Map(Object.keys(headers).map((name) => [name, [] as number[]]))
  for (let round = -1; round < rounds; round++) {
    for (const [name, all] of figures) {
      const figure = await measure(name)
      // The first round only warms up; the first Basic request pays the hash.
      if (round >= 0) all.push(figure)
    }
  }
  const token = figures.get('token')!
  for (const [name, all] of figures) {
    const ratio = median(all.map((figure, round) => figure / token[round]!))
    console.log(`${name.padEnd(8)} ${median(all).toFixed(1)} µs  ${ratio.toFixed(2)} × Token`)
  }
} finally {
  server.stop()
  rmSync(folder, { recursive: true })
}

async function createAlice(file: string): Promise<Record<string, string>> {
  const database = openSqlite({ path: file })
  await database.migrate()
  const configuration = configurationOf()
  const accounts = defineAccounts({ database, configuration, secretKey: 'for benchmarks only' })
  const alice = await accounts.users.create({ username: 'alice', password: 'wonderland' })
  const { key } = await accounts.tokens.obtain(alice)
  const session = await accounts.sessions.start(alice, null)
  database.close()
  return {
    token: `Authorization: Token ${key}`,
    limited: `Authorization: Token ${key}`,
    basic: `Authorization: Basic ${btoa('alice:wonderland')}`,
    session: `Cookie: sessionid=${session}`,
    jwt: `Authorization: Bearer ${await jwtOf('alice')}`,
  }
}

/** A token of the usual size, about 700 characters. */
async function jwtOf(subject: string): Promise<string> {
  return new SignJWT({ client_id: 'bench', scope: 'read write', roles: ['reader', 'writer'] })
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
    .setIssuer(provider.issuer)
    .setAudience(provider.audience)
    .setSubject(subject)
    .setIssuedAt()
    .setExpirationTime('1h')
    .setJti('x'.repeat(200))
    .sign(new TextEncoder().encode(provider.secret))
}

async function measure(name: string): Promise<number> {
  const text = `GET /${name}/ HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n${headers[name]}\r\n\r\n`
  const before = await server.cpu()
  await sendLoad({ port: server.port, connections: 32, requests: REQUESTS, request: () => text })
  return ((await server.cpu()) - before) / REQUESTS
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
