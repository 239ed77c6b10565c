import { list as listRecords, resource, retrieve } from 'colophon'
import type { StandardAction } from 'colophon/types'
import type { EntryConfig } from '../../data.ts'
import { partIn } from '../../part-in.ts'
import { author, bookItems, fullBook } from '../items.ts'
import { booksOf } from '../records.ts'
import type { ResourceView, View } from './view.ts'

export const list: View = {
  verbs: (endpoint, config, world) => {
    const { library } = world
    if (config.model_name === 'author')
      return endpoint.get(listRecords({ source: library.authors.source, serializer: author }))
    const { source } = booksOf(config, library)
    const serializer = partIn('item form', bookItems, config.item ?? 'full')(config, world)
    return endpoint.get(listRecords({ source, serializer, ...fieldsOf(config) }))
  },
}

export const detail: View = {
  verbs: (endpoint, config, world) => {
    const { library } = world
    if (config.model_name === 'author')
      return endpoint.get(
        retrieve({
          find: ({ params }) => library.authors.find(String(params['id'])),
          serializer: author,
        }),
      )
    const books = booksOf(config, library)
    const serializer = partIn('item form', bookItems, config.item ?? 'full')(config, world)
    return endpoint.get(
      retrieve({ find: ({ params }) => books.find(String(params['id'])), serializer }),
    )
  },
}

export const listCreate: ResourceView = bookResource('list', ['list', 'create'])

export const detailEdit: ResourceView = bookResource('detail', [
  'retrieve',
  'update',
  'partialUpdate',
  'destroy',
])

/** One of the two addresses of a resource: each has an entry, and settings, of its own. */
function bookResource(place: 'list' | 'detail', only: readonly StandardAction[]): ResourceView {
  return {
    endpoint: (group, name, config, world) => {
      const store = booksOf(config, world.library)
      const serializer = fullBook(world)
      const [endpoint] = resource(group, nameOf(name, place), {
        store,
        serializer,
        only,
        ...fieldsOf(config),
      })
      return endpoint!
    },
  }
}

/** Which names there are is only known to the file: the compiler knows of none. */
function nameOf(endpoint: string, place: string): never {
  return endpoint.replace(`-${place}`, '') as never
}

/** Entries name columns, whether items show them or not. */
function fieldsOf({ search_fields, ordering_fields, ordering }: EntryConfig) {
  return {
    searchFields: search_fields?.map((column) => ({ column })) ?? null,
    orderingFields: ordering_fields?.map((column) => ({ name: column, column })) ?? null,
    ordering: ordering ?? null,
  }
}
