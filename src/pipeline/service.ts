import type { Logger } from '../contract/kernel.ts'
import type { Urls } from '../types/routes.ts'
import type { Seals } from '../contract/seals.ts'

/** What all endpoints of an application share. */
export interface Service {
  readonly urls: Urls
  /** Largest request body, in bytes. */
  readonly bodyLimit: number
  /** Other origins whose pages may make browsers send requests. */
  readonly trustedOrigins: readonly string[]
  readonly logger: Logger
  /** The same for what may happen any number of times: once a second for each kind, with a count. */
  readonly logSeldom: (kind: string, record: Readonly<Record<string, unknown>>) => void
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly seals: Seals
}
