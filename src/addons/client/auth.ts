/** A value, or a function that gives one whenever it is needed. */
export type Given<T> = T | (() => T | Promise<T>)

/**
 * The credentials: a token in `Authorization`, or a function that gives one for each attempt; a name with a password (Basic);
 * or the session of the browser, whose CSRF token goes with every request that changes something.
 *
 * @example
 * createClient({ …, auth: { token: () => store.token } })
 */
export type Auth =
  | {
      /**
       * A function gets `null`, or the token that the service has just refused with 401: where it gives another one
       * then, the request is sent once more.
       */
      readonly token: string | ((refused: string | null) => string | Promise<string>)
      /** The word before the token. @default 'Token' */
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

/** Adds the headers of the credentials, and returns the mode of cookies for `fetch`. */
export async function authorize(
  auth: Auth | undefined,
  headers: Headers,
  isSafe: boolean,
  refused: string | null,
): Promise<RequestCredentials> {
  if (auth === undefined) return 'same-origin'
  if ('session' in auth) {
    const { csrfToken = csrfCookie, csrfHeader = 'X-CSRFToken' } = auth
    const token = isSafe ? null : await valueOf(csrfToken)
    if (token) headers.set(csrfHeader, token)
    return 'include'
  }
  headers.set('authorization', await credentialsOf(auth, refused))
  // A session beside a token would have its own say, and want a CSRF token.
  return 'omit'
}

/** Can `auth` give other credentials than those that were refused? */
export function isRenewable(auth: Auth | undefined): boolean {
  return auth !== undefined && 'token' in auth && typeof auth.token === 'function'
}

/** @param refused - the header that was refused; `null`: none was */
async function credentialsOf(
  auth: Exclude<Auth, { session: true }>,
  refused: string | null,
): Promise<string> {
  if ('token' in auth) {
    const { token, keyword = 'Token' } = auth
    const old = refused === null ? null : refused.slice(keyword.length + 1)
    return `${keyword} ${typeof token === 'function' ? await token(old) : token}`
  }
  const bytes = new TextEncoder().encode(`${auth.username}:${auth.password}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}

export async function valueOf<T>(given: Given<T>): Promise<T> {
  return typeof given === 'function' ? (given as () => T | Promise<T>)() : given
}

function csrfCookie(): string | null {
  const { document } = globalThis as { document?: { cookie: string } }
  const found = /(?:^|;\s*)(?:__Host-)?csrftoken=([^;]*)/.exec(String(document?.cookie))
  return found?.[1] ?? null
}
