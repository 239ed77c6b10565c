import type { ServiceFacts } from './authentication.ts'
import type { ApiRequest, MaybePromise } from './request.ts'
import type { FieldInfo } from './serializer.ts'
import type { Settings } from './settings.ts'

/** The verbs that a handler can be declared for. */
export type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** Answers a request: with data, or with a `reply(…)` where status or headers matter. */
export type Handler<in Rq = ApiRequest> = (request: Rq) => MaybePromise<unknown>

/** A reusable handler that brings its own policy and says what it reads. */
export interface Behaviour<in Rq = ApiRequest> {
  handle(request: Rq): MaybePromise<unknown>
  /** Configuration keys this behaviour insists on, between the group's layer and the endpoint's. */
  readonly policy?: Readonly<Record<string, unknown>>
  /** Input fields, for OPTIONS. */
  readonly fields?: Readonly<Record<string, FieldInfo>>
  /** Asked when the service starts, with the endpoint's settings: what is wrong, as a sentence. `null`: nothing. */
  check?(settings: Settings, service: ServiceFacts): string | null
}

/** Facts of an endpoint that belong to no layer. */
export interface EndpointFacts {
  /** Full name of the address. */
  readonly name: string
  /** Name for people: page title and OPTIONS. */
  readonly title: string
  readonly description: string
}

/** An endpoint with its policy folded: what the pipeline compiles. */
export interface ServedEndpoint {
  readonly facts: EndpointFacts
  readonly settings: Settings
  readonly handlers: Readonly<Partial<Record<Verb, Handler>>>
  readonly fields: Readonly<Partial<Record<Verb, Readonly<Record<string, FieldInfo>>>>>
}

/** Where the service tells what nobody asked about. Records hold no secrets. */
export interface Logger {
  /** What should not have happened: unforeseen errors, refused hosts. */
  error(record: Readonly<Record<string, unknown>>): void
  /** What did happen: tokens made and revoked, refused credentials. Without it nobody is told. */
  info?(record: Readonly<Record<string, unknown>>): void
}
