import {
  type Behaviour,
  type FilteredFields,
  type Handler,
  NotFound,
  list as listRecords,
} from 'colophon'
import type { BookColumn, EntryConfig } from '../../data.ts'
import type { Request } from '../../request.ts'
import { type Records, authorsOf, booksOf } from '../records.ts'
import type { View } from './view.ts'

export const list: View = {
  verbs: (endpoint, config, world) =>
    endpoint.get(
      config.model_name === 'author'
        ? showAll(authorsOf(world))
        : showAll(booksOf(config, world), fieldsOf(config)),
    ),
}

export const detail: View = {
  verbs: (endpoint, config, world) =>
    endpoint.get(
      config.model_name === 'author' ? showOne(authorsOf(world)) : showOne(booksOf(config, world)),
    ),
}

type Fields = FilteredFields<BookColumn>

function fieldsOf({ search_fields, ordering_fields, ordering }: EntryConfig): Fields {
  return {
    searchFields: search_fields ?? null,
    orderingFields: ordering_fields ?? null,
    ordering: ordering ?? null,
  }
}

function showAll<Row>(
  { source, item }: Records<Row>,
  fields: FilteredFields<keyof Row & string> = {},
): Behaviour<Request> {
  return listRecords<Request, Row, typeof source>({ source, serializer: item, ...fields })
}

function showOne<Row>({ find, item }: Records<Row>): Handler<Request> {
  return async (request) => {
    const found = await find(Number(request.params['id']))
    if (found === undefined) throw new NotFound()
    return item.represent(found, request)
  }
}
