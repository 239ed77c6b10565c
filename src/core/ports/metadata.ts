// The port of OPTIONS.
import type { Parser } from './parsing.ts'
import type { Renderer } from './representations.ts'

/** The answer to OPTIONS; `actions` has the input fields by method, `versions` those of the endpoint, if known. */
export interface Metadata {
  describe(endpoint: {
    readonly title: string
    readonly description: string
    readonly renderers: readonly Renderer[]
    readonly parsers: readonly Parser[]
    readonly actions: Readonly<Record<string, object>> | null
    readonly versions: readonly string[] | null
  }): object
}
