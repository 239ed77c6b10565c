import { ConfigurationError } from '../../errors/configuration-error.ts'
import { TokenSecrets } from './token-secrets.ts'

/** The secret that tokens are kept under, and those that they were kept under before. */
export interface KeyRing {
  readonly current: TokenSecrets
  readonly older: readonly TokenSecrets[]
}

/** @throws ConfigurationError there is no secret */
export function keyRing(secrets: readonly string[]): KeyRing {
  const [current, ...older] = said(secrets)
  return {
    current: new TokenSecrets(current),
    older: older.map((secret) => new TokenSecrets(secret)),
  }
}

/** @throws ConfigurationError there is no secret */
export function said([current = '', ...older]: readonly string[]): [string, ...string[]] {
  if (current === '') {
    throw new ConfigurationError(
      'SECRET_KEY is missing. Tokens are sealed with it: set it to a long random text, and keep it.',
    )
  }
  return [current, ...older]
}
