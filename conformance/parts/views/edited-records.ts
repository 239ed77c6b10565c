import { create, destroy, partialUpdate, update } from 'colophon'
import type { Request } from '../../request.ts'
import { bookInput, toColumns } from '../book-input.ts'
import { fullBook } from '../items.ts'
import { bookTable } from '../records.ts'
import { detail, list } from './records.ts'
import type { View } from './view.ts'

export const listCreate: View = {
  verbs: (endpoint, config, world) => {
    const books = bookTable(world)
    return list.verbs(endpoint, config, world).post(
      create({
        serializer: bookInput(world),
        save: (input) => books.insert(toColumns(input)),
        output: fullBook,
      }),
    )
  },
}

export const detailEdit: View = {
  verbs: (endpoint, config, world) => {
    const books = bookTable(world)
    const serializer = bookInput(world)
    const find = ({ params }: Request) => books.find(Number(params['id']))
    return detail
      .verbs(endpoint, config, world)
      .put(
        update({
          find,
          serializer,
          save: (input, _request, book) => books.update(book.id, toColumns(input), book),
          output: fullBook,
        }),
      )
      .patch(
        partialUpdate({
          find,
          serializer,
          save: (input, _request, book) => books.update(book.id, toColumns(input), book),
          output: fullBook,
        }),
      )
      .delete(destroy({ find, remove: (book) => books.remove(book.id, book) }))
  },
}
