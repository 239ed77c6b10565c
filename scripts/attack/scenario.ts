import type { Stage } from './stage.ts'

/** One attack. */
export interface Scenario {
  readonly name: string
  /** The requests of the attacker in a few words, for the table. */
  readonly sends: string
  /** Milliseconds after which the attack is given up. @default two minutes */
  readonly patience?: number
  run(stage: Stage): Promise<void>
}
