import type { Endpoint } from 'colophon'
import { fullNameOf } from './addresses.ts'
import type { ServiceApi } from './api.ts'
import type { Plan } from './plan.ts'
import type { World } from './world.ts'

/** A path that is not there yet, and why. */
export interface Waiting {
  readonly path: string
  readonly parts: readonly string[]
}

/** What can be served, and what waits. */
export interface Assembly {
  readonly ready: readonly Plan[]
  readonly waiting: readonly Waiting[]
}

/** Parts the plans by whether everything that they name is there, addresses included. */
export function assemble(plans: readonly Plan[]): Assembly {
  let ready = plans.filter(({ missing }) => missing.length === 0)
  for (let before = Infinity; ready.length < before;) {
    before = ready.length
    const known = namesOf(ready)
    ready = ready.filter((plan) => addressesMissing(plan, known).length === 0)
  }
  return { ready, waiting: waitingAmong(plans, new Set(ready)) }
}

function waitingAmong(plans: readonly Plan[], ready: ReadonlySet<Plan>): Waiting[] {
  const known = namesOf([...ready])
  return plans
    .filter((plan) => !ready.has(plan))
    .map((plan) => ({
      path: plan.entry.path,
      parts: plan.missing.length > 0 ? plan.missing : addressesMissing(plan, known),
    }))
}

function namesOf(plans: readonly Plan[]): ReadonlySet<string> {
  return new Set(plans.map(({ entry }) => entry.name ?? fullNameOf(entry)))
}

/** Generated addresses need an endpoint behind them. */
function addressesMissing({ config, entry }: Plan, known: ReadonlySet<string>): string[] {
  const asked = [config.detail_name, config.self_name].filter((name) => name !== undefined)
  return asked
    .filter((name) => name !== entry.name && !known.has(name))
    .map((name) => `address ${name}`)
}

/** The endpoints of plans that have all they need; entries of one name are one endpoint. */
export function endpointsOf(
  ready: readonly Plan[],
  api: ServiceApi,
  world: World,
): Endpoint<never>[] {
  const byName = new Map(ready.map((plan) => [fullNameOf(plan.entry), plan]))
  return [...byName].map(([name, { settings, config, view }]) =>
    view!.verbs(api.endpoint(name, settings), config, world),
  )
}
