import type { NormalForm, WrittenKind } from '../../core/ports/list-source.ts'
import type { RowsToChoose } from '../../core/ports/page.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { MaybePromise } from '../../core/std/after.ts'
import type { Settings, SchemaPlace } from '../../core/ports/settings/settings.ts'
import type { CheckedService, ChoiceInfo, Serializer } from '../../core/ports/serializer.ts'
import type { ErrorDetail } from '../../core/errors/detail.ts'
import type { Message } from '../../core/messages/message.ts'
import type { JSONSchema } from '../../core/types/documents.ts'
import type { OpenLink } from '../../core/types/reverse.ts'
import type { Embeds } from './embedding.ts'
import type { Refused } from './refused.ts'
import type { RelatedPlace, Tenancy } from './tenant-references.ts'

/** The values that a row may hold as key. */
export type LinkKey = string | number | bigint

/** The facts that a field and a validator see beside the value. */
export interface ReadContext<Rq = ApiRequest> {
  readonly request: Rq
  /** Only the sent members count (PATCH). */
  readonly partial: boolean
  /** The row that is to be changed, as `{ ...existing, ...given }`; `null`: a new one. */
  readonly existing: object | null
  /** The values of a new row beside the input: those of the scope of its resource. */
  readonly scope?: Readonly<Record<string, unknown>>
  /** The store of the resource within its scope, given that store; other rows as they are. */
  readonly narrowed?: <Rows extends object>(rows: Rows) => Rows
  /** The rows that the body may refer to; absent: any. */
  readonly tenancy?: Tenancy | undefined
  /** The data came as a form: every value is a text or a file. */
  readonly form: boolean
  /** The clients' name for a member of the input; for checks of the whole object. */
  readonly nameOf?: (member: string) => string | null
  /** Work for the time when the whole body is right. For fields that hold others. */
  readonly afterwards?: (() => unknown)[]
}

/**
 * Checks a value that has the right form. A text, a sentence of `defineMessages`, or an `ErrorDetail` with a code of its own, is
 * what is wrong; nothing is what is right. It may throw `ValidationError` as well. Where it needs to know more of
 * the request, it says so: `({ request }: ReadContext<RequestWith<{ user: User }>>)`. A serializer does not know its
 * endpoints, so the compiler takes its word.
 */
export type Validator<Given = never> = Check<Given>['check']
/** A method, whose parameters may be narrower than the caller promises. */
interface Check<Given> {
  check(
    value: Given,
    context: ReadContext,
  ): MaybePromise<string | Message | ErrorDetail | null | undefined | void>
}

/** The options of every kind of field. */
export interface AnyFieldOptions {
  /** Shown, and ignored in what clients send. @default false */
  readonly readOnly?: boolean
  /** Read, and never shown. @default false */
  readonly writeOnly?: boolean
  /** Whether clients must send it. @default true, unless it is `readOnly` or has a `default` */
  readonly required?: boolean
  /** Whether it may be `null`, in rows and in what clients send. @default false */
  readonly nullable?: boolean
  /** Used where a client sends nothing, except in partial updates. */
  readonly default?: unknown
  /** The row's name for it, and the input's. A path (`'author.name'`) is for `readOnly` fields. @default its own name */
  readonly source?: string
  /** Called when the value has the right form; everything they find wrong is reported. */
  readonly validators?: readonly Validator<never>[]
  /** Name for people. @default made of the name: `authorName` → `Author name` */
  readonly label?: string
  /** One more sentence for people. */
  readonly helpText?: string
  /** The first version that has it, in the order of `allowedVersions`. @default the first */
  readonly since?: string
  /** The first version that no longer has it. @default none */
  readonly until?: string
}

/** The options of a field whose values are `Given`. */
export interface FieldOptions<Given> extends AnyFieldOptions {
  readonly default?: Given | null | (() => Given | null)
  readonly validators?: readonly Validator<Given>[]
}

/** Options as they were written, `O`, which are to be of this kind: a name that it does not know does not compile. */
export type Chosen<O, Kind> = O &
  Kind & { readonly [K in Exclude<keyof O, keyof Kind>]: ThereIsNoOption<K> }

/** The compiler shows this for a misspelt option. */
export interface ThereIsNoOption<Name> {
  readonly '~name': Name
}

/** Is the text from `from` on, up to `end`, shown as it is? */
export type AreKept = (bytes: Uint8Array, from: number, end: number) => boolean

/**
 * One field of a serializer: how a value is shown, and how one is read. It knows neither its name nor
 * its row; `null` and missing values never reach it.
 *
 * `Raw` is what the row holds, `Shown` what clients see, `Given` what `parse` makes of what they send,
 * and `Patch` the same for partial updates.
 */
export interface Field<
  in Raw = never,
  out Shown = unknown,
  out Given = unknown,
  out Options = unknown,
  out Patch = Given,
