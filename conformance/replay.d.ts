// Types of what `data/replay.mjs` exports; the file itself is a copy that nobody edits.
declare module '*/replay.mjs' {
  interface Step {
    readonly request?: { readonly method: string; readonly path: string }
    readonly walk?: { readonly path: string }
  }

  export interface Case {
    readonly id: string
    readonly rule: string
    readonly file: string
    readonly steps: readonly Step[]
    /** It may differ, for this reason. */
    readonly differs_ok?: boolean
    readonly reason?: string
    /** Steps that a better behaviour passes. */
    readonly better?: readonly Step[]
  }

  export interface Failure {
    readonly step: number
    readonly what: string
    readonly problems: readonly {
      readonly at: string
      readonly expected: unknown
      readonly actual: unknown
    }[]
    readonly response?: { readonly status: number; readonly text: string }
  }

  interface Answer {
    readonly status: number
    readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
    readonly text: string
  }

  export class Client {
    exchange(method: string, target: string, headers: object, body: unknown): Promise<Answer>
  }

  export function loadCases(names: readonly string[]): readonly Case[]
  /** `null`: passed. */
  export function runCase(base: string, testCase: Case): Promise<Failure | null>
}
