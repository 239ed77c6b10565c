import type { PlainReply } from './http-adapter.ts'
import type { ServiceFacts } from './service-facts.ts'
import type { FilterControl, ListSource, Portion } from './list-source.ts'
import type { OperationFacts, ParameterFacts } from '../types/documents.ts'
import type { ApiRequest } from './request.ts'
import type { MaybePromise } from '../std/after.ts'
import type { OperationPlace, Settings } from './settings/settings.ts'
import type { Permission } from './policies/permissions.ts'
import type { ListView, Page, PageControls, Paginator } from './policies/pagination.ts'
import type { InputForm, Presentation, RowLinks } from './page.ts'

export type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** Answers a request: with data, or with a `reply(…)` where status or headers matter. */
export type Handler<in Rq = ApiRequest> = (request: Rq) => MaybePromise<unknown>

/** A reusable handler with its own policy and a description of its input. */
export interface Behaviour<in Rq = ApiRequest, out Answer = unknown> {
  handle(request: Rq): MaybePromise<unknown>
  /** Type only: the answer, for tests and clients. */
  readonly '~answer'?: Answer
  /** Configuration keys this behaviour insists on, between the group's layer and the endpoint's. */
  readonly policy?: Readonly<Record<string, unknown>>
  /** Permissions that are asked in addition to the endpoint's. */
  readonly permissions?: readonly Permission[]
  /** Does a client send a password in the body? Then guesses have to be limited (`colophon doctor`). @default false */
  readonly takesPasswords?: boolean
  /**
   * Is its GET answered whatever name the host has? Probes know only an address. Such answers must not hold links.
   *
   * @default false
   */
  readonly takesAnyHost?: boolean
  /** Does it show rows? Then a layer has to name who may read them (`colophon doctor`). @default false */
  readonly showsRows?: boolean
  /**
   * The tenants of a resource's rows, and the rows that its bodies refer to (`colophon doctor`). Only resources that take
   * bodies have it.
   */
  readonly '~tenants'?: TenantFacts
  /** The stores whose rows it shows, for a check when the service starts. Absent: it shows rows of no store. */
  readonly '~shows'?: ShownFacts
  /**
   * The fields of the body, for OPTIONS (M1) and for pages with forms (W13, W14). `row` is the object of the request, if a
   * page has it. `null`: the fields are not known.
   */
  form?(request: Rq, row: unknown): InputForm | null
  /** Called before OPTIONS shows the fields. If it throws an `ApiError`, the fields are not shown (M2). */
  looksUp?(request: Rq): unknown
  /** Describes for documents what it reads and answers in a version; `null`: documents leave it out. @default anything */
  operation?(place: OperationPlace): OperationFacts | null
  /** The data of an answer as pages show it to people, in place of the data. @default as data */
  presentation?(data: never, request: Rq): Presentation
  /** The pages to which keys in its rows lead. @default none */
  leadsTo?(request: Rq): RowLinks
  /**
   * The query parameters that the behaviour reads, for `strictQuery` and documents. The request of such a question has
   * settings and a version only. @default none
   */
  parameters?(request: Rq): readonly ParameterFacts[]
  /** The filters and orders of its list, for pages (W10). @default none */
  filterControls?(request: Rq): readonly FilterControl[]
  /** Checks the endpoint's settings at the start. Gives a problem as a sentence; `null`: none. */
  check?(settings: Settings, service: ServiceFacts): string | null
  /**
   * Called before a server listens, if the database can be asked. Gives a sentence about a named column that the table
   * lacks; `null`: none is known.
   */
  lacks?(served: Pick<ServedEndpoint, 'settings' | 'versions'>): MaybePromise<string | null>
  /** The columns by which the style orders a list that has no order, each with the place that names it. */
  readonly '~order'?: (settings: Settings) => readonly (readonly [where: string, column: string])[]
  /**
   * Findings for the operator under these settings. Asked when the service starts in production, and by `app.findings()`.
   */
  findings?(settings: Settings): readonly Finding[]
}

