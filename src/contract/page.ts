// What a page for people is made from, beside the answer itself.
import type { Message } from '../messages/message.ts'
import type { MaybePromise } from '../std/after.ts'
import type { Reply } from './answers.ts'
import type { FilterControl } from './list-source.ts'

/** An address with what it is called. */
export interface NamedLink {
  readonly name: string
  readonly url: string
  readonly isCurrent: boolean
}

/** A version of the resource that is shown; `url` is `null` where it has no address of its own. */
export interface VersionLink {
  readonly version: string
  readonly url: string | null
  readonly isCurrent: boolean
}

/** The answer to another request of the same client. */
export interface OtherAnswer {
  readonly status: number
  readonly mediaType: string
  /** `null`: it is no text. */
  readonly text: string | null
}

/** What a scheme that browsers send by themselves gives to pages: where to log in, and tokens for their forms. */
export interface BrowserAccess<in Rq> {
  readonly loginUrl: string
  /** Name of the field that a form sends the token in. */
  readonly field: string
  /** Name of the header that a script sends it in. */
  readonly header: string
  /** Where staff may see pages as other users. */
  readonly actAs?: { permits(request: never): MaybePromise<boolean> }
  /** A token for the browser that asks, and the values of `Set-Cookie` that belong to it. */
  issue(request: Rq): { readonly token: string; readonly cookies: readonly string[] }
  /**
   * Was a request of a page of this service refused only because that page is older than the session? Then its form may
   * be sent once more, with a token of today. @default no
   */
  isOutdated?(error: unknown, request: Rq): boolean
}

/**
 * What a page may ask about the request that it answers. Nothing here gives more than the client's own rights: every
 * question about another method, address or version goes through that one's own checks.
 */
export interface PageFacts<Rq> {
  /** The request, with its user and its version. */
  readonly request: Rq
  readonly endpoint: { readonly name: string; readonly title: string; readonly description: string }
  /** What `Allow` says. */
  readonly methods: readonly string[]
  /** Would the endpoint's permissions let the client use this method? */
  permits(method: string): MaybePromise<boolean>
  /** What can be done here beside this answer (W13, W14); nothing where it says that the client may not be here. */
  offer(answer: Reply): MaybePromise<Offer>
  /** The endpoints at the beginnings of the path, the shortest first (W3). */
  crumbs(): readonly NamedLink[]
  /** Addresses one word further that are served too: extra actions (W9). */
  actions(): readonly NamedLink[]
  /** The resource in all versions that have it; empty where there is nothing to choose. */
  versions(): readonly VersionLink[]
  /** The same GET in another version, as the same client. `null`: there is none. */
  inVersion(version: string): MaybePromise<OtherAnswer | null>
  /** What OPTIONS would answer; `null`: it is refused. */
  metadata(): MaybePromise<unknown>
  /** Where the list can be narrowed; empty for what is none. */
  filters(): readonly FilterControl[]
  /** Of the first scheme that has it; `null`: no scheme is one of browsers. */
  readonly browser: BrowserAccess<Rq> | null
  /** The answer as its endpoint shows it to people; `null`: as data. */
  presentation(answer: Reply): Presentation | null
  /** Whose view is shown, and where that is chosen; `null`: the user may not choose. */
  acting(): MaybePromise<Acting | null>
  /** Where logging in and out is, if it is served; `null`: it is not. */
  readonly login: { readonly loginUrl: string; readonly logoutUrl: string | null } | null
}

/** What a renderer has looked up, loaded or asked before it renders. */
export interface Prepared {
  /** Sent beside those of the answer, and shown on no page. */
  readonly headers?: Readonly<Record<string, string>>
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[]
}

/** What the user who is shown a page may do at its address, beside reading it (W7, W8, W13, W14, W17). */
export interface Offer {
  /** In the order of `Allow`, without GET and HEAD: their permissions were asked, and for an object about it. */
  readonly methods: readonly string[]
  /** By method: what it reads, where that is known. */
  readonly forms: Readonly<Record<string, InputForm>>
  /** What this request has sent, where the answer refuses it. */
  readonly refused: RefusedInput | null
  /** What it has sent, where nothing was wrong but the age of its page; `null`: nothing that a page may hold. */
  readonly again: SentForm | null
}

/** A form as it was sent, without its token. */
export interface SentForm {
  readonly encoding: 'multipart/form-data' | 'application/x-www-form-urlencoded'
  readonly entries: readonly (readonly [name: string, value: string])[]
}

