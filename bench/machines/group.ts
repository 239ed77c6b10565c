// Holds processes to a part of a core (cgroups v1; Linux and root).
import { mkdirSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Processes that share a part of a core. */
export class Group {
  readonly #folders: Readonly<Record<'cpu' | 'cpuacct', string>>

  constructor(name: string) {
    const folderOf = (kind: string) => `/sys/fs/cgroup/${kind}/colophon-${process.pid}-${name}`
    this.#folders = { cpu: folderOf('cpu'), cpuacct: folderOf('cpuacct') }
    for (const folder of Object.values(this.#folders)) mkdirSync(folder)
  }

  /** Adds a process with all processes that it has started. */
  add(pid: number): void {
    for (const folder of Object.values(this.#folders))
      writeFileSync(join(folder, 'cgroup.procs'), `${pid}`)
    for (const child of childrenOf(pid)) this.add(child)
  }

  /** `null`: no limit. */
  limit(part: number | null): void {
    const period = 20_000
    writeFileSync(join(this.#folders.cpu, 'cpu.cfs_quota_us'), '-1')
    writeFileSync(join(this.#folders.cpu, 'cpu.cfs_period_us'), `${period}`)
    if (part !== null)
      writeFileSync(join(this.#folders.cpu, 'cpu.cfs_quota_us'), `${Math.round(part * period)}`)
  }

  /** The used microseconds of the processor. */
  get used(): number {
    return Number(readFileSync(join(this.#folders.cpuacct, 'cpuacct.usage'), 'utf8')) / 1000
  }

  get isEmpty(): boolean {
    return readFileSync(join(this.#folders.cpu, 'cgroup.procs'), 'utf8') === ''
  }

  /** Removes the group, whose processes must have ended. */
  remove(): void {
    for (const folder of Object.values(this.#folders)) rmdirSync(folder)
  }
}

export function childrenOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number),
  )
}
