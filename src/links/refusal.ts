import { ConfigurationError } from '../errors/configuration-error.ts'

/** The error that refuses an address of the table, with its name and path in front. */
export function refusal(name: string, path: string | null, problem: string): ConfigurationError {
  const address = path === null ? `"${name}"` : `"${name}" (${path})`
  return new ConfigurationError(`Address ${address}: ${problem}`)
}
