import { ConfigurationError } from '../../errors/configuration-error.ts'

/**
 * Where a database is, for messages: without account and password.
 *
 * @throws ConfigurationError it is no address; the message does not repeat it, for there may be a password in it
 */
export function placeOf(url: string, schemes: readonly string[]): string {
  const { protocol, host, pathname } = parsed(url)
  if (schemes.includes(protocol)) return `${protocol}//${host}${pathname}`
  throw new ConfigurationError(
    `An address of this database begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}, not with ${protocol}`,
  )
}

function parsed(text: string): URL {
  // `postgres://user@/database?host=/run/postgresql` has no host: it means a socket.
  const url = text.replace('@/', '@localhost/')
  if (URL.canParse(url)) return new URL(url)
  throw new ConfigurationError(
    'The address of the database is not a URL. Characters such as # / ? @ in its password are written as %23 %2F %3F %40.',
  )
}
