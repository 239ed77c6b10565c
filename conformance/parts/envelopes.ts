import { type CountedPage, type LinkedPage, type Reply, reply } from 'colophon'
import type { Style } from './styles.ts'

/** A page that knows its neighbours; cursors know no count. */
type Linked = LinkedPage & Partial<Pick<CountedPage, 'count'>>

/** Another form of the answer, for any style. */
type Envelope = (page: Linked, results: readonly unknown[]) => Reply

const nestedLinks: Envelope = ({ next, previous, count }, results) =>
  reply({ links: { next, previous }, ...(count === undefined ? {} : { count }), results })

const linkHeader: Envelope = ({ next, previous }, results) => {
  const links = [
    ...(next === null ? [] : [`<${next}>; rel="next"`]),
    ...(previous === null ? [] : [`<${previous}>; rel="prev"`]),
  ]
  return reply(results, links.length === 0 ? {} : { headers: { Link: links.join(', ') } })
}

/** The envelopes of SERVICE §5, by name. */
export const envelopes: Readonly<Record<string, Envelope>> = {
  'nested-links': nestedLinks,
  'link-header': linkHeader,
}

/** A style that answers in another form. */
export function inEnvelope(style: Style, respond: Envelope): Style {
  return {
    paginate: (source, request, view) => style.paginate(source, request, view),
    respond,
    check: (service, list) => style.check?.(service, list) ?? null,
  }
}
