// `npm run faults [-- WORD…]`: plays faults with real processes under load. Without words it plays all of them, and writes
// docs/operations/faults.md. Exit code 1: something was lost. Linux and root; it takes about a quarter of an hour.
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { inTime } from '../../src/core/std/deadlines.ts'
import type { Running } from '../servers/run-server.ts'
import { root, run, since, summary } from '../run.ts'
import {
  FAULTS,
  type Fault,
  type Result,
  canPlay,
  copiedByLitestream,
  countingOnTwoNodes,
  ownWritesIn,
  quotaOn,
  readsOfOtherNode,
} from './faults.ts'

if (!canPlay()) {
  console.error('Faults need Linux, and root for a small file system and for servers.')
  process.exit(1)
}
const words = process.argv.slice(2)
const wanted = (name: string): boolean =>
  words.length === 0 || words.some((word) => name.toLowerCase().includes(word.toLowerCase()))

const began = performance.now()
/** Milliseconds after which a fault is given up, so that the others are played. */
const PATIENCE = 1_200_000
/** Cores: a machine needs up to this for itself. */
const QUIET = 0.3
/** The cores that other programs used, at moments without work of ours. */
const others: number[] = []
let [passed, failed] = [0, 0]
const rows: string[] = []
for (const fault of FAULTS.filter(({ name }) => wanted(name))) rows.push(await rowOf(fault))

const quotas: string[] = []
for (const store of ['PostgreSQL', 'Redis', 'SQLite, one machine'] as const) {
  if (!wanted(`quota ${store}`)) continue
  const allowed = await tidily((later) => quotaOn(store, later))
  judge(`quota on ${store}: ${allowed} of 1000`, allowed === 1000)
  quotas.push(`| ${store} | ${allowed} | ${Math.abs(allowed - 1000)} |`)
}

const writes: string[] = []
for (const withPlace of [true, false]) {
  if (!wanted('own writes')) continue
  const steps = Number(process.env['STEPS'] ?? 100_000)
  const { violations, reads, byReplica } = await tidily((later) =>
    ownWritesIn({ steps, withPlace, seed: 29 }, later),
  )
  const how = withPlace ? 'with `Read-After`' : 'without'
  judge(`own writes ${how}: ${violations} of ${reads}`, withPlace === (violations === 0))
  writes.push(`| ${how} | ${steps} | ${reads} | ${byReplica} | ${violations} |`)
}

const nodes: string[] = []
if (wanted('galera, two nodes')) {
  for (const each of await tidily(countingOnTwoNodes)) {
    const { kind, acknowledged, counted, givenUp } = each
    judge(`two nodes: ${JSON.stringify(each)}`, counted === acknowledged)
    nodes.push(`| ${kind} | ${acknowledged} | ${each.failed} | ${counted} | ${givenUp} |`)
  }
}
const waits: string[] = []
for (const syncWait of [1, 0]) {
  if (!wanted('galera, reads')) continue
  const [reads, violations] = [
    2000,
    await tidily((later) => readsOfOtherNode(syncWait, 2000, later)),
  ]
  judge(
    `wsrep_sync_wait=${syncWait}: ${violations} of ${reads}`,
    syncWait === 0 || violations === 0,
  )
  waits.push(`| \`wsrep_sync_wait=${syncWait}\` | ${reads} | ${violations} |`)
}

const copies: string[] = []
if (wanted('litestream')) {
  const copied = await tidily(copiedByLitestream)
  judge(`Litestream: ${JSON.stringify(copied)}`, copied.failed === 0 && copied.isWhole)
  const { acknowledged, restored, missing } = copied
  copies.push(`| ${acknowledged} | ${copied.failed} | ${restored} | ${missing.toFixed(1)} s |`)
}

if (words.length === 0) {
  writeFileSync(join(root, 'docs/operations/faults.md'), page())
  await run('oxfmt docs/operations/faults.md')
}
console.log(`${since(began)} s. ${otherWork()}`)
console.log(summary({ passed, failed }))
process.exit(failed === 0 ? 0 : 1)

async function rowOf(fault: Fault): Promise<string> {
  const play = () => tidily((later) => fault.play(later))
  const result = await play().catch(again(play)).catch(String)
  if (typeof result === 'string') {
    const isUntried = result.includes('untried')
    judge(`${fault.name}: ${result}`, isUntried)
    return `| ${fault.name} | ${isUntried ? 'untried' : 'did not run'} | | | | | | |`
  }
  const { requests, unanswered, unavailable, lost, repeated, p99, recovery, note } = result
  const numbers = [requests, unanswered, unavailable, lost, repeated, p99, recovery]
  judge(`${fault.name}: ${numbers.join(' ')} ${note}`, isWell(fault, result))
  return `| ${fault.name}${note === '' ? '' : ` (${note})`} | ${numbers.join(' | ')} |`
}

