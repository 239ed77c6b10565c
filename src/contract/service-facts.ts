import type { Route } from '../types/routes.ts'

/** A header in which web servers in front name the user whom they have authenticated. */
export interface RemoteUserHeader {
  readonly header: string
  /** Networks and addresses of those servers; `unix` for peers of a unix socket. @default the trusted proxies */
  readonly proxies?: readonly string[]
}

/** Where `REMOTE_USER` comes from: a header, or the environ, for which the caller of the door vouches. */
export type RemoteUserSource = RemoteUserHeader | 'environ'

/** What a policy may ask of the service in which it is to work. */
export interface ServiceFacts {
  /** Is there a secret to seal with? */
  readonly hasSecret: boolean
  readonly remoteUserSource: RemoteUserSource | null
  /** The whole address table. */
  readonly routes: readonly Route[]
}

/**
 * Texts that go out to clients and come back: only this service can make them, and only it can read
 * them. The keys come from the service's secret, and old secrets still open what they sealed.
 */
export interface Seals {
  /** URL-safe. It opens again only in the same `context`. */
  seal(context: string, text: string): string
  /** `null`: changed, made elsewhere, or for another context. */
  unseal(context: string, sealed: string): string | null
}
