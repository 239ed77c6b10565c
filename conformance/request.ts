import type { ApiRequest } from 'colophon'
import type { Address } from 'colophon/types'

/** The addresses of the service. They come from a file, so any name may be asked for. */
export type Addresses = Readonly<Record<string, Address>>

/** A request as every endpoint of the service sees it. */
export type Request = ApiRequest<{
  user: unknown
  auth: unknown
  version: string | null
  params: Readonly<Record<string, unknown>>
  routes: Readonly<Record<string, `/${string}`>>
  implied: never
  places: never
}>