/** What a body consists of, and what a form for it begins with. */
export interface InputForm {
  readonly fields: Readonly<Record<string, FieldInfo>>
  /** The object as its serializer shows it; `null`: there is none yet. */
  readonly values: unknown
  /** By field: the list that its rows are chosen from. @default there is none */
  readonly lists?: Readonly<Record<string, RowsToChoose>>
  /** What the form does. @default that of its method: "Create", "Change" */
  readonly title?: Message
  /** By field: what browsers fill in, such as `current-password`. @default of a password nothing old, else as browsers guess */
  readonly autocomplete?: Readonly<Record<string, string>>
}

/** A list of the service whose rows a field takes, so that a page need not have them. */
export interface RowsToChoose {
  readonly url: string
  /** Of each row: what the field takes of it. */
  readonly member: string
}

/** The body of a request that was refused, and why. */
export interface RefusedInput {
  readonly method: string
  /** What its parser made of it: a `Form`, or a value of JSON. */
  readonly data: unknown
  /** Messages by field, as clients are shown them; `null`: none are known. */
  readonly errors: unknown
}

/** An answer as people read it: what was done, rows with what can be done about them, and where to go from here. */
export interface Presentation {
  /** What was done, or what to know. */
  readonly notice?: Message
  /** A key that stands in this answer, and what to know about it. */
  readonly secret?: { readonly value: string; readonly note: Message }
  readonly columns?: readonly Message[]
  readonly rows?: readonly PresentedRow[]
  /** One object: its columns stand below each other. */
  readonly isOne?: boolean
  /** Links, and what is done at a click. */
  readonly actions?: readonly PresentedAction[]
  /** Done to the rows that are chosen: `field` is sent with the `id` of each. */
  readonly many?: PresentedAction & { readonly field: string }
  /** Are the actions all that the page sends? Then it has no forms beside them. @default false */
  readonly hasNoForms?: boolean
}

export interface PresentedRow {
  readonly id: string
  /** What it is called, for who cannot see the row. */
  readonly name: string
  readonly cells: readonly Cell[]
  readonly actions: readonly PresentedAction[]
}

/** A value as people read it. `at`: a point in time; `words`: each stands alone; `null`: none. */
export interface Cell {
  readonly text?: string | Message | null
  readonly at?: string
  /** Is the minute too coarse, as where the order of what happened matters? */
  readonly toSecond?: boolean
  readonly words?: readonly (string | Message)[]
  readonly url?: string
  /** Is it something to notice? */
  readonly isLoud?: boolean
}

export interface PresentedAction {
  readonly label: Message
  readonly url: string
  /** Asked before it is done, as POST. Without it the action is a link. */
  readonly sure?: Message
  /** Sent along. */
  readonly fields?: Readonly<Record<string, string>>
  readonly choice?: {
    readonly name: string
    readonly label: Message
    readonly choices: readonly (readonly [value: string, label: Message])[]
  }
  readonly isDangerous?: boolean
}

/** Whose view of the API a page shows. */
export interface Acting {
  /** `null`: that of the user. */
  readonly name: string | null
  /** Address that another choice is sent to; `null`: it is not served. */
  readonly url: string | null
}

/** One value that may be chosen, with its name for people. */
export interface ChoiceInfo {
  readonly value: unknown
  readonly display_name: string
  /** The heading that it stands under, where choices have headings. */
  readonly group?: string
}

/** One input field, as OPTIONS tells it (M3). */
export interface FieldInfo {
  /** The name of its kind: `string`, `integer`, `nested object` … */
  readonly type: string
  readonly required: boolean
  readonly read_only: boolean
  /** Absent for the items of a list, which have no name. */
  readonly label?: string
  readonly help_text?: string
  readonly min_length?: number
  readonly max_length?: number
  /** A text where a number could not hold it. */
  readonly min_value?: number | string
  readonly max_value?: number | string
  readonly max_digits?: number
  readonly decimal_places?: number
  /** Of a file, in bytes. */
  readonly max_size?: number
  /** Of a file. */
  readonly media_types?: readonly string[]
  readonly choices?: readonly ChoiceInfo[]
  /** What a list consists of, and what a nested object. */
  readonly child?: FieldInfo
  readonly children?: Readonly<Record<string, FieldInfo>>
}