/** Plays a fault again after an error, such as a server that a busy machine started late. A loss is a result, not an error. */
function again<T>(play: () => Promise<T>): (error: unknown) => Promise<T> {
  return (error) => {
    console.log(`Again, since it did not come about: ${String(error)}`)
    return play()
  }
}

function isWell({ losesNothing = false }: Fault, result: Result): boolean {
  const failures = result.unanswered + result.unavailable
  return result.lost + result.repeated === 0 && (!losesNothing || failures === 0)
}

function judge(what: string, well: boolean): void {
  if (well) passed++
  else failed++
  console.log(`${well ? '✓' : '×'} ${what} (at ${since(began)} s)`)
}

/** Runs work, and stops the programs that it started, the last one first. */
async function tidily<T>(
  work: (later: (running: Pick<Running, 'stop'>) => void) => Promise<T>,
): Promise<T> {
  others.push(await busyCores())
  const all: Pick<Running, 'stop'>[] = []
  const late = () => new Error(`no end after ${PATIENCE / 1000} s`)
  try {
    return await inTime(
      work((running) => all.unshift(running)),
      PATIENCE,
      late,
    )
  } finally {
    for (const each of all) await each.stop().catch(() => undefined)
  }
}

/** The cores in use, measured for a second. */
async function busyCores(): Promise<number> {
  const [before, start] = [busyTicks(), performance.now()]
  await pause(1000)
  // Ticks last 10 ms (man proc_stat).
  return (busyTicks() - before) / ((performance.now() - start) / 10)
}

function busyTicks(): number {
  const [user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8')
    .split('\n', 1)[0]!
    .split(/ +/)
    .slice(1)
    .map(Number) as [number, number, number, number, number, number, number]
  return user + nice + system + irq + softirq
}

function otherWork(): string {
  const [least, most] = [Math.min(...others), Math.max(...others)]
  const cores = `${least.toFixed(1)} to ${most.toFixed(1)} of the ${cpus().length} cores`
  const isQuiet = most < QUIET
  return `Between the faults, while nothing of this run was under way, other programs used ${cores}: ${isQuiet ? 'the machine did nothing else' : 'the numbers of lost and failed requests count, and times are those of a busy machine'}.`
}

function page(): string {
  const day = new Date().toISOString().slice(0, 10)
  return `# Faults

\`npm run faults\` plays each of these with real processes on one machine, under load, and writes this page. This run: ${day}, Node
${process.versions.node}, ${cpus().length} cores. The service has four workers; 16 clients ask without a pause of more than 5 ms, each request on a
connection of its own. Faults of a database are played while notes are written, those of replicas and Redis while rows are read or requests are counted.

| Fault | Requests | Without an answer | 503 or other 5xx | Acknowledged writes lost | Written twice | p99 in ms | Recovery in ms |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${rows.join('\n')}

Recovery is the time from the fault to the last request that failed, and 0 where none did. At SIGTERM, requests that find no one listening any more
(ECONNREFUSED) are counted by themselves. The p99 is that of the whole run.

- **A worker that is killed or hangs** takes with it what it has accepted. A connection that is on its way to it goes to another worker, once it is dead.
- **SIGTERM without a balancer** loses nothing: what has connected is taken and answered before the port is closed. In the microseconds between
  the last look and the closing, a connection may still be reset.
- **A full disk** is 503 for writes, until some is free.
- **While Redis chooses a primary**, each worker counts for itself (\`onStoreError: 'local'\`), so no request fails.

On one machine a fault is local: of networks, only that between the nodes of Galera was cut. ${otherWork()}

## Quotas

A rate of 1,000 in an hour, 3,000 requests to two services of four workers each, which share a store:

| Store | Allowed | Difference |
| --- | ---: | ---: |
${quotas.join('\n')}

## Own writes on a replica

Eight clients write and read in random order, on a replica that follows 5 ms late. A violation is a read that shows less than the client had
written:

| Header | Steps | Reads | Of them by the replica | Violations |
| --- | ---: | ---: | ---: | ---: |
${writes.join('\n')}

## Two nodes of Galera

Eight clients of each of two nodes count one row up, 100 times each. Galera gives up what the other node has changed first, and Colophon runs it again:

| Each write is | Acknowledged | Failed | Counted | Given up by Galera |
| --- | ---: | ---: | ---: | ---: |
${nodes.join('\n')}

A write fails when it was given up ten times.

A row is written to one node and read from another at once. A violation is a read that shows an older state:

| Address | Reads | Violations |
| --- | ---: | ---: |
${waits.join('\n')}

## A copy by Litestream

[Litestream](../storage.md#each-second-on-another-machine) copies a file of SQLite each second while notes are written, is killed after 20 seconds, and the file is
restored. It has the first notes without a gap:

| Acknowledged | Failed | In the restored file | Not in it: about the last |
| ---: | ---: | ---: | ---: |
${copies.join('\n')}

## Untried

Several nodes of etcd (Patroni has one here), networks that are slow, and machines in several places.
`
}
