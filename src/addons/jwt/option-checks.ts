// Checks of the options of providers: a wrong one is refused when a scheme is made, with its name and the fix.
import { ConfigurationError } from '../../core/errors/configuration-error.ts'

export const JWT = 'JWTAuthentication'

/** The address of a provider, which an option of this name has. @throws ConfigurationError it is none, or not safe */
export function safeAddress(
  name: string,
  given: unknown,
  options: Allowing,
  scheme: string,
  hint = '',
): URL {
  refusePasswordIn({ [name]: given }, scheme)
  const url = URL.parse(String(given))
  refuse(
    !isSafe(url, options),
    `"${name}" must be an address that begins with https://. For a provider in your own network, set allowHttp: true.${hint}`,
    scheme,
  )
  return url!
}

interface Allowing {
  readonly allowHttp?: boolean
}

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/

export function isSafe(url: URL | null, { allowHttp = false }: Allowing): boolean {
  if (url?.protocol === 'https:') return true
  return url?.protocol === 'http:' && (allowHttp || LOOPBACK.test(url.hostname))
}

/** Logs, errors and challenges show addresses. */
export function refusePasswordIn(
  addresses: Readonly<Record<string, unknown>>,
  scheme: string,
): void {
  for (const [name, address] of Object.entries(addresses)) {
    const { username, password } = URL.parse(String(address)) ?? { username: '', password: '' }
    refuse(
      username !== '' || password !== '',
      `"${name}" must be an address without a user or a password, which would be in the log. Take out what is before the @.`,
      scheme,
    )
  }
}

export const isSomeText = (value: unknown): boolean => typeof value === 'string' && value !== ''

export function refuse(isWrong: boolean, problem: string, scheme: string = JWT): void {
  if (isWrong) throw new ConfigurationError(`${scheme}: ${problem}`)
}

export function refuseNumbers(scheme: string, numbers: object): void {
  for (const [name, value] of Object.entries(numbers))
    refuse(
      !(Number(value) >= 0 && Number.isFinite(value)),
      `"${name}" must be a number of at least 0.`,
      scheme,
    )
}
