import type { FieldInfo, RowsToChoose } from './page.ts'
import type { NamedFields, Portion, Rows } from './list-source.ts'
import type { UploadedFile } from '../std/http/form.ts'
import type { ApiRequest } from './request.ts'
import type { MaybePromise } from '../std/after.ts'
import type { Settings, SchemaPlace } from './settings/settings.ts'
import type { JSONSchema } from '../types/documents.ts'
import type { Route } from '../types/routes.ts'

export type { ChoiceInfo, FieldInfo } from './page.ts'

/** How a row is shown. */
export interface Serializer<in Row = never, out Output = unknown, in Request = ApiRequest> {
  readonly represent: (row: Row, request: Request) => Output
  /**
   * Shows the rows of a table as `represent` shows rows, without an object for each row in between. `null`, or no such
   * method: rows are shown by `represent`.
   */
  readonly fromTable?: (table: Rows, request: Request) => readonly unknown[] | null
  /**
   * Shows rows with the rows that are embedded in them, which are looked up for all of them at once. Absent: each is shown
   * by `represent`.
   */
  readonly representAll?: (
    rows: readonly Row[] | Portion<Row>,
    request: Request,
  ) => MaybePromise<readonly Output[]>
  /** For forms, which look nothing up: a row without what is embedded. Absent: `represent` looks nothing up. */
  readonly ownValues?: ((row: Row, request: Request) => unknown) | undefined
  /** Its fields as OPTIONS tells them (M3), in the version of the request. */
  readonly describe?: (request: Request) => Readonly<Record<string, FieldInfo>>
  /** Of what it shows, and of what it reads, for documents. Without it: any value. */
  readonly schema?: (place: SchemaPlace) => JSONSchema
  /** What its schema is called in documents. @default made of the name of the endpoint that shows it */
  readonly name?: string | undefined
  /** By field: the list that its rows are chosen from. For people. */
  readonly lists?: (request: Request) => Readonly<Record<string, RowsToChoose>>
  /** Asked when the service starts, with the endpoint's settings: what is wrong, as a sentence. `null`: nothing. */
  readonly check?: (settings: Settings, service?: CheckedService) => string | null
  /**
   * What its fields are called in a version, so that lists can be searched, ordered and filtered by these names.
   * The same object each time. Absent: names are those of the source.
   */
  readonly namedFields?: (at: Pick<ApiRequest, 'settings' | 'version'>) => NamedFields
}

/** What is known of a service when its serializers are checked; `null`: not the address table. */
export interface CheckedService {
  readonly routes: readonly Route[] | null
  /** The address of the endpoint; absent: it is not known. */
  readonly route?: Route
  /** The rows that bodies refer to have to be of the same tenant. @default false */
  readonly keepsTenants?: boolean
  /** Are rows written that a body gives for an embedded field? Absent: no body is read. */
  readonly writesEmbedded?: boolean
  /** Its rows are those of a scope, which embedded rows have to be in, too. @default false */
  readonly isScoped?: boolean
  /** The fields that the serializer is embedded by, from the outside, and how many of its rows there may be. @default none */
  readonly embedded?: { readonly path: readonly string[]; readonly rows: number }
}

/** A serializer that reads what clients send, beside showing rows. */
export interface InputSerializer<
  in Row = never,
  out Output = unknown,
  in Request = ApiRequest,
  out Input = unknown,
  out Patch = unknown,
> extends Serializer<Row, Output, Request> {
  readonly parse: Parse<Request, Input, Patch>
  /** What clients call a member of the input, in the version of the request; `null`: they do not write it. */
  readonly nameOf?: (member: string, request: Request) => string | null
  /** `false`: it reads complete bodies only, and `partialUpdate` refuses to start. @default true */
  readonly readsPartially?: boolean
  /** Type only. */
  readonly '~input'?: { readonly input: Input; readonly patch: Patch }
}

/** Reads a parsed body: a value of JSON, or a `Form`. Throws `ValidationError` with everything that is wrong (E21). */
export interface Parse<in Request, out Input, out Patch> {
  (data: unknown, request: Request, options: ParseOptions & { partial: true }): MaybePromise<Patch>
  (
    data: unknown,
    request: Request,
    options?: ParseOptions & { partial?: false },
  ): MaybePromise<Input>
}

export type AnySerializer = Serializer<never, unknown, never>
export type AnyInputSerializer = InputSerializer<never, unknown, never>

/** What a serializer makes of a complete body: `InputOf<typeof article>`. */
export type InputOf<S> = S extends { readonly '~input'?: infer Both; readonly parse: infer Reads }
  ? Both extends { readonly input: infer Input }
    ? Input
    : Reads extends (...parameters: never) => MaybePromise<infer Input>
      ? Input
      : never
  : never

/** What a serializer makes of a partial update: `PatchOf<typeof article>`. */
export type PatchOf<S> = S extends { readonly '~input'?: infer Both }
  ? Both extends { readonly patch: infer Patch }
    ? Patch
    : InputOf<S>
  : never

/** What a row must be for a serializer to show it; for one of several, whichever it is. */
export type RowShownBy<S> = [S] extends [Serializer<infer Row, unknown, never>] ? Row : never

/** What a serializer makes of a row; of several, or of a function that chooses, what any of them does. */
export type DataShownBy<S> =
  S extends Serializer<never, infer Output, never>
    ? Output
    : S extends (request: never) => infer Each
      ? DataShownBy<Each>
      : never

/** How a body is to be read. */
export interface ParseOptions {
  /** Only what was sent is asked for, and nothing is filled in (G2). @default false */
  readonly partial?: boolean
  /** The row that is to be changed, for validators. @default null: a new one */
  readonly existing?: unknown
  /** What a new row has beside the input, for validators. @default nothing */
  readonly scope?: Readonly<Record<string, unknown>>
  /** Of these rows those that the request has to do with, for validators. @default all of them */
  readonly narrowed?: <Rows extends object>(rows: Rows) => Rows
  /** Which rows the body may refer to. @default any */
  readonly '~tenancy'?: object
}

/** A file that a field has looked into: its type is that of its content. */
export interface CheckedFile extends UploadedFile {
  /** Safe in a path and in a URL, with an ending that belongs to the content. */
  readonly name: string
  /** The media type of the content. What the client claims decides only between kinds of text and of archives. */
  readonly type: string
  /** In pixels; `null`: it is no PNG, JPEG, GIF or WebP. */
  readonly width: number | null
  readonly height: number | null
}

/** Where files are kept: rows have the keys that they are kept under. */
export interface FileStore {
  /** Keeps it under the key, which no other file has. */
  readonly save: (key: string, file: CheckedFile, request: ApiRequest) => MaybePromise<unknown>
  /** Takes it back: the request that brought it was refused after all. */
  readonly remove?: (key: string, request: ApiRequest) => MaybePromise<unknown>
  /** Where clients get it. @default the key is shown as it is */
  readonly url?: (key: string, request: ApiRequest) => string
}
