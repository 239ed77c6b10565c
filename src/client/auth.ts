/** A value, or a function that gives one whenever it is needed. */
export type Given<T> = T | (() => T | Promise<T>)

/**
 * Who asks. A token in `Authorization`, asked for with each attempt where it is a function; a name with a password
 * (Basic); or the session of the browser, whose CSRF token goes with everything that changes something.
 *
 * @example
 * createClient({ …, auth: { token: () => store.token } })
 */
export type Auth =
  | {
      readonly token: Given<string>
      /** What stands before it. @default 'Token' */
      readonly keyword?: string
    }
  | { readonly username: string; readonly password: string }
  | {
      readonly session: true
      /**
       * The CSRF token: `csrf_token` of `showSession`. A page of another origin must give it.
       * @default the cookie `__Host-csrftoken` or `csrftoken` of the page
       */
      readonly csrfToken?: Given<string | null>
      /** @default 'X-CSRFToken' */
      readonly csrfHeader?: string
    }

/** Adds what shows who asks; gives what `fetch` is to do with cookies. */
export async function authorize(
  auth: Auth | undefined,
  headers: Headers,
  isSafe: boolean,
): Promise<RequestCredentials> {
  if (auth === undefined) return 'same-origin'
  if ('session' in auth) {
    const { csrfToken = csrfCookie, csrfHeader = 'X-CSRFToken' } = auth
    const token = isSafe ? null : await valueOf(csrfToken)
    if (token) headers.set(csrfHeader, token)
    return 'include'
  }
  headers.set('authorization', await credentialsOf(auth))
  // A session beside a token would have its own say, and want a CSRF token.
  return 'omit'
}

async function credentialsOf(auth: Exclude<Auth, { session: true }>): Promise<string> {
  if ('token' in auth) return `${auth.keyword ?? 'Token'} ${await valueOf(auth.token)}`
  const bytes = new TextEncoder().encode(`${auth.username}:${auth.password}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}

/** The value of what may be a function that gives it. */
export async function valueOf<T>(given: Given<T>): Promise<T> {
  return typeof given === 'function' ? (given as () => T | Promise<T>)() : given
}

function csrfCookie(): string | null {
  const { document } = globalThis as { document?: { cookie: string } }
  const found = /(?:^|;\s*)(__Host-)?csrftoken=([^;]*)/.exec(document?.cookie ?? '')
  return found?.[2] ?? null
}
