// Every kind of field, and everything that is made of serializers.
import {
  type InputOf,
  type OutputOf,
  byVersion,
  extend,
  field,
  hyperlinks,
  many,
  omit,
  partial,
  pick,
  serializer,
  unique,
} from 'colophon'
import { tickets } from './database.ts'
import { urls } from './urls.ts'
export const links = hyperlinks(urls)
export const person = serializer({
  id: field.integer({ readOnly: true }),
  name: field.text({ maxLength: 20 }),
})
export const ticket = serializer(
  {
    url: links.identity('ticket-detail'),
    id: field.integer({ readOnly: true }),
    title: field.text({ maxLength: 200, validators: [unique(tickets, 'title')] }),
    assignee: field.nested(person, { nullable: true, required: false }),
    people: field.list(field.nested(person)),
    labels: field.dictionary(field.text()),
    status: field.choice(['open', 'closed'], { default: 'open' }),
    kinds: field.multipleChoice({ a: 'A', b: 'B' }),
    price: field.decimal({ maxDigits: 5, decimalPlaces: 2 }),
    big: field.bigInteger(),
    real: field.float(),
    on: field.boolean(),
    day: field.date(),
    at: field.dateTime({ as: 'date' }),
    clock: field.time(),
    span: field.duration(),
    extra: field.json(),
    mail: field.email(),
    home: field.url(),
    slug: field.slug(),
    key: field.uuid(),
    words: field.computed((row: { body: string }) => row.body.length),
    owner: field.related({ find: (id: number) => ({ id }) }, { source: 'owner_id' }),
    secret: field.text({ writeOnly: true }),
    renamed: field.text({ source: 'subject', since: 'v2' }),
  },
  { validate: (input) => (input.title === '' ? 'no' : null) },
)
export const full = extend(ticket, { note: field.text() })
export const brief = pick(ticket, ['id', 'title'])
export const rest = omit(ticket, ['id'])
export const loose = partial(ticket)
export const all = many(ticket)
export const both = byVersion({ v1: person, v2: brief })
export const fields = { name: field.text({ maxLength: 7 }), id: field.integer() }
export type Ticket = OutputOf<typeof ticket>
export const titleOf = (input: InputOf<typeof ticket>) => input.title
export const one = links.hyperlink(
  { route: 'ticket-detail', param: 'id', find: (id) => ({ id }) },
  { source: 'parent_id' },
)
