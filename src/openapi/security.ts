import type { Verb } from '../contract/kernel.ts'
import type { Authenticator, Permission, Settings } from '../contract/request.ts'
import type { JSONSchema, SecurityFacts } from '../types/documents.ts'
import type { Components } from './components.ts'

/** Does one of these refuse every request of the verb that names no user, as far as is known? */
export function needsUser(permissions: readonly Permission[], verb: Verb): boolean {
  return permissions.some((permission) => permission.needsUser?.(verb.toUpperCase()) === true)
}

/** The ways to prove who one is, one of which is enough; `{}`: none at all may do, too. */
export function securityOf(
  { authentication }: Pick<Settings, 'authentication'>,
  permissions: readonly Permission[],
  verb: Verb,
  components: Components,
): readonly JSONSchema[] {
  const ways = authentication.map((scheme) => wayOf(scheme, verb, components))
  const unique = [...new Map(ways.map((way) => [JSON.stringify(way), way])).values()]
  return needsUser(permissions, verb) ? unique : [...unique, {}].slice(ways.length === 0 ? 1 : 0)
}

function wayOf(authenticator: Authenticator, verb: Verb, components: Components): JSONSchema {
  const { name, scheme, writing } = authenticator.security?.() ?? unknown(authenticator)
  const needed = [{ name, scheme }, ...(writing !== undefined && verb !== 'get' ? [writing] : [])]
  const names = needed.map((each) => components.put('securitySchemes', each.name, each.scheme))
  return Object.fromEntries(names.map((each) => [each, []]))
}

function unknown({ constructor }: Authenticator): SecurityFacts {
  const name = constructor.name === 'Object' ? 'Custom' : constructor.name
  const description = 'A scheme of the application.'
  return { name, scheme: { type: 'apiKey', in: 'header', name: 'Authorization', description } }
}
