import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { POSTGRES } from './postgres.ts'
import { type Program, pathOf } from './programs.ts'
import { type Running, freePort, runServer, temporaryFolder, userFor } from './run-server.ts'

const PATRONI: Program = { name: 'patroni', packages: ['patroni', 'python3-etcd', 'etcd-server'] }
const ETCD: Program = { name: 'etcd', packages: ['etcd-server'] }
const PASSWORD = 'not-secret'

/** A primary and a synchronous standby of PostgreSQL; Patroni decides which is which. */
export interface Patroni extends Running {
  /** An address for both servers. */
  readonly url: string
  /** The address of the first standby. */
  readonly standby: string
  /** Ends the primary and its Patroni, as a loss of their machine would. */
  kill(): void
  /** Asks Patroni to change the roles. */
  switchOver(): Promise<void>
  /** Is the first standby the primary now? */
  hasChanged(): Promise<boolean>
}

interface PatroniNode {
  readonly name: string
  readonly folder: string
  readonly port: number
  readonly api: string
}

/** Starts etcd and both servers. A primary that is silent for `ttl` seconds is replaced. */
export async function startPatroni(ttl = 20): Promise<Patroni> {
  const running: Running[] = []
  const stop = async (): Promise<void> => {
    for (const each of running.toReversed()) await each.stop()
  }
  try {
    const etcd = await freePort()
    running.push(await startEtcd(etcd))
    const user = userFor('postgres')
    const nodes: PatroniNode[] = []
    for (const [name, role] of [
      ['one', 'primary'],
      ['two', 'synchronous'],
    ] as const) {
      const folder = temporaryFolder('patroni', user)
      const place = { api: `127.0.0.1:${await freePort()}`, port: await freePort() }
      const node = { name, folder, ...place }
      const file = join(folder, 'patroni.yml')
      writeFileSync(file, JSON.stringify(await configurationOf(node, etcd, ttl)), { mode: 0o644 })
      const command = await pathOf(PATRONI)
      const ready = () => is(node, role)
      running.push(await runServer({ folder, command, args: [file], user, ready }))
      nodes.push(node)
    }
    return { ...clusterOf(nodes), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function clusterOf(nodes: readonly PatroniNode[]): Omit<Patroni, 'stop'> {
  const [one, two] = nodes as [PatroniNode, PatroniNode]
  const account = `postgres://postgres:${PASSWORD}@`
  return {
    url: `${account}127.0.0.1:${one.port},127.0.0.1:${two.port}/postgres`,
    standby: `${account}127.0.0.1:${two.port}/postgres`,
    kill() {
      const pids = execFileSync('pgrep', ['-f', join(one.folder, 'patroni.yml')], {
        encoding: 'utf8',
      })
      // The keeper stays, and clears up.
      const own = pids
        .trim()
        .split('\n')
        .map(Number)
        .filter((pid) => !isKeeper(pid))
      const [postmaster] = readFileSync(join(one.folder, 'data/postmaster.pid'), 'utf8').split(
        '\n',
        1,
      )
      for (const pid of own) process.kill(pid, 'SIGKILL')
      process.kill(Number(postmaster), 'SIGQUIT')
    },
    async switchOver() {
      const body = JSON.stringify({ leader: one.name, candidate: two.name })
      const answer = await fetch(`http://${one.api}/switchover`, { method: 'POST', body })
      if (!answer.ok) throw new Error(await answer.text())
    },
    hasChanged: () => is(two, 'primary'),
  }
}

function isKeeper(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('keeper.ts')
}

async function is({ api }: PatroniNode, role: string): Promise<boolean> {
  const answer = await fetch(`http://${api}/${role}`).catch(() => null)
  return answer?.ok === true
}

async function startEtcd(port: number): Promise<Running> {
  const command = await pathOf(ETCD)
  const folder = temporaryFolder('etcd')
  const [client, peer] = [port, await freePort()].map((each) => `http://127.0.0.1:${each}`)
  const args = [
    `--data-dir=${join(folder, 'data')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ]
  const ready = /ready to serve client requests|serving .*client requests/
  return runServer({ folder, command, args, user: null, ready })
}

/** The configuration in JSON, which is YAML too. */
async function configurationOf(node: PatroniNode, etcd: number, ttl: number): Promise<object> {
  const { name, folder, port, api } = node
  return {
    scope: 'notes',
    name,
    restapi: { listen: api, connect_address: api },
    etcd3: { host: `127.0.0.1:${etcd}` },
    bootstrap: {
      dcs: { ttl, loop_wait: 2, retry_timeout: 3, synchronous_mode: true },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }],
      pg_hba: ['host all all 127.0.0.1/32 md5', 'host replication all 127.0.0.1/32 md5'],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: join(folder, 'data'),
      bin_dir: dirname(await pathOf(POSTGRES)),
      pgpass: join(folder, 'pgpass'),
      authentication: {
        superuser: { username: 'postgres', password: PASSWORD },
        replication: { username: 'replicator', password: PASSWORD },
      },
      parameters: { unix_socket_directories: folder, fsync: 'off', shared_buffers: '32MB' },
    },
  }
}
