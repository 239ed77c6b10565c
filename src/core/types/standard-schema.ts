import type { MaybePromise } from '../std/after.ts'

/** A validator of standardschema.dev, version 1, such as those of Zod, Valibot and ArkType. */
export interface StandardSchema<out Input = unknown, out Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => MaybePromise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    /** The JSON Schema of a validator, for libraries that can give it (standardschema.dev/json-schema). */
    readonly jsonSchema?:
      | {
          readonly input: (options: { readonly target: string }) => Record<string, unknown>
          readonly output: (options: { readonly target: string }) => Record<string, unknown>
        }
      | undefined
  }
}

/** The answer of such a validator. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** An error, with its place. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}
