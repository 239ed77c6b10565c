import type { FieldInfo, RowsToChoose } from './page.ts'
import type { NamedFields, Portion, Rows } from './list-source.ts'
import type { UploadedFile } from '../std/http/form.ts'
import type { ApiRequest } from './request.ts'
import type { MaybePromise } from '../std/after.ts'
import type { Settings, SchemaPlace } from './settings/settings.ts'
import type { JSONSchema } from '../types/documents.ts'
import type { Route } from '../types/routes.ts'

export type { ChoiceInfo, FieldInfo } from './page.ts'

/** Shows rows. */
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
  /**
   * Shows a row for forms, without its embedded rows, so that nothing is looked up. Absent: `represent` looks nothing up.
   */
  readonly ownValues?: ((row: Row, request: Request) => unknown) | undefined
  /** Its fields as OPTIONS tells them (M3), in the version of the request. */
  readonly describe?: (request: Request) => Readonly<Record<string, FieldInfo>>
  /** The schema of the values that it shows and reads, for documents. Absent: any value. */
  readonly schema?: (place: SchemaPlace) => JSONSchema
  /** The name of its schema in documents. @default made of the name of the endpoint that shows it */
  readonly name?: string | undefined
  /** The lists from which the rows of its fields are chosen, by field, for people. */
  readonly lists?: (request: Request) => Readonly<Record<string, RowsToChoose>>
  /** Checks the endpoint's settings at the start: a problem as a sentence. `null`: none. */
  readonly check?: (settings: Settings, service?: CheckedService) => string | null
  /**
   * The names of its fields in a version, by which lists can be searched, ordered and filtered. It gives the same object
   * each time. Absent: the names of the source.
   */
  readonly namedFields?: (at: Pick<ApiRequest, 'settings' | 'version'>) => NamedFields
}

/** The facts about a service that are known when serializers are checked; `null`: the address table is not known. */
export interface CheckedService {
  readonly routes: readonly Route[] | null
  /** The address of the endpoint; absent: it is not known. */
  readonly route?: Route
  /** Must the rows that bodies refer to belong to the same tenant? @default false */
  readonly keepsTenants?: boolean
  /** Are the rows written that a body gives for an embedded field? Absent: no body is read. */
  readonly writesEmbedded?: boolean
  /** Do its rows belong to a scope, so that embedded rows must be in it too? @default false */
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
  /**
   * The name that clients have for a member of the input, in the version of the request; `null`: clients do not write it.
   */
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

/** The type that a serializer reads from a complete body: `InputOf<typeof article>`. */
export type InputOf<S> = S extends { readonly '~input'?: infer Both; readonly parse: infer Reads }
  ? Both extends { readonly input: infer Input }
    ? Input
    : Reads extends (...parameters: never) => MaybePromise<infer Input>
      ? Input
      : never
  : never

/** The type that a serializer reads from a partial update: `PatchOf<typeof article>`. */
export type PatchOf<S> = S extends { readonly '~input'?: infer Both }
  ? Both extends { readonly patch: infer Patch }
    ? Patch
    : InputOf<S>
  : never

/** The row that a serializer needs in order to show it; of several serializers, each one's. */
export type RowShownBy<S> = [S] extends [Serializer<infer Row, unknown, never>] ? Row : never

/** The data that a serializer makes of a row; for several, or for a function that chooses one, what any of them makes. */
export type DataShownBy<S> =
  S extends Serializer<never, infer Output, never>
    ? Output
    : S extends (request: never) => infer Each
      ? DataShownBy<Each>
      : never

/** The options for reading a body. */
export interface ParseOptions {
  /** Is the body partial? Then only sent members are read, and nothing is filled in (G2). @default false */
  readonly partial?: boolean
  /** The row that is to be changed, for validators. @default null: a new one */
  readonly existing?: unknown
  /** The values of a new row that are not in the input, for validators. @default nothing */
  readonly scope?: Readonly<Record<string, unknown>>
  /** Narrows rows to those that concern the request, for validators. @default all of them */
  readonly narrowed?: <Rows extends object>(rows: Rows) => Rows
  /** The rows that the body may refer to. @default any */
  readonly '~tenancy'?: object
}

/** A file whose content a field has examined, so that its type is that of the content. */
export interface CheckedFile extends UploadedFile {
  /** Safe in a path and in a URL, with an ending that belongs to the content. */
  readonly name: string
  /** The media type of the content. The client's claim only decides between kinds of text and of archives. */
  readonly type: string
  /** The width in pixels; `null`: the file is no PNG, JPEG, GIF or WebP. */
  readonly width: number | null
  readonly height: number | null
}

/** The place of files: rows have their keys. */
export interface FileStore {
  /** Keeps the file under the key, which no other file has. */
  readonly save: (key: string, file: CheckedFile, request: ApiRequest) => MaybePromise<unknown>
  /** Removes the file again, because the request that brought it was refused later. */
  readonly remove?: (key: string, request: ApiRequest) => MaybePromise<unknown>
  /** The URL at which clients get the file. @default the key is shown as it is */
  readonly url?: (key: string, request: ApiRequest) => string
}
