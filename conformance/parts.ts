import { filters } from './parts/filters.ts'
import { parsers } from './parts/parsers.ts'
import { policies } from './parts/policies.ts'
import { renderers } from './parts/renderers.ts'
import { schemesOf } from './parts/schemes.ts'
import { envelopes } from './parts/envelopes.ts'
import { paginators } from './parts/paginators.ts'
import { styles } from './parts/styles.ts'
import { throttles } from './parts/throttles.ts'
import { versionings } from './parts/versionings.ts'
import { views } from './parts/views.ts'
import type { World } from './world.ts'

/** Everything that entries name, by kind and name. */
export type Parts = ReturnType<typeof partsOf>

export function partsOf({ accounts }: Pick<World, 'accounts'>) {
  return {
    kinds: views,
    schemes: schemesOf(accounts),
    policies,
    throttles,
    styles,
    paginators,
    envelopes,
    versionings,
    filters,
    parsers,
    renderers,
  }
}
