/**
 * The name of errors whose causes may quote rows, as MariaDB quotes an existing value. Of these causes only names and codes
 * are logged.
 */
const quotesRows = 'ConstraintViolation'

/** Members of a record about something thrown: as text, and, for loggers that know errors, the error itself. */
export interface FailureRecord {
  readonly error: string
  readonly err?: Error
}

/** The members of a record for a thrown value, which may be no error. */
export function failureOf(thrown: unknown): FailureRecord {
  const error = errorText(thrown)
  return thrown instanceof Error ? { error, err: thrown } : { error }
}

/** The members for an outage, which is expected to happen: on one line, without stacks. */
export function outageOf(error: Error): FailureRecord {
  const texts = reasonsOf(error, withoutStack)
  const isNew = (text: string, at: number) =>
    !texts.slice(0, at).some((each) => each.includes(text))
  return { error: texts.filter(isNew).join(': '), err: error }
}

/**
 * The log text of a thrown value: its stack, or its text, and under it each `cause` and each of the `errors` of an
 * `AggregateError`. Other properties are left out but for a code, as they may hold parameters or keys. It never throws.
 */
export function errorText(error: unknown): string {
  return reasonsOf(error, withStack).join('\n')
}

/** Writes one reason; the first one is the thrown value. */
type Writer = (reason: Reason, place: number) => string

/** One error of a chain, with its relation to the one before, and whether it may quote values of rows. */
interface Reason {
  readonly thrown: unknown
  readonly role: string
  readonly quoting: boolean
}

const MOST_REASONS = 16
const MOST_CHARACTERS = 16_384

/** The reasons breadth first, so that the nearest are kept if there are too many. Errors may contain each other. */
function reasonsOf(error: unknown, write: Writer): string[] {
  const reasons: Reason[] = [{ thrown: error, role: '', quoting: false }]
  const texts: string[] = []
  let room = MOST_CHARACTERS
  for (const [place, reason] of reasons.entries()) {
    if (place === MOST_REASONS || room <= 0) return [...texts, 'and further errors']
    const text = attempt(() => write(reason, place)) ?? 'an error that has no text'
    // The thrown error is written whole; the text of a cause is cut, because a driver may put a statement of any length into
    // it.
    texts.push(place === 0 ? text : text.slice(0, room))
    if (place > 0) room -= text.length
    const known = new Set(reasons.map(({ thrown }) => thrown))
    reasons.push(...(attempt(() => under(reason)) ?? []).filter(({ thrown }) => !known.has(thrown)))
  }
  return texts
}

function under({ thrown, quoting }: Reason): Reason[] {
  if (!(thrown instanceof Error)) return []
  const hidden = quoting || thrown.name === quotesRows
  const errors: readonly unknown[] = thrown instanceof AggregateError ? thrown.errors : []
  return [
    ...(thrown.cause == null ? [] : [{ thrown: thrown.cause, role: 'cause: ', quoting: hidden }]),
    ...errors
      .slice(0, MOST_REASONS)
      .map((each) => ({ thrown: each, role: 'one of its errors: ', quoting: hidden })),
  ]
}

function withStack({ thrown, role, quoting }: Reason): string {
  if (!(thrown instanceof Error)) return `${role}${quoting ? typeof thrown : String(thrown)}`
  const text = quoting ? thrown.name : (thrown.stack ?? thrown.message)
  return role + text.replace(/$/m, coded(thrown, text))
}

function withoutStack({ thrown, quoting }: Reason): string {
  if (!(thrown instanceof Error)) return quoting ? typeof thrown : String(thrown)
  const text = quoting ? thrown.name : thrown.message || thrown.name
  return text + coded(thrown, text)
}

/** The code of a system or driver, such as ` (ECONNREFUSED)`, if the text does not contain it. */
function coded({ code }: Error & { readonly code?: unknown }, text: string): string {
  return typeof code === 'string' && /^\w{1,40}$/.test(code) && !text.includes(code)
    ? ` (${code})`
    : ''
}

/** `Object.create(null)` has no text, and a getter may throw. */
function attempt<T>(get: () => T): T | null {
  try {
    return get()
  } catch {
    return null
  }
}
