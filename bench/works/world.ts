// What both servers of the works know: the server by hand loads nothing of Colophon.
import { type KeyObject, createSecretKey } from 'node:crypto'

export type Dialect = 'sqlite' | 'pg'

export const TENANTS = 2000
export const PAGE_SIZE = 20
/** Connections of every server to PostgreSQL. */
export const POOL = 10
/** What clients ask for, so that answers are alike whichever port they come from. */
export const HOST = 'bench.test'
export const SECRET_KEY = 'a secret for benchmarks only, of this bench'
/** The server by hand has a key of its own, made once: from bytes, OpenSSL would make it anew for every digest. */
export const HAND_KEY: KeyObject = createSecretKey('another secret for benchmarks only', 'utf8')

export const STATES = ['open', 'paid', 'sent'] as const
