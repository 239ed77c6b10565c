import type { ApiRequest, MaybePromise } from '../contract/request.ts'
import type { InputSerializer, ParseOptions } from '../contract/serializer.ts'
import { after } from '../std/after.ts'
import type { Field, ReadContext } from './declaration.ts'
import { type ListOptions, list } from './fields/list.ts'
import { type AnySerializer, nested } from './fields/nested.ts'
import { NULL } from './read-member.ts'
import { underNoField } from './read-object.ts'
import { Refused } from './refused.ts'
import { contextOf, orThrow } from './serializer.ts'
import type { InputOf, OutputOf, RowOf } from './types.ts'

/** A serializer of whole lists. */
export interface ManySerializer<S extends AnySerializer> extends InputSerializer<
  readonly RowOf<S>[],
  OutputOf<S>[],
  ApiRequest,
  InputOf<S>[],
  InputOf<S>[]
> {}

/**
 * A serializer of lists, made of one of objects: for bodies that are lists (E25, E27). A partial
 * reading is a complete one: nobody could say which rows its parts belong to.
 *
 * @throws ConfigurationError the serializer only shows: it cannot read
 * @example
 * const created = await many(article, { maxLength: 100 }).parse(await request.body(), request)
 */
export function many<S extends AnySerializer>(
  serializer: S,
  lengths: Pick<ListOptions<never>, 'allowEmpty' | 'minLength' | 'maxLength'> = {},
): ManySerializer<S> {
  const { show, read, check } = list(nested(serializer), lengths) as unknown as Items
  return {
    represent: show!,
    ...(check === undefined ? {} : { check }),
    parse: (data: unknown, request: ApiRequest, how: ParseOptions = {}) => {
      const context = contextOf(data, request, how)
      return after(readList(read, data, context), orThrow)
    },
  } as unknown as ManySerializer<S>
}

type Items = Field<readonly unknown[], unknown[]>

function readList(read: Items['read'], data: unknown, context: ReadContext): MaybePromise<unknown> {
  return data === null ? new Refused(underNoField(NULL.detail, context)) : read(data, context)
}
