// What a link means that a client sent: the key in it, once it leads where the field leads, in the
// version of the request (U22–U26).
import type { ApiRequest } from '../../contract/request.ts'
import type { Resolved } from '../../types/routes.ts'
import { Query } from '../../std/http/query.ts'
import { type Refused, refused } from '../refused.ts'
import type { LinkKey, LinkMaker } from './maker.ts'
import type { Destination } from './target.ts'

export const INCORRECT_TYPE: Refused = refused('incorrect_type.link')
export const NO_MATCH: Refused = refused('no_match')
export const INCORRECT_MATCH: Refused = refused('incorrect_match')
export const DOES_NOT_EXIST: Refused = refused('does_not_exist')

/** The key as the address has it, or why the link is not taken. */
export function keyInLink(
  link: unknown,
  { param }: Destination,
  links: LinkMaker,
  request: ApiRequest,
): LinkKey | Refused {
  if (typeof link !== 'string') return INCORRECT_TYPE
  const found = isWhole(link) ? request.resolve(link) : null
  if (found === null || found === 'foreign') return NO_MATCH
  const key = Object.hasOwn(found.params, param) ? (found.params[param] as LinkKey) : null
  const ours = key === null ? null : links.find(key, request)
  return ours !== null && leadsTheSameWay(link, found, ours, request) ? key! : INCORRECT_MATCH
}

/** U22: an address may have a query; of a path that has one nobody knows what it belongs to. */
function isWhole(link: string): boolean {
  return !link.startsWith('/') || !/[?#]/.test(link)
}

/** Compared with the link that we would give: so it is in the same version, whatever says which. */
function leadsTheSameWay(
  link: string,
  found: Resolved,
  ours: string,
  request: ApiRequest,
): boolean {
  const wanted = request.resolve(ours)
  if (wanted === null || wanted === 'foreign' || wanted.name !== found.name) return false
  const said = Object.entries(found.params).filter(([name]) => name !== 'format')
  return said.every(([name, value]) => wanted.params[name] === value) && agrees(link, ours, request)
}

/** A link need not have the query that ours have, but it must not say another version in it. */
function agrees(link: string, ours: string, { settings }: ApiRequest): boolean {
  const [said, wanted] = [queryOf(link), queryOf(ours)]
  return wanted
    .names()
    .filter((name) => name !== settings.urlFormatOverride && said.get(name) !== null)
    .every((name) => said.get(name) === wanted.get(name))
}

function queryOf(link: string): Query {
  const [address = ''] = link.split('#', 1)
  const cut = address.indexOf('?')
  return Query.parse(cut < 0 ? '' : address.slice(cut + 1))
}
