import { arraySource, paginated } from 'colophon'
import type { View } from './view.ts'

/** Not a generic list: its own code has its numbers split into pages. */
export const numbers: View = {
  verbs: (endpoint, { total = 0 }) => {
    const source = arraySource(Array.from({ length: total }, (_, index) => index + 1))
    return endpoint.get((request) => paginated(request, source))
  },
}
