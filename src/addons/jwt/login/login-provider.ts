import { isSomeText, refuse, refuseNumbers, safeAddress } from '../option-checks.ts'
import { ALGORITHMS } from '../options.ts'

/** An identity provider that people log in with: OpenID Connect, the code flow with PKCE. */
export interface LoginProvider {
  /** The provider's address in its own spelling. `/.well-known/openid-configuration` below it names all others. */
  readonly issuer: string
  /** This service, as the provider knows it. Without a secret it is a public client. */
  readonly client: { readonly id: string; readonly secret?: string }
  /** The name that people know it by. @default its name among the providers */
  readonly title?: string
  /** @default ['openid']; `openid` is always among them */
  readonly scopes?: readonly string[]
  /** Further parameters of the address that the browser is sent to: `{ prompt: 'select_account' }`. @default none */
  readonly parameters?: Readonly<Record<string, string>>
  /** The algorithm that signs its tokens. @default 'RS256' */
  readonly algorithm?: string
  /** Does logging out at our address also end the session at the provider, if it can? @default true */
  readonly endSession?: boolean
  /** Milliseconds for each answer of the provider. @default 5,000 */
  readonly timeout?: number
  /**
   * Milliseconds after a failure in which the provider is not asked for its metadata and keys, and between two fetches for keys
   * that are not known. @default 10,000
   */
  readonly cooldown?: number
  /** Allows http to other machines, for a network of your own. @default false */
  readonly allowHttp?: boolean
  /** @default that of Node */
  readonly fetch?: typeof fetch
}

const LOGIN = 'providerLogin'

/** @throws ConfigurationError an option is missing or unsafe */
export function checkProvider(name: string, options: LoginProvider): void {
  const { issuer, client, algorithm = 'RS256', scopes = [], timeout = 0, cooldown = 0 } = options
  const scheme = `${LOGIN}: the provider "${name}"`
  refuse(
    !/^[a-z0-9][a-z0-9-]{0,49}$/.test(name),
    'has a name that is no part of an address. Take small letters, digits and "-".',
    scheme,
  )
  safeAddress('issuer', isSomeText(issuer) ? issuer : '', options, scheme)
  refuse(
    !isSomeText(client?.id) || (client.secret !== undefined && !isSomeText(client.secret)),
    '"client" must have an id, and a secret unless it is a public client.',
    scheme,
  )
  refuse(
    !ALGORITHMS.includes(algorithm),
    `"algorithm" is ${JSON.stringify(algorithm)}. There are ${ALGORITHMS.join(', ')}.`,
    scheme,
  )
  refuse(!scopes.every(isSomeText), '"scopes" must be a list of texts.', scheme)
  refuseNumbers(scheme, { timeout, cooldown })
}