/** The rows of a resource and their tenants. */
export interface TenantFacts {
  /** `null`: a request decides. */
  readonly store: object | null
  readonly isScoped: boolean
  /** The stores that bodies refer to outside of a scope. */
  readonly refersTo: readonly object[]
  /** Do bodies refer to rows without a scope, although no field says so? */
  readonly refersAnywhere: boolean
  /** The embedded fields whose rows bodies write. */
  readonly writes: readonly { readonly field: string; readonly store: object }[]
  /** Is a rule asked in the transaction of a write? */
  readonly isRuled: boolean
}

/** The rows that an answer shows. */
export interface ShownFacts {
  /** The store of a resource; `null`: a request decides, or there is none. */
  readonly store: object | null
  readonly isScoped: boolean
  /** The path parameter by which rows are found, if the resource names one. */
  readonly lookup?: string | undefined
  /** The fields that embed rows, with the store of the embedded rows, if these are kept to a scope. */
  readonly embeds: readonly { readonly field: string; readonly store: object }[]
}

/**
 * Cuts the lists of a request that is answered on behalf of two clients, so that a page shows only rows that both may see.
 */
export interface ListsForTwo {
  cut<Row>(list: WholeList<Row>): Promise<CutList<Row>>
}

/** A list, and how one client alone is shown it. */
export interface WholeList<Row> {
  readonly source: ListSource<Row>
  readonly paginator: Paginator | null
  readonly request: ApiRequest
  readonly view: ListView
}

/** The rows that a list shows. `page`: the page from which the style makes the answer; `null`: the answer is the rows. */
export interface CutList<Row> {
  readonly page: Page<Row> | null
  readonly portion: Portion<Row>
  controls?(): PageControls | null
}

/** A setting that works, and that an operator may want to change before the service meets the open internet (I20). */
export interface Finding {
  /** The word for searching logs and reports: `whole-list`. */
  readonly kind: string
  /** The possible effect of one request, as a sentence without the endpoint. */
  readonly message: string
  /** The remedy, as a sentence. */
  readonly fix: string
}

/** Facts of an endpoint that belong to no layer; `name` is the full name of the address. */
export interface EndpointFacts {
  readonly name: string
  /** Name for people: page title and OPTIONS. */
  readonly title: string
  readonly description: string
}

/** An endpoint with its policy folded: what the pipeline compiles. */
export interface ServedEndpoint {
  readonly facts: EndpointFacts
  readonly settings: Settings
  /** In their order; `null`: it has none, or they are not known. */
  readonly versions: readonly string[] | null
  readonly behaviours: Readonly<Partial<Record<Verb, Behaviour>>>
  /** May some endpoint of the application read from replicas? @default false */
  readonly hasReplicas?: boolean
}

/** The result of the checks of a request, without its handler. */
export interface Rehearsal {
  /** The request as the handler would get it, or as far as it was known when a step refused it. */
  readonly request: ApiRequest
  /** The step that refuses the request, and the client's answer; `null`: the handler would be called. */
  readonly refusal: { readonly by: RehearsedStep; readonly answer: PlainReply } | null
}

/** `sunset`: the version is no longer served. Throttles have no step here, because asking them counts the request. */
export type RehearsedStep =
  | 'address'
  | 'negotiation'
  | 'version'
  | 'sunset'
  | 'authentication'
  | 'permissions'
  | 'method'

/**
 * Takes what the service reports by itself. Records hold no secrets: of an error, `error` is the stack with those of its
 * causes, and `err`, for loggers that know errors, the error itself, whose further members a driver may have added.
 */
export interface Logger {
  /** Unexpected events: unforeseen errors, refused hosts. */
  error(record: Readonly<Record<string, unknown>>): void
  /** Problems that an operator should solve, such as a missing safeguard in production. @default `info` */
  warn?(record: Readonly<Record<string, unknown>>): void
  /** Expected events: tokens made and revoked, refused credentials. Without it they are not reported. */
  info?(record: Readonly<Record<string, unknown>>): void
}
