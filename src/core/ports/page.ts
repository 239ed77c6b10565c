// The parts of a page for people beside the answer itself.
import type { Message } from '../messages/message.ts'
import type { MaybePromise } from '../std/after.ts'

/** The parts of a scheme for browsers that pages need: the address for logging in, and tokens for their forms. */
export interface BrowserAccess<in Rq> {
  readonly loginUrl: string
  /** Name of the field that a form sends the token in. */
  readonly field: string
  /** Name of the header that a script sends it in. */
  readonly header: string
  /** Lets staff see pages as other users. */
  readonly actAs?: { permits(request: never): MaybePromise<boolean> }
  /** A token for the browser that asks, and the values of `Set-Cookie` that belong to it. */
  issue(request: Rq): { readonly token: string; readonly cookies: readonly string[] }
  /**
   * Was a request of a page of this service refused only because that page is older than the session? Then its form may
   * be sent once more, with a token of today. @default no
   */
  isOutdated?(error: unknown, request: Rq): boolean
}

/** The results of looking up, loading or asking before a page is rendered. */
export interface Prepared {
  /** Sent beside those of the answer, and shown on no page. */
  readonly headers?: Readonly<Record<string, string>>
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[]
}

/** The fields of a body, and the first values of a form. */
export interface InputForm {
  readonly fields: Readonly<Record<string, FieldInfo>>
  /** The object as its serializer shows it. @default there is none yet */
  readonly values?: unknown
  /** By field: the list that its rows are chosen from. @default there is none */
  readonly lists?: Readonly<Record<string, RowsToChoose>>
  /** The purpose of the form. @default that of its method: "Create", "Change" */
  readonly title?: Message
  /** By field: what browsers fill in, such as `current-password`. @default of a password nothing old, else as browsers guess */
  readonly autocomplete?: Readonly<Record<string, string>>
  /** Hidden values of the form by name, which are sent again after a refusal. */
  readonly hidden?: Readonly<Record<string, string>>
}

/** A list of the service whose rows a field takes, so that a page need not have them. */
export interface RowsToChoose {
  readonly url: string
  /** The member of each row that the field takes. */
  readonly member: string
}

/** An answer for people: a notice, the rows with their actions, and the links to other pages. */
export interface Presentation {
  /** The result of an action, or a hint for the reader. */
  readonly notice?: Message
  /** A key that stands in this answer, and what to know about it. */
  readonly secret?: { readonly value: string; readonly note: Message }
  readonly columns?: readonly Message[]
  readonly rows?: readonly PresentedRow[]
  /** One object: its columns stand below each other. */
  readonly isOne?: boolean
  /** Links, and actions that a click carries out. */
  readonly actions?: readonly PresentedAction[]
  /** An action on the chosen rows: `field` is sent with the `id` of each. */
  readonly many?: PresentedAction & { readonly field: string }
  /** Are the actions all that the page sends? Then it has no forms beside them. @default false */
  readonly hasNoForms?: boolean
}

/** A row of a page for people, with what can be done about it. */
export interface PresentedRow {
  readonly id: string
  /** The name of the row, for screen readers. */
  readonly name: string
  readonly cells: readonly Cell[]
  readonly actions: readonly PresentedAction[]
}

/** A value for people. `at` is a point in time; each of the `words` stands alone; `null` shows no value. */
export interface Cell {
  readonly text?: string | Message | null
  readonly at?: string
  /** Are seconds shown, because the order of events matters? */
  readonly toSecond?: boolean
  readonly words?: readonly (string | Message)[]
  readonly url?: string
  /** Should readers notice the value? */
  readonly isLoud?: boolean
}

/** A link, or with `sure` a button that sends a POST: `{ label: Message.of('admin.tokens'), url: '/admin/tokens/' }`. */
export interface PresentedAction {
  readonly label: Message
  readonly url: string
  /** The question before the action, which is then sent as POST. Without it the action is a link. */
  readonly sure?: Message
  /** Further fields that the form sends. */
  readonly fields?: Readonly<Record<string, string>>
  readonly choice?: {
    readonly name: string
    readonly label: Message
    readonly choices: readonly (readonly [value: string, label: Message])[]
  }
  readonly isDangerous?: boolean
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
  /** The largest size of a file, in bytes. */
  readonly max_size?: number
  /** The media types that a file may have. */
  readonly media_types?: readonly string[]
  readonly choices?: readonly ChoiceInfo[]
  /** `child` describes the items of a list, `children` the fields of a nested object. */
  readonly child?: FieldInfo
  readonly children?: Readonly<Record<string, FieldInfo>>
  /** Do people write it on one line? It cannot be enumerated: pages know it, and OPTIONS does not show it. */
  readonly isLine?: boolean | undefined
}

/** The pages to which keys in rows lead, by member of the rows. */
export interface RowLinks {
  /** Do the rows come from a list? Otherwise the page shows one row. */
  readonly isList: boolean
  /** `null`: this value leads to no page. */
  readonly byMember: ReadonlyMap<string, (key: string | number) => string | null>
}
