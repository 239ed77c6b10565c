// The port of renderers: what an answer is, and what makes bytes of it.
import type { Bytes } from './http-adapter.ts'
import type { Prepared } from './page.ts'
import type { PageControls } from './policies/pagination.ts'
import type { ApiRequest, Incoming } from './request.ts'
import type { MaybePromise } from '../std/after.ts'

/** The facts about an answer that a renderer gets beside the data. */
export interface RenderContext {
  readonly request: Incoming
  readonly endpointName: string
  /** Renderers of the endpoint, in order: what an HTML page borrows to show the data. */
  readonly renderers: readonly Renderer[]
  /** Response headers, as name and value in turn, without those that only tell browsers how to treat a page. */
  readonly headers: readonly string[]
  /** The result of `prepare`; `null`: it gave nothing, or the renderer has no such method. */
  readonly prepared: Prepared | null
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
   * The policy of its answers, unless an answer has its own. @default the service's: nothing inline, no frames, no forms to
   * elsewhere
   */
  readonly contentSecurityPolicy?: string
  /** Parameters of the query that it reads (`strictQuery`). @default none */
  readonly queryParams?: readonly string[]
  /** Does the body add sentences of the catalogue? Then `Content-Language` names their language (`wordsFor`). */
  hasWords?(reply: Reply): boolean
  /**
   * Called before `render` and awaited, to load or ask for parts that `render` needs; the context of `render` has its
   * result. A renderer with this method makes pages for people.
   */
  prepare?(reply: Reply, request: ApiRequest): MaybePromise<Prepared>
  render(reply: Reply, context: RenderContext): Bytes
}

/** Outcome of content negotiation. */
export interface Accepted {
  readonly renderer: Renderer
  /** The media type agreed on, without parameters. */
  readonly mediaType: string
  /** Parameters of the range that won, names in lower case, without `q`. */
  readonly parameters: Readonly<Record<string, string>>
  /** Rows may be sent as bytes of JSON, in place of what the renderer makes of them. @default false */
  readonly takesBytes?: boolean
}

/** An answer before anyone has rendered it. `data: null` is an answer without a body. */
export interface Reply<Data = unknown> {
  readonly status: number
  /** Several values, such as those of `Set-Cookie`, go out as several lines. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly data: Data
  /** Replaces the renderer's own `Content-Type`. */
  readonly contentType?: string
  /** Asked only by renderers that make pages. */
  readonly controls?: () => PageControls | null
}
