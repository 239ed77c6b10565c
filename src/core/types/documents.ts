// The facts that policies, fields and behaviours give for documents such as OpenAPI.

/** A JSON Schema of draft 2020-12, which is that of OpenAPI 3.1. */
export interface JSONSchema {
  readonly [keyword: string]: unknown
}

/** Facts about the service that documents state and its code does not. */
export interface DocumentInfo {
  /** @default that of the pages for people */
  readonly title?: string
  /** @default which version of what it is */
  readonly description?: string
  /** `info.version` of the document of a service without versions. @default '1' */
  readonly release?: string
  /** @default the title as the name */
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string }
  /** `identifier` is one of SPDX, such as `MIT`, and excludes `url`. @default none is stated */
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string }
  readonly termsOfService?: string
}

/** The data that clients see, that they send, and that they send to change a part. */
export type Direction = 'output' | 'input' | 'patch'

/** The version of an endpoint that is described. */
interface VersionAt<Settings> {
  readonly settings: Settings
  readonly version: string | null
}

/** The place of a schema. */
export interface SchemaPlaceUnder<Settings> extends VersionAt<Settings> {
  readonly direction: Direction
  /** The name of the schema if it has none of its own. */
  readonly name: string
  /** A reference to the schema of a serializer, which stands in the document once. */
  refer(serializer: DescribesSchema<Settings>, place: SchemaPlaceUnder<Settings>): JSONSchema
}

/** A serializer, as far as documents need one. */
export interface DescribesSchema<Settings> {
  /** Its name in documents. @default made of the endpoint that shows it */
  readonly name?: string | undefined
  readonly schema?: (place: SchemaPlaceUnder<Settings>) => JSONSchema
}

/** The place of an operation. */
export interface OperationPlaceUnder<Settings> extends VersionAt<Settings> {
  /** The schema of a serializer here; of none, any value. */
  schema(serializer: DescribesSchema<Settings> | undefined, direction: Direction): JSONSchema
}

/** A parameter of the query. */
export interface ParameterFacts {
  readonly name: string
  readonly description?: string
  readonly required?: boolean
  /** @default any text */
  readonly schema?: JSONSchema
  /** Is an array written as one text with commas? @default false */
  readonly commas?: boolean
}

/** One way to answer. */
export interface AnswerFacts {
  readonly status: number
  /** A few words for the answer. @default the phrase of the status */
  readonly description?: string
  /** The schema of the data; `null`: the answer has no body. Absent: any data. */
  readonly schema?: JSONSchema | null
  /** Media types in place of those of the renderers. */
  readonly mediaTypes?: readonly string[]
  readonly headers?: Readonly<Record<string, { description: string; schema: JSONSchema }>>
}

/** An error beside those that follow from the policy of the endpoint. */
export interface ErrorFacts {
  readonly status: number
  readonly codes: readonly string[]
}

/** The input and output of one verb of an endpoint. */
export interface OperationFacts {
  /** A few words for the operation. @default made of the name of the endpoint and the `kind` */
  readonly summary?: string
  /** A sentence or more. @default that of the endpoint, else made of the `kind` or the summary */
  readonly description?: string
  /** One of the standard actions, if it is one. */
  readonly kind?: 'list' | 'create' | 'retrieve' | 'update' | 'partialUpdate' | 'destroy'
  /** The schema of the body; `null`: no body is read. Absent: it is not known. */
  readonly body?: JSONSchema | null
  readonly answers: readonly AnswerFacts[]
  readonly errors?: readonly ErrorFacts[]
  /** Answers and errors are all that there are. @default true */
  readonly complete?: boolean
}

/** The proof of identity as the object of OpenAPI, with the name that it would like to have there. */
export interface SecurityFacts {
  readonly name: string
  readonly scheme: JSONSchema
  /** May the credentials be limited to scopes? Then operations name the scopes that they need. @default false */
  readonly isScoped?: boolean
  /** The further credential that requests need in order to change something. */
  readonly writing?: { readonly name: string; readonly scheme: JSONSchema }
}

/** The place of the version in a request. */
export type VersionCarrier =
  | { readonly in: 'namespace' }
  /** A parameter of the path, of the query, of the media type that is accepted, or a header. */
  | { readonly in: 'path' | 'query' | 'accept' | 'header'; readonly name: string }
  /** `version` of a host; `null`: the host has none. `host` of a version, where it is known without the names of the service. */
  | {
      readonly in: 'host'
      readonly version: (host: string) => string | null
      readonly host?: (version: string) => string | null
    }
