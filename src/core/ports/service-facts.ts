import type { DocumentInfo } from '../types/documents.ts'
import type { Route } from '../types/routes.ts'

/** A header in which web servers in front name the user whom they have authenticated. */
export interface RemoteUserHeader {
  readonly header: string
  /** Networks and addresses of those servers; `unix` for peers of a unix socket. @default the trusted proxies */
  readonly proxies?: readonly string[]
}

/** Where `REMOTE_USER` comes from: a header, or the environ, for which the caller of the adapter vouches. */
export type RemoteUserSource = RemoteUserHeader | 'environ'

/** What a policy may ask of the service in which it is to work. */
export interface ServiceFacts {
  readonly hasSecret: boolean
  /** Does it serve people, rather than a developer or a test? @default false */
  readonly production?: boolean
  /** `ALLOWED_HOSTS`, where links begin with the one that a client names. @default null, with `PUBLIC_URL` */
  readonly hosts?: readonly string[] | null
  readonly remoteUserSource: RemoteUserSource | null
  readonly routes: readonly Route[]
  /** Those that its accounts declare; absent: it is not known which its users have, as with schemes of your own. */
  readonly roles?: readonly string[]
  /** The address of the endpoint that is checked; absent: the service as a whole is. */
  readonly route?: Route
  /** What the behaviour answers there, `get`, `post` …, where one is checked. */
  readonly verb?: string
  /** Its rows are those of a scope. @default false */
  readonly isScoped?: boolean
}

/** A number that a part of a service says of itself, as of now. */
export interface Gauge {
  /** In small letters with `_`. */
  readonly name: string
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** What a service says of itself in words. */
export interface Described {
  /** In OpenAPI documents. */
  readonly about: DocumentInfo
}

/**
 * Texts that go out to clients and come back, such as cursors: only this service can make and read them.
 * Old secrets still open what they sealed.
 */
export interface Seals {
  /** URL-safe. */
  seal(context: string, text: string): string
  /** `null`: changed, made elsewhere, or for another `context`. */
  unseal(context: string, sealed: string): string | null
}
