import type { DocumentInfo } from '../types/documents.ts'
import type { Route } from '../types/routes.ts'

/** A header in which web servers in front name the user whom they have authenticated. */
export interface RemoteUserHeader {
  readonly header: string
  /** Networks and addresses of those servers; `unix` for peers of a unix socket. @default the trusted proxies */
  readonly proxies?: readonly string[]
}

/** The source of `REMOTE_USER`: a header, or the environ, for which the caller of the adapter vouches. */
export type RemoteUserSource = RemoteUserHeader | 'environ'

/** The facts about the service that a policy may check. */
export interface ServiceFacts {
  readonly hasSecret: boolean
  /** Does it serve people, rather than a developer or a test? @default false */
  readonly production?: boolean
  /** `ALLOWED_HOSTS`, where links begin with the one that a client names. @default null, with `PUBLIC_URL` */
  readonly hosts?: readonly string[] | null
  readonly remoteUserSource: RemoteUserSource | null
  readonly routes: readonly Route[]
  /** The roles that its accounts declare. Absent: the roles are not known, as with schemes of your own. */
  readonly roles?: readonly string[]
  /** The address of the endpoint that is checked; absent: the service as a whole is. */
  readonly route?: Route
  /** The verb of the behaviour that is checked, `get`, `post` …, if one is. */
  readonly verb?: string
  /** Do its rows belong to a scope? @default false */
  readonly isScoped?: boolean
}

/** A current number that a part of a service reports about itself. */
export interface Gauge {
  /** In small letters with `_`. */
  readonly name: string
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** The description of a service in words. */
export interface Described {
  /** The description in OpenAPI documents. */
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
