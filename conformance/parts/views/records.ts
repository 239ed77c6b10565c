import { type Behaviour, type Handler, NotFound, list as listRecords } from 'colophon'
import type { Request } from '../../request.ts'
import { type Records, authorsOf, booksOf } from '../records.ts'
import type { View } from './view.ts'

export const list: View = {
  verbs: (endpoint, config, world) =>
    endpoint.get(
      config.model_name === 'author' ? showAll(authorsOf(world)) : showAll(booksOf(config, world)),
    ),
}

export const detail: View = {
  verbs: (endpoint, config, world) =>
    endpoint.get(
      config.model_name === 'author' ? showOne(authorsOf(world)) : showOne(booksOf(config, world)),
    ),
}

function showAll<Row>({ source, item }: Records<Row>): Behaviour<Request> {
  return listRecords({ source, serializer: item })
}

function showOne<Row>({ find, item }: Records<Row>): Handler<Request> {
  return async (request) => {
    const found = await find(Number(request.params['id']))
    if (found === undefined) throw new NotFound()
    return item.represent(found, request)
  }
}
