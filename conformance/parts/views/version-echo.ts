import type { View } from './view.ts'

const BOOK = { id: 7 }

/** The version of the request, and what generated addresses make of it. */
export const versionEcho: View = {
  verbs: (endpoint, { self_name: self = '', detail_name: detail }) =>
    endpoint.get(({ version, reverse }) => ({
      version,
      url: reverse(self),
      ...(detail === undefined ? {} : { book_url: reverse(detail, BOOK) }),
    })),
}
