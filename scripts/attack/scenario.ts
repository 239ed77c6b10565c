import type { Stage } from './stage.ts'

/** One attack. */
export interface Scenario {
  readonly name: string
  /** What the attacker sends, in a few words, for the table. */
  readonly sends: string
  /** Milliseconds after which it is given up. @default two minutes */
  readonly patience?: number
  run(stage: Stage): Promise<void>
}
