import {
  ApiError,
  type Incoming,
  type Reply,
  type Settings,
  handleException,
  reply,
} from 'colophon'
import { partIn } from '../part-in.ts'

/** Stands for somebody unknown in place of the anonymous user. */
export class Guest {
  readonly isAuthenticated = false
  readonly isStaff = false
  readonly username = 'guest'
}

/** Shows codes in place of messages, with the status in the body. */
function showCodes(error: unknown, request: Incoming): Reply | null {
  const answer = handleException(error, request)
  if (answer === null || !(error instanceof ApiError)) return answer
  const { status, headers } = answer
  return reply({ status, codes: error.codes }, { status, headers })
}

type Value = Partial<Settings>

/** Settings with the values that SERVICE §6 uses, by key and value. */
const named: Readonly<Record<string, Readonly<Record<string, Value>>>> = {
  UNAUTHENTICATED_USER: {
    null: { unauthenticatedUser: null },
    Guest: { unauthenticatedUser: () => new Guest() },
  },
  UNAUTHENTICATED_TOKEN: { guest_token: { unauthenticatedToken: () => 'guest-pass' } },
  EXCEPTION_HANDLER: { codes: { exceptionHandler: showCodes } },
}

/** Settings whose value is a text, or `null`. */
const plain: Readonly<Record<string, (value: string | null) => Value>> = {
  NON_FIELD_ERRORS_KEY: (value) => (value === null ? {} : { nonFieldErrorsKey: value }),
  URL_FORMAT_OVERRIDE: (value) => ({ urlFormatOverride: value }),
}

/** One key of `settings` as a setting. */
export function settingOf(key: string, value: unknown): Value {
  if (key === 'NUM_PROXIES') return { numProxies: value as Settings['numProxies'] }
  const take = plain[key]
  if (take !== undefined && (typeof value === 'string' || value === null)) return take(value)
  return partIn(`value of ${key}`, partIn('setting', named, key), String(value))
}
