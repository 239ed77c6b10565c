// The facts that both servers share: the server by hand loads nothing of Colophon.
import { type KeyObject, createSecretKey } from 'node:crypto'

export type Dialect = 'sqlite' | 'pg'

export const TENANTS = 2000
export const PAGE_SIZE = 20
/** The number of connections that each server has to PostgreSQL. */
export const POOL = 10
/** The host of all requests, so that answers do not depend on the port. */
export const HOST = 'bench.test'
export const SECRET_KEY = 'a secret for benchmarks only, of this bench'
/** The server's own key by hand, made once: from bytes, OpenSSL would make it again for every digest. */
export const HAND_KEY: KeyObject = createSecretKey('another secret for benchmarks only', 'utf8')

export const STATES = ['open', 'paid', 'sent'] as const
