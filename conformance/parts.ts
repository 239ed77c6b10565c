import { type Composers, composers } from './parts/composers.ts'
import { filters } from './parts/filters.ts'
import { parsers } from './parts/parsers.ts'
import { policiesOf } from './parts/policies.ts'
import { renderers } from './parts/renderers.ts'
import { schemesOf } from './parts/schemes.ts'
import { envelopes } from './parts/envelopes.ts'
import { paginators } from './parts/paginators.ts'
import { styles } from './parts/styles.ts'
import { throttles } from './parts/throttles.ts'
import { versioningsOf } from './parts/versionings.ts'
import { views } from './parts/views.ts'
import type { World } from './world.ts'

/** Everything that entries name, by kind and name. */
export type Parts = ReturnType<typeof partsOf>

export function partsOf({ accounts }: Pick<World, 'accounts'>, by: Composers = composers) {
  return {
    kinds: views,
    schemes: schemesOf(accounts),
    policies: policiesOf(by),
    throttles,
    styles,
    paginators,
    envelopes,
    versionings: versioningsOf(by),
    filters,
    parsers,
    renderers,
  }
}
