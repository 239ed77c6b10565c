import { Prober } from './prober.ts'
import { Service } from './service.ts'
import { WRITER } from './target/tables.ts'
import type { Keys, World } from './world.ts'

/** The most milliseconds of a standstill and of a wait. */
export const BOUNDS = { standstill: 100, wait: 250 }

/** The measurements during an attack. */
export interface Figures {
  /** The longest standstill of the event loop, in milliseconds. */
  readonly standstill: number
  /** The longest wait of an unrelated request, in milliseconds. */
  readonly wait: number
  /** Bytes of resident memory. */
  readonly memory: { readonly before: number; readonly peak: number; readonly after: number }
}

/** The place of an attack: services to attack, and a list of failed expectations. */
export class Stage {
  readonly world: World
  readonly missed: string[] = []
  /** Were only bounds of time missed? */
  onlyLate = true
  readonly notes: string[] = []
  figures: Figures | null = null
  readonly #services: Service[] = []

  constructor(world: World) {
    this.world = world
  }

  /** A service on SQLite with a fresh database. */
  async onSqlite(more: Keys = {}): Promise<Service> {
    return this.start({ ...this.world.keys(`sqlite:${await this.world.sqliteFile()}`), ...more })
  }

  /** A service on PostgreSQL. */
  async onPostgres(): Promise<Service> {
    return this.start(this.world.keys(await this.world.postgresUrl()))
  }

  /** A service with these keys; it stops at the end of the scenario. */
  async start(keys: Keys): Promise<Service> {
    const service = await Service.start(keys)
    this.#services.push(service)
    return service
  }

  /** Records an expectation that must hold. */
  expect(claim: string, holds: boolean): void {
    if (holds) return
    this.missed.push(claim)
    this.onlyLate = false
  }

  /** Records a fact that is no condition. */
  note(text: string): void {
    this.notes.push(text)
  }

  /** Measures the service during an attack; `probe` is the request of the unrelated client. */
  async measure(
    service: Service,
    attack: () => Promise<void>,
    { probe = '/hello/', headers = {} }: { probe?: string; headers?: Keys } = {},
  ): Promise<void> {
    const prober = await Prober.start(service.url + probe, headers)
    await service.read({ reset: true })
    const before = service.memory().now
    service.forgetPeak()
    try {
      await attack()
    } finally {
      const waits = await prober.stop()
      const { 200: fine = 0, ...others } = waits.answers
      this.expect('The process stays.', service.alive)
      this.expect(
        `An unrelated request gets its answer (${fine} × 200, ${told(others)}).`,
        Object.keys(others).length === 0,
      )
      if (service.alive) await this.#keep(service, waits.longest, before)
    }
  }

  /** Stops all that still runs. */
  async close(): Promise<void> {
    await Promise.all(this.#services.map((service) => service.kill()))
  }

  async #keep(service: Service, wait: number, before: number): Promise<void> {
    const { standstill } = await service.read()
    const { peak, now } = service.memory()
    this.figures = { standstill, wait, memory: { before, peak, after: now } }
    const late = [
      standstill > BOUNDS.standstill &&
        `The event loop stands still for ${standstill.toFixed(0)} ms.`,
      wait > BOUNDS.wait && `An unrelated request waits for ${wait.toFixed(0)} ms.`,
    ]
    this.missed.push(...late.filter((claim) => claim !== false))
  }
}

/** The headers of the user who may write. */
export const AUTHORIZED: Keys = { Authorization: `Token ${WRITER.token}` }

/** Writes counts as `3 × 503, 1 × reset`. */
export function told(answers: Readonly<Record<string, number>>): string {
  const each = Object.entries(answers).map(([status, count]) => `${count} × ${status}`)
  return each.length === 0 ? 'nothing' : each.join(', ')
}

/** Counts texts or numbers, for `told`. */
export function tally(values: readonly (string | number)[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}
