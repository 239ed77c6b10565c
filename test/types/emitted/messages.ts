// Parameters of sentences are still read where the published declarations leave out the rest of their texts.
import { Message } from 'colophon/extend'

export const large = Message.of('payload_too_large', { limit: 1000 })
// @ts-expect-error -- the sentence has a parameter
export const lacks = Message.of('payload_too_large')
// @ts-expect-error -- the sentence has no parameter of this name
export const other = Message.of('payload_too_large', { most: 1000 })
// @ts-expect-error -- the sentence has none at all
export const none = Message.of('not_found', { limit: 1 })
