import type { Settings } from '../contract/request.ts'
import type { JSONSchema } from '../types/documents.ts'
import type { Components } from './components.ts'

/** Headers that follow from the policy. */
export function standing(
  settings: Settings,
  version: string | null,
  components: Components,
): JSONSchema {
  const { versionHeader, versions, rateLimitHeaders } = settings
  const life = version === null ? undefined : versions?.[version]
  const all: Record<string, JSONSchema> = {
    ...(versionHeader !== null &&
      version !== null && {
        [versionHeader]: header('The version of the answer.', { type: 'string', enum: [version] }),
      }),
    ...(life?.deprecatedAt !== undefined && { Deprecation: DEPRECATION }),
    ...(life?.sunsetAt !== undefined && { Sunset: SUNSET }),
    ...(rateLimitHeaders &&
      isThrottled(settings) && { 'RateLimit-Policy': POLICY, RateLimit: LEFT }),
  }
  return Object.fromEntries(
    Object.entries(all).map(([name, each]) => [name, components.refer('headers', name, each)]),
  )
}

export function isThrottled(settings: Settings): boolean {
  return settings.throttles.some((throttle) => !(throttle.isIdle?.(settings) ?? false))
}

/** `null`: an error of this status has none of its own. */
export function headersOfError(status: number, components: Components): JSONSchema | null {
  if (status === 401)
    return { 'WWW-Authenticate': components.refer('headers', 'WWW-Authenticate', CHALLENGE) }
  if (status !== 429 && status !== 503) return null
  return { 'Retry-After': components.refer('headers', 'Retry-After', WAIT) }
}

const header = (description: string, schema: JSONSchema) => ({ description, schema })
const TEXT = { type: 'string' }
const DEPRECATION = header('Since when the version is deprecated (RFC 9745).', TEXT)
const SUNSET = header('From when on it may no longer answer (RFC 8594).', TEXT)
const POLICY = header('How many requests are allowed, in which time.', TEXT)
const LEFT = header('How many are left, and until when.', TEXT)
const CHALLENGE = {
  ...header('The scheme that credentials are to be sent in (RFC 9110, 11.6.1).', TEXT),
  required: true,
}
const WAIT = header('Seconds to wait for.', { type: 'integer', minimum: 0 })
