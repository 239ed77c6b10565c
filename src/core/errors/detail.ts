import type { MessageKey } from '../messages/english.ts'
import { Message, type ValuesFor } from '../messages/message.ts'

/** One message of an error, with the code that programs read. Shows as its message. */
export class ErrorDetail {
  readonly message: string
  readonly code: string
  /** The sentence of the catalogue; `null`: the application's own text, which has one language. */
  readonly #words: Message | null

  /** @param code default: that of the message, where it is one of the catalogue */
  constructor(message: Message, code?: string)
  constructor(message: string | Message, code: string)
  constructor(message: string | Message, code?: string) {
    this.message = String(message)
    this.code = code ?? (message as Message).code
    this.#words = typeof message === 'string' ? null : message
  }

  /**
   * A sentence of the catalogue; its key begins with the code.
   *
   * @example ErrorDetail.of('max_length', { count: 100 })
   */
  static of<Key extends MessageKey>(key: Key, ...values: ValuesFor<Key>): ErrorDetail {
    return new ErrorDetail(Message.of(key, ...values))
  }

  /** A copy of the detail in other words: `wording` changes a sentence of the catalogue. */
  inWords(wording: (message: Message) => string): ErrorDetail {
    return this.#words === null ? this : new ErrorDetail(wording(this.#words), this.code)
  }

  toString(): string {
    return this.message
  }

  toJSON(): string {
    return this.message
  }
}

/** The texts of an error: one message, or lists and objects of them (E2, E20). */
export type Detail = ErrorDetail | readonly Detail[] | { readonly [key: string]: Detail }

/** The input of a detail: plain texts take the error's code. */
export type DetailInput =
  | string
  | Message
  | ErrorDetail
  | readonly DetailInput[]
  | { readonly [key: string]: DetailInput }

/** Gives every text of `input` the code `code`, unless it has its own. */
export function toDetail(input: DetailInput, code: string): Detail {
  if (typeof input === 'string' || input instanceof Message) return new ErrorDetail(input, code)
  if (input instanceof ErrorDetail) return input
  return mapNested(input, (part) => toDetail(part as DetailInput, code)) as Detail
}

/** The detail with every message changed, in the same shape. */
export function mapDetail<T>(detail: Detail, change: (message: ErrorDetail) => T): unknown {
  return detail instanceof ErrorDetail
    ? change(detail)
    : mapNested(detail, (part) => mapDetail(part as Detail, change))
}

/**
 * The messages of an error for clients, in the shape of its detail: a sentence, a list, or an object by field.
 *
 * @example messagesOf(error.detail) // { title: ['This field is required.'] }
 */
export function messagesOf(detail: Detail): unknown {
  return mapDetail(detail, ({ message }) => message)
}

/** Message and code of every text, in the shape of the detail (E3). */
export function fullDetailsOf(detail: Detail): unknown {
  return mapDetail(detail, ({ message, code }) => ({ message, code }))
}

function mapNested(value: object, change: (part: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(change)
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, change(part)]))
}
