export { ApiError, ConnectionError, type ErrorCode, type FieldError } from './client/api-error.ts'
export { type Addresses, type QueryValue, type QueryValues, routesOf } from './client/address.ts'
export type { Auth, Given } from './client/auth.ts'
export { type Client, type ClientOptions, createClient } from './client/client.ts'
export type {
  Answer,
  CallOptions,
  Clock,
  DeprecationNotice,
  ExchangeOptions,
} from './client/exchange.ts'
export type { Contract, Exchanged, Operation } from './client/operations.ts'
export type { PageOf, PageReader, Rows, WalkOptions } from './client/rows.ts'
export type { RetryOptions } from './client/waits.ts'
