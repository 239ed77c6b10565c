export {
  ApiError,
  ConnectionError,
  type ErrorCode,
  type FieldError,
} from './addons/client/api-error.ts'
export {
  type Addresses,
  type QueryValue,
  type QueryValues,
  routesOf,
} from './addons/client/address.ts'
export type { Auth, Given } from './addons/client/auth.ts'
export { type Client, type ClientOptions, createClient } from './addons/client/client.ts'
export type {
  Answer,
  CallOptions,
  Clock,
  DeprecationNotice,
  ExchangeOptions,
} from './addons/client/exchange.ts'
export type { Contract, Exchanged, Operation } from './addons/client/operations.ts'
export type { PageOf, PageReader, Rows, WalkOptions } from './addons/client/rows.ts'
export type { RetryOptions } from './addons/client/waits.ts'
