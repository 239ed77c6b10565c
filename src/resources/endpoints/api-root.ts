import type { Behaviour } from '../../core/ports/kernel.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { EndpointName } from '../../core/types/routes.ts'
import { explainName } from '../../core/urls/explain-no-link.ts'
import { NoReverseMatch } from '../../core/errors/configuration-error.ts'

type RoutesOf<Rq> = Rq extends ApiRequest<infer F> ? F['routes'] : never

/**
 * GET of a root page: an object of absolute addresses, by names of your choice (X5). They stay in the
 * version of the request and keep its format; within a namespace, names are looked for there first (X6).
 * What is not there, in this version, is left out.
 *
 * @example
 * api.endpoint('api-root').get(apiRoot({ articles: 'article-list', authors: 'author-list' }))
 */
export function apiRoot<Rq extends ApiRequest>(links: {
  readonly [member: string]: EndpointName<RoutesOf<NoInfer<Rq>>>
}): Behaviour<Rq> {
  const properties = Object.keys(links).map((member) => [member, { type: 'string', format: 'uri' }])
  const schema = { type: 'object', properties: Object.fromEntries(properties) }
  return {
    check: (_settings, { routes }) => {
      const names = [...new Set(routes.map(({ name }) => name))]
      const isThere = (wanted: string): boolean =>
        names.some((name) => name === wanted || name.endsWith(`:${wanted}`))
      const lost = Object.entries<string>(links).find(([, name]) => !isThere(name))
      return lost === undefined ? null : `Its link "${lost[0]}": ${explainName(lost[1], names)}`
    },
    operation: () => ({ body: null, answers: [{ status: 200, schema }] }),
    handle(request) {
      const urls = Object.entries<string>(links).map(([member, name]) => [
        member,
        linkTo(name, request),
      ])
      return Object.fromEntries(urls.filter(([, url]) => url !== null))
    },
  }
}

function linkTo(name: string, request: ApiRequest): string | null {
  const { namespace, params } = request
  const reverse = request.reverse as (name: string, params?: object) => string
  const names = namespace.map((_, depth) => [...namespace.slice(0, depth + 1), name].join(':'))
  for (const each of [...names.toReversed(), name]) {
    // What the root itself is mounted under: a version, a suffix.
    for (const given of [params, {}]) {
      try {
        return reverse(each, given)
      } catch (error) {
        if (!(error instanceof NoReverseMatch)) throw error
      }
    }
  }
  return null
}
