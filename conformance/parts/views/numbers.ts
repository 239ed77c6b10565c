import type { ListSource } from 'colophon'
import type { Request } from '../../request.ts'
import type { View } from './view.ts'

/** Not a generic list: its own code asks the style. */
export const numbers: View = {
  verbs: (endpoint, { total = 0 }) => {
    const all = Array.from({ length: total }, (_, index) => index + 1)
    return endpoint.get((request) => showNumbers(all, request))
  },
}

async function showNumbers(all: readonly number[], request: Request): Promise<unknown> {
  const { pagination } = request.settings
  const page = (await pagination?.paginate(sourceOf(all), request)) ?? null
  return page === null ? all : pagination?.respond(page, page.rows)
}

function sourceOf<Row>(rows: readonly Row[]): ListSource<Row> {
  return {
    count: () => rows.length,
    slice: (offset, limit) => rows.slice(offset, offset + limit),
  }
}
