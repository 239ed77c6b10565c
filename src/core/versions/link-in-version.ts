import type { ApiRequest } from '../ports/request.ts'
import type { LinkForm, Lookup, PlainReverse } from '../ports/policies/versioning.ts'
import type { Settings } from '../ports/settings/settings.ts'
import { NoReverseMatch } from '../errors/configuration-error.ts'
import { attempt } from '../std/attempt.ts'
import { withQuery } from '../std/http/query.ts'
import type { Urls } from '../urls/compile-urls.ts'

export interface LinkContext extends ApiRequest {
  readonly urls: Urls
  /** The query as sent, without the `?`. */
  readonly queryText: string
}

/** A link in any version, as the request's scheme makes it. Throws `NoReverseMatch` as `plain` does. */
export function versionedLink(lookup: Lookup, request: LinkContext): string {
  const plain = plainReverse(request)
  const { versioning } = request.settings
  if (versioning?.linkForms !== undefined) {
    const { version } = lookup
    const forms = version === null ? [] : versioning.linkForms(version, request)
    return linkByForms(forms, lookup, request, plain)
  }
  if (versioning?.reverse === undefined) return plain(lookup)
  try {
    return versioning.reverse(lookup, request, plain)
  } catch (error) {
    if (!(error instanceof NoReverseMatch)) throw error
    // If the scheme finds no route, the plain one is tried; its error has the name that was asked for (U2).
    const url = plain.find(lookup)
    // If the scheme found the name, but the values do not fit, then the name is not unknown.
    if (url === null && error.isOfValue) throw error
    return url ?? plain(lookup)
  }
}

/**
 * The parameters of the query that carry the version. Where a scheme does not say where it travels, `versionParam` counts.
 *
 * @example versionParams(request.settings) // ['version']
 */
export function versionParams(settings: Settings): readonly string[] {
  const { versioning, versionParam } = settings
  if (versioning === null) return []
  const carriers = versioning.carriers?.(settings) ?? [{ in: 'query', name: versionParam } as const]
  return carriers.flatMap((each) => (each.in === 'query' ? [each.name] : []))
}

/**
 * The address of the request's own resource in another version; `null` where no address tells the two apart.
 *
 * @example otherVersion(contextOf(request), 'v2')
 */
export function otherVersion(request: LinkContext, version: string): string | null {
  const lookup = { name: request.endpointName, params: request.params }
  return attempt(NoReverseMatch, () => {
    const own = versionedLink({ ...lookup, version: request.version }, request)
    const other = versionedLink({ ...lookup, version }, request)
    return own === other ? null : other
  })
}

/** The first of these forms of a link that leads somewhere, or else the plain link. Throws the errors of `next`. */
export function linkByForms(
  forms: readonly LinkForm[],
  lookup: Lookup,
  request: ApiRequest,
  next: PlainReverse,
): string {
  for (const form of forms) {
    const url = next.find(lookupBy(form, lookup, request))
    if (url === null) continue
    const { origin = request.origin, query } = form
    const moved = origin + url.slice(request.origin.length)
    return query === undefined ? moved : withQuery(moved, ...query)
  }
  return next(lookup)
}

type Asked = Pick<Lookup, 'name' | 'params'>

function lookupBy(
  { namespace, param }: LinkForm,
  { name, params, version }: Lookup,
  request: ApiRequest,
): Asked {
  const isOther = version !== request.version
  const own = `${request.namespace.join(':')}:`
  const local = isOther && name.startsWith(own) ? name.slice(own.length) : name
  const fills = param !== undefined && (isOther || params[param[0]] === undefined)
  return {
    name: namespace === undefined ? name : `${namespace}:${local}`,
    params: fills ? { ...params, [param[0]]: param[1] } : params,
  }
}

/** Absolute links by name alone, in no version. */
function plainReverse({ origin, urls }: LinkContext): PlainReverse {
  const plain = ({ name, params }: Asked): string => origin + urls.reverse(name, params)
  plain.find = ({ name, params }: Asked): string | null => {
    const path = urls.find(name, params)
    return path === null ? null : origin + path
  }
  return plain
}
