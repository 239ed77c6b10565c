// Changes of a contract, labelled by hand: what a reviewer who knows clients would say of each.
import { alternatives } from './corpus-alternatives.ts'
import { discriminators } from './corpus-discriminators.ts'
import { limits } from './corpus-limits.ts'
import { operations } from './corpus-operations.ts'
import { schemas } from './corpus-schemas.ts'
import { security } from './corpus-security.ts'
import { servers } from './corpus-servers.ts'
import { unchanged } from './corpus-unchanged.ts'

export type Json = Readonly<Record<string, unknown>>

/** Two documents of one version, and what has to be found: `breaking response-property-removed`. */
export interface LabelledChange {
  readonly title: string
  readonly before: Json
  readonly after: Json
  readonly expected: readonly string[]
}

/** Every change, in an order that stays. */
export const corpus = (): readonly LabelledChange[] => [
  ...schemas(),
  ...limits(),
  ...alternatives(),
  ...discriminators(),
  ...operations(),
  ...security(),
  ...servers(),
  ...unchanged(),
]
