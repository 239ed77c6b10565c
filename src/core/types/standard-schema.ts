import type { MaybePromise } from '../std/after.ts'

/** A validator of version 1 of standardschema.dev, such as those of Zod, Valibot and ArkType. */
export interface StandardSchema<out Input = unknown, out Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => MaybePromise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    /** Of libraries that can give theirs as JSON Schema (standardschema.dev/json-schema). */
    readonly jsonSchema?:
      | {
          readonly input: (options: { readonly target: string }) => Record<string, unknown>
          readonly output: (options: { readonly target: string }) => Record<string, unknown>
        }
      | undefined
  }
}

/** What such a validator answers. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** One thing that is wrong, and where. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}
