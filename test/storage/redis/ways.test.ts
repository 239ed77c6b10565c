// The ways to a Redis beside a plain address: TLS, and clusters.
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createCluster } from '@redis/client'
import { Cluster } from 'ioredis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { pathOf } from '../../../scripts/servers/programs.ts'
import { type RedisServer, startRedis } from '../../../scripts/servers/redis.ts'
import { freePort, temporaryFolder } from '../../../scripts/servers/run-server.ts'
import type { CounterStore, Hit } from '../../../src/core/ports/policies/throttling.ts'
import { type RedisClient, redisCounters } from '../../../src/redis.ts'
import {
  type Commander,
  PATIENT,
  commander,
  newPrefix,
  openCounters,
  sharedRedis,
} from '../../setup/redis.ts'

const HIT: Hit = {
  limits: [
    { key: 'a', limit: 9, seconds: 60, cost: 1, algorithm: 'log' },
    { key: 'b', limit: 9, seconds: 60, cost: 1, algorithm: 'gcra' },
  ],
  at: null,
  counting: true,
}

async function left(store: CounterStore): Promise<readonly number[]> {
  const { standings } = await store.hit({ ...HIT, counting: false })
  return standings.map(({ remaining }) => remaining)
}

/** A Redis that speaks TLS, with a certificate that is trusted nowhere. */
async function redisWithTls() {
  const folder = temporaryFolder('tls')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const openssl = await pathOf({ name: 'openssl', packages: ['openssl'] })
  const request =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost'
  const names = ['-addext', 'subjectAltName=DNS:localhost']
  execFileSync(openssl, [...request.split(' '), ...names, '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  })
  const port = await freePort()
  const server = await startRedis({
    settings: [
      `--tls-port ${port}`,
      `--tls-cert-file ${certificate}`,
      `--tls-key-file ${key}`,
      '--tls-auth-clients no',
    ],
  })
  onTestFinished(() => server.stop())
  const url = `rediss://colophon:not-secret@localhost:${port}/0`
  return { url, certificate: readFileSync(certificate, 'utf8') }
}

test('rediss:// is TLS, and the certificate has to be trusted', async () => {
  const { url, certificate } = await redisWithTls()
  await expect(openCounters(url).hit(HIT)).rejects.toThrow(
    /^The database rediss:\/\/localhost:\d+\/0 cannot be reached \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
  )
  const usual = getCACertificates()
  onTestFinished(() => setDefaultCACertificates(usual))
  setDefaultCACertificates([...usual, certificate])
  const store = openCounters(url)
  await store.hit(HIT)
  expect(await left(store)).toEqual([8, 8])
})

test('an address alone will do', async () => {
  const store = redisCounters(await sharedRedis())
  onTestFinished(() => store.close())
  const [limit] = HIT.limits
  const own = { ...HIT, limits: [{ ...limit!, key: newPrefix() }] }
  expect((await store.hit(own)).standings).toMatchObject([{ remaining: 8 }])
  expect(() => redisCounters('a.db')).toThrow('The address of Redis is not a URL')
})

const account = { username: 'colophon', password: 'not-secret' }

const CLIENTS = {
  ioredis(port: number): RedisClient {
    const client = new Cluster([{ host: '127.0.0.1', port }], { redisOptions: account })
    onTestFinished(() => client.disconnect())
    return client
  },
  async redis(port: number): Promise<RedisClient> {
    const client = createCluster({
      rootNodes: [{ url: `redis://127.0.0.1:${port}` }],
      defaults: account,
    })
    await client.connect()
    onTestFinished(() => client.destroy())
    // The first key says which server it is.
    return { sendCommand: (command) => client.sendCommand(command[3], false, command) }
  },
}

describe('a cluster', () => {
  let server: RedisServer
  let send: Commander

  // One server makes a cluster that behaves like any to its clients, two seconds after it was started.
  beforeAll(async () => {
    const bus = await freePort()
    const announced = ['--cluster-announce-ip 127.0.0.1', `--cluster-port ${bus}`]
    server = await startRedis({ settings: ['--cluster-enabled yes', ...announced] })
    afterAll(() => server.stop())
    send = await commander(server.url, afterAll)
    await send('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
    while (!String(await send('CLUSTER', 'INFO')).includes('cluster_state:ok')) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })

  test.each(['redis', 'ioredis'] as const)('is reached by a client of %s', async (kind) => {
    const client = await CLIENTS[kind](server.port)
    const store = redisCounters({ client, prefix: '{colophon}:', ...PATIENT })
    const { at } = await store.hit(HIT)
    await store.hit(HIT)
    expect(await left(store)).toEqual([7, 7])
    await store.withdraw(HIT.limits, at)
    expect(await left(store)).toEqual([8, 8])
    await send('SET', 'other', '1')
    await store.clear()
    expect(await send('KEYS', '*')).toEqual(['other'])
  })

  test('needs a prefix in braces, and a client that knows its servers', async () => {
    const message =
      /belongs to a cluster: begin its address with redis\+cluster:\/\/, or hand in a client of the cluster, with a prefix in braces such as "\{colophon\}:"\.$/
    await expect(openCounters(server.url).hit(HIT)).rejects.toThrow(message)
    const store = openCounters(server.url, { prefix: '{colophon}:' })
    await store.hit(HIT)
    await store.clear()
    // Elsewhere now, as the server says to clients that ask for what it does not have.
    await send('CLUSTER', 'DELSLOTSRANGE', '0', '16383')
    await expect(store.hit(HIT)).rejects.toThrow(/is not ready/)
  })
})
