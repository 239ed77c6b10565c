import { type Reply, reply } from 'colophon'
import type { CountedPage, LinkedPage } from 'colophon/types'
import type { JSONSchema } from 'colophon/openapi'
import type { Style } from './styles.ts'

/** A page that knows its neighbours; cursors know no count. */
type Linked = LinkedPage & Partial<Pick<CountedPage, 'count'>>

/** Another form of the answer, for any style, and what documents say of it. */
interface Envelope {
  readonly respond: (page: Linked, results: readonly unknown[]) => Reply
  readonly schema?: (results: JSONSchema) => JSONSchema
}

const LINK = { type: ['string', 'null'], format: 'uri' }

const nestedLinks: Envelope = {
  respond: ({ next, previous, count }, results) =>
    reply({ links: { next, previous }, ...(count === undefined ? {} : { count }), results }),
  schema: (results) => ({
    type: 'object',
    properties: {
      links: {
        type: 'object',
        properties: { next: LINK, previous: LINK },
        required: ['next', 'previous'],
      },
      count: { type: 'integer' },
      results,
    },
    required: ['links', 'results'],
  }),
}

const linkHeader: Envelope = {
  respond({ next, previous }, results) {
    const links = [
      ...(next === null ? [] : [`<${next}>; rel="next"`]),
      ...(previous === null ? [] : [`<${previous}>; rel="prev"`]),
    ]
    return reply(results, links.length === 0 ? {} : { headers: { Link: links.join(', ') } })
  },
}

/** The envelopes of SERVICE §5, by name. */
export const envelopes: Readonly<Record<string, Envelope>> = {
  'nested-links': nestedLinks,
  'link-header': linkHeader,
}

/** A style that answers in another form. */
export function inEnvelope(style: Style, envelope: Envelope): Style {
  return {
    paginate: (source, request, view) => style.paginate(source, request, view),
    ...envelope,
    parameters: (settings) => style.parameters?.(settings) ?? [],
    check: (service, list) => style.check?.(service, list) ?? null,
  }
}
