import type { Book, Library } from '../tables.ts'
import type { EntryConfig } from '../data.ts'

/** The books of an endpoint: those that it is restricted to, in its order. */
export function booksOf(config: EntryConfig, { db, books }: Library): Library['books'] {
  const { only = {}, order = [] } = config
  const { ref } = db.dynamic
  return books.only((query) => {
    let narrowed = query
    for (const [column, value] of Object.entries(only))
      narrowed = narrowed.where(ref<keyof Book>(column), '=', value)
    for (const column of order)
      narrowed = narrowed.orderBy(ref<keyof Book>(nameOf(column)), directionOf(column))
    return narrowed
  })
}

const nameOf = (column: string): string => column.replace(/^-/, '')
const directionOf = (column: string): 'asc' | 'desc' => (column.startsWith('-') ? 'desc' : 'asc')
