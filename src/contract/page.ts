// What a page for people is made from, beside the answer itself.
import type { MaybePromise } from '../std/after.ts'
import type { FilterControl } from './list-source.ts'

/** An address with what it is called. */
export interface NamedLink {
  readonly name: string
  readonly url: string
  readonly isCurrent: boolean
}

/** A version of the resource that is shown; `url` is `null` where it has no address of its own. */
export interface VersionLink {
  readonly version: string
  readonly url: string | null
  readonly isCurrent: boolean
}

/** The answer to another request of the same client. */
export interface OtherAnswer {
  readonly status: number
  /** `null`: it is no text. */
  readonly text: string | null
}

/** What a scheme that browsers send by themselves gives to pages: where to log in, and tokens for their forms. */
export interface BrowserAccess<in Rq> {
  readonly loginUrl: string
  /** Name of the field that a form sends the token in. */
  readonly field: string
  /** A token for the browser that asks, and the values of `Set-Cookie` that belong to it. */
  issue(request: Rq): { readonly token: string; readonly cookies: readonly string[] }
}

/**
 * What a page may ask about the request that it answers. Nothing here gives more than the client's own rights: every
 * question about another method, address or version goes through that one's own checks.
 */
export interface PageFacts<Rq> {
  /** The request, with its user and its version. */
  readonly request: Rq
  readonly endpoint: { readonly name: string; readonly title: string; readonly description: string }
  /** What `Allow` says. */
  readonly methods: readonly string[]
  /** Would the endpoint's permissions let the client use this method? */
  permits(method: string): MaybePromise<boolean>
  /** The endpoints at the beginnings of the path, the shortest first (W3). */
  crumbs(): readonly NamedLink[]
  /** Addresses one word further that are served too: extra actions (W9). */
  actions(): readonly NamedLink[]
  /** The resource in all versions that have it; empty where there is nothing to choose. */
  versions(): readonly VersionLink[]
  /** The same GET in another version, as the same client. `null`: there is none. */
  inVersion(version: string): MaybePromise<OtherAnswer | null>
  /** What OPTIONS would answer; `null`: it is refused. */
  metadata(): MaybePromise<unknown>
  /** Where the list can be narrowed; empty for what is none. */
  filters(): readonly FilterControl[]
  /** Of the first scheme that has it; `null`: no scheme is one of browsers. */
  readonly browser: BrowserAccess<Rq> | null
  /** Where logging in and out is, if it is served; `null`: it is not. */
  readonly login: { readonly loginUrl: string; readonly logoutUrl: string | null } | null
}

/** What a renderer has looked up, loaded or asked before it renders. */
export interface Prepared {
  /** Sent beside those of the answer, and shown on no page. */
  readonly headers?: Readonly<Record<string, string>>
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[]
}