> {
  /** The name of its kind in OPTIONS: `string`, `integer` … */
  readonly type: string
  readonly options: Options & AnyFieldOptions
  /** The options that its kind has beside those of every field. Absent: it may have any. */
  readonly own?: readonly string[]
  /** `null`: as it is. `keeps`: values of this type are shown as they are, numbers if they are whole and safe. */
  readonly show:
    | (((value: Raw, request: ApiRequest) => Shown) & { readonly keeps?: 'number' | 'string' })
    | null
  /**
   * Shows the texts that a database writes into columns of this kind, without the value in between; `null`: the value is
   * read and shown.
   */
  readonly showWritten?: (kind: WrittenKind) => AsWritten | null
  /** Tells which of these texts are shown unchanged, as bytes in quotes; `null`: it is not known of any. */
  readonly keepsBytes?: (kind: WrittenKind) => AreKept | null
  /** Gives the value that the client meant, or the reason why it is wrong. It may also throw `ValidationError`. */
  readonly read: (value: unknown, context: ReadContext) => MaybePromise<Given | Patch | Refused>
  /** The form's value: the `last` value of the name, or `all` of them. @default 'last' */
  readonly inForms?: 'last' | 'all'
  /** The value that a missing name in a form means, unless it means a missing value: an unchecked box is `false`. */
  readonly absentInForms?: unknown
  /** Is an empty text of a form kept? Other fields read it as `null` or as missing. @default false */
  readonly keepsBlank?: boolean
  /** Do people write all of its texts on one line? Other texts without a limit have several in forms. @default false */
  readonly isLine?: boolean
  /** Does the value mean `null` if the field is nullable, as an empty text does for a relation? */
  readonly meansNull?: (value: unknown) => boolean
  /** For references: the place of the rows, and whether they must belong to the same tenant. */
  readonly relation?: RelatedPlace
  /** The rows of another store that its value names, and that are shown in its place. */
  readonly embeds?: Embeds
  /**
   * The program gives the value, and clients neither see nor send it; `undefined`: there is none. `place` is
   * its name in the row.
   */
  readonly supply?: (context: ReadContext, place: string) => MaybePromise<Given | undefined>
  /**
   * Gives the value that replaces the input, such as the key of a file, and the work for it once the whole body is right.
   */
  readonly keep?: (given: never, context: ReadContext) => KeptValue
  /**
   * Takes the digits of a long JSON number as text where a `number` has lost some; `'aside'`: as a number that is
   * written with them. @default false
   */
  readonly takesDigits?: boolean | 'aside'
  /** The fields that are converted together with it, in some versions. */
  readonly converted?: ConvertedGroup
  /** The items of a list, or the values of a dictionary. */
  readonly child?: AnyField
  /** The serializer of a nested object; `existing` is then the value in the row, not the row. */
  readonly serializer?: () => Serializer<never>
  /** The few values that the field takes, with their names for people. */
  readonly choices?: readonly ChoiceInfo[]
  /** The schema of its values, without `null`, for documents. @default any value */
  readonly schema?: (place: SchemaPlace) => JSONSchema
  /**
   * The form in which rows have a value that clients can write in several forms; filters compare in this form. Absent: the
   * value as sent.
   */
  readonly normalForm?: NormalForm
  /** For references: the list with the rows; `null`: none. */
  readonly listed?: (request: ApiRequest) => RowsToChoose | null
  /**
   * `true` if showing calls code of the application: errors thrown there are 500, and the value is not shown as `null`.
   * @default false
   */
  readonly runsProgram?: boolean
  /** For links: the open link of a request, in which only the value differs; `null`: each link is made by itself. */
  readonly open?: (request: ApiRequest) => OpenLink | null
  /** For links: does an address hold this key? Asked before another field stores the key. */
  readonly hasAddress?: (key: LinkKey, request: ApiRequest) => boolean
  /**
   * Asked when the service starts: what is wrong, as a sentence. `null`: nothing. The name is the one
   * that clients know it by.
   */
  readonly check?: (settings: Settings, service: CheckedService, name: string) => string | null
}

/** `null`: this text has to be read. */
export type AsWritten = (text: string, request: ApiRequest) => unknown

/** The value for the input, with the work that is put off until the whole body has proved right. */
export interface KeptValue {
  readonly value: unknown
  readonly work: () => unknown
}

/** The common part of fields that are converted together. */
export interface ConvertedGroup {
  readonly show: (row: unknown) => Readonly<Record<string, unknown>>
  readonly read: (given: object) => Readonly<Record<string, unknown>>
  /** The members of the input that `read` has given. */
  readonly written: Set<string>
}

/** Any field at all. */
export type AnyField = Field<never>

/** The fields of a serializer, by the names that clients know. */
export type Fields = Readonly<Record<string, AnyField>>
