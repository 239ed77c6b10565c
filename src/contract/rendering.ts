import type { Reply } from './reply.ts'
import type { Incoming } from './request.ts'

/** The bytes of an answer, in one of the forms that every door can send. */
export type Bytes = string | Uint8Array | ReadableStream<Uint8Array>

/** What a renderer is told about the answer beside its data. */
export interface RenderContext {
  readonly request: Incoming
  readonly endpointName: string
  /** Renderers of the endpoint, in order: what an HTML page borrows to show the data. */
  readonly renderers: readonly Renderer[]
  /** Response headers, as name and value in turn; without those that only tell browsers how to treat a page. */
  readonly headers: readonly string[]
}

/** Turns the data of an answer into bytes. */
export interface Renderer {
  /** `application/json`; parameters in it must be asked for (N14). */
  readonly mediaType: string
  /** Value of `Content-Type` where it says more than `mediaType`: `text/html; charset=utf-8`. */
  readonly contentType?: string
  /** Name for `?format=` and path suffixes: `json`. */
  readonly format: string
  /**
   * Of a renderer of HTML: value of `Content-Security-Policy`, where the answer says none itself.
   * @default what the service itself has, nothing inline, no frames and no forms to elsewhere
   */
  readonly contentSecurityPolicy?: string
  /**
   * Does the body have sentences of the catalogue, beside those in the data? Then it has a language
   * (`wordsFor`), which `Content-Language` names. @default none has
   */
  hasWords?(reply: Reply): boolean
  render(reply: Reply, context: RenderContext): Bytes
}

/** Outcome of content negotiation. */
export interface Accepted {
  readonly renderer: Renderer
  /** The media type agreed on, without parameters. */
  readonly mediaType: string
  /** Parameters of the range that won, names in lower case, without `q`. */
  readonly parameters: Readonly<Record<string, string>>
}
