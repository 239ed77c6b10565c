import type { ApiRequest } from 'colophon'

/** The handlers for a row of a list in memory, which the `id` of the address names. */
export function kept<Row extends { readonly id: number }>(rows: Row[]) {
  return {
    find: ({ params }: ApiRequest) => rows.find(({ id }) => id === params['id']),
    save: (input: object, _: unknown, row: Row): Row => {
      const changed = { ...row, ...input }
      rows[rows.indexOf(row)] = changed
      return changed
    },
    remove: (row: Row): boolean => rows.splice(rows.indexOf(row), 1).length > 0,
  }
}
