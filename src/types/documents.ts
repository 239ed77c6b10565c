// What policies, fields and behaviours say of themselves for documents such as OpenAPI.

/** A JSON Schema of draft 2020-12, which is that of OpenAPI 3.1. */
export interface JSONSchema {
  readonly [keyword: string]: unknown
}

/** What clients are shown, what they send, and what they send in order to change a part. */
export type Direction = 'output' | 'input' | 'patch'

/** The version of an endpoint that is described. */
interface VersionAt<Settings> {
  readonly settings: Settings
  readonly version: string | null
}

/** Where a schema is to stand. */
export interface SchemaPlaceUnder<Settings> extends VersionAt<Settings> {
  readonly direction: Direction
  /** What the schema would be called here, if it had no name of its own. */
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

/** Where an operation is described. */
export interface OperationPlaceUnder<Settings> extends VersionAt<Settings> {
  /** The schema of a serializer here; of none, any value. */
  schema(serializer: DescribesSchema<Settings> | undefined, direction: Direction): JSONSchema
}

/** A parameter of the query. */
export interface ParameterFacts {
  readonly name: string
  readonly description?: string
  readonly required?: boolean
  readonly schema: JSONSchema
  /** An array is one text with commas. @default false */
  readonly commas?: boolean
}

/** One way to answer. */
export interface AnswerFacts {
  readonly status: number
  /** In a few words. @default those of the status */
  readonly description?: string
  /** Of the data; `null`: the answer has no body. Absent: any data. */
  readonly schema?: JSONSchema | null
  /** In place of those of the renderers. */
  readonly mediaTypes?: readonly string[]
  readonly headers?: Readonly<Record<string, { description: string; schema: JSONSchema }>>
}

/** An error beside those that follow from the policy of the endpoint. */
export interface ErrorFacts {
  readonly status: number
  readonly codes: readonly string[]
}

/** What one verb of an endpoint reads and answers. */
export interface OperationFacts {
  /** In a few words. @default made of the name of the endpoint and the `kind` */
  readonly summary?: string
  /** One of the standard actions, if it is one. */
  readonly kind?: 'list' | 'create' | 'retrieve' | 'update' | 'partialUpdate' | 'destroy'
  readonly parameters?: readonly ParameterFacts[]
  /** What the body is read by; `null`: none is read. Absent: it is not known. */
  readonly body?: JSONSchema | null
  readonly answers: readonly AnswerFacts[]
  readonly errors?: readonly ErrorFacts[]
  /** Answers and errors are all that there are. @default true */
  readonly complete?: boolean
}

/** How clients prove who they are, as the object of OpenAPI, with the name that it would like to have there. */
export interface SecurityFacts {
  readonly name: string
  readonly scheme: JSONSchema
  /** What requests that change something must carry beside it. */
  readonly writing?: { readonly name: string; readonly scheme: JSONSchema }
}

/** Where a request carries its version. */
export type VersionCarrier =
  | { readonly in: 'namespace' }
  /** A parameter of the path, of the query, of the media type that is accepted, or a header. */
  | { readonly in: 'path' | 'query' | 'accept' | 'header'; readonly name: string }
  /** `version` of a host; `null`: the host has none. */
  | { readonly in: 'host'; readonly version: (host: string) => string | null }
