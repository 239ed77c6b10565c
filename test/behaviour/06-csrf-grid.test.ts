import { describe, expect, test } from 'vitest'
import {
  type App,
  Form,
  SessionAuthentication,
  TokenAuthentication,
  defineApi,
  defineUrls,
} from '../../src/index.ts'
import { onSqlite, throughEveryDoor } from './databases.ts'
import type { Sent } from './doors.ts'
import { type SessionService, startSessions } from './session-service.ts'

const WHO = ['anonymous', 'session', 'token', 'both'] as const
const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const
const ORIGINS = ['same origin', 'same site', 'cross site', 'no Origin'] as const
const TOKENS = ['right', 'wrong', 'absent'] as const
const ORDERS = ['session-token', 'token-session'] as const
const BODIES = ['JSON', 'form', 'multipart', 'text', 'none'] as const
const PLACES = ['header', 'field'] as const

interface Case {
  readonly who: (typeof WHO)[number]
  readonly method: (typeof METHODS)[number]
  readonly origin: (typeof ORIGINS)[number]
  readonly token: (typeof TOKENS)[number]
  readonly order: (typeof ORDERS)[number]
  readonly body: (typeof BODIES)[number]
  readonly place: (typeof PLACES)[number]
}

/** What the rules say, written down a second time: who is asking, or why not. */
function oracle({ who, method, origin, token, order, body, place }: Case): string {
  if (who === 'anonymous') return 'nobody'
  if (who === 'token' || (who === 'both' && order === 'token-session')) return 'alice by token'
  if (method === 'GET') return 'zoë by session'
  if (origin === 'same site' || origin === 'cross site') return 'origin-mismatch'
  const isField = method === 'POST' && (body === 'form' || body === 'multipart')
  if (token === 'absent' || (place === 'field' && !isField)) return 'token-missing'
  return token === 'right' ? 'zoë by session' : 'token-incorrect'
}

/** alice has a token, and zoë a session. */
interface Grid extends SessionService {
  readonly key: string
  readonly sessionid: string
}
const grids = await onSqlite(async (open): Promise<Grid> => {
  const service = await startSessions(open)
  const { users, tokens, sessions } = service.accounts
  const { key } = await tokens.obtain((await users.byUsername('alice'))!)
  return { ...service, key, sessionid: await sessions.start((await users.byUsername('zoë'))!) }
})
const SECRET = 'abcdefghijklmnopqrstuvwxyzABCDEF'
const VALUES = { right: SECRET, wrong: 'z'.repeat(32), absent: '' } as const

interface Asker {
  readonly user: { readonly username: string }
  readonly authenticator: unknown
  readonly header: (name: string) => string | null
  readonly body: () => Promise<unknown>
}
/** Whoever reads a form finds no trace of the guard's field, if the guard has looked at it. */
const whoami = async ({ user, authenticator, header, body }: Asker) => {
  if (authenticator === null) return 'nobody'
  if (authenticator instanceof TokenAuthentication) return `${user.username} by token`
  const sent = header('content-type')?.includes('form') ? await body() : null
  const left = sent instanceof Form && sent.names().includes('csrfmiddlewaretoken')
  return `${user.username} by session${left ? ' with the field' : ''}`
}
function serve({ accounts, configuration }: SessionService): App {
  const session = new SessionAuthentication(accounts)
  const token = new TokenAuthentication(accounts)
  const api = defineApi({
    urls: defineUrls({ 'session-token': '/session-token/', 'token-session': '/token-session/' }),
  })
  return api.serve(
    [
      api
        .endpoint('session-token', { authentication: [session, token] })
        .get(whoami)
        .post(whoami)
        .put(whoami)
        .delete(whoami),
      api
        .endpoint('token-session', { authentication: [token, session] })
        .get(whoami)
        .post(whoami)
        .put(whoami)
        .delete(whoami),
    ],
    { configuration },
  )
}

function toSent(
  { who, method, origin, token: state, order, body, place }: Case,
  { key, sessionid }: Grid,
): Sent {
  const headers: Record<string, string> = {}
  if (who === 'session' || who === 'both')
    headers['cookie'] = `sessionid=${sessionid}; csrftoken=${SECRET}`
  if (who === 'token' || who === 'both') headers['authorization'] = `Token ${key}`
  Object.assign(headers, FROM[origin])
  const value = VALUES[state]
  if (place === 'header' && value !== '') headers['X-CSRFToken'] = value
  const field = place === 'field' ? value : ''
  const [type, text] = CONTENT[body](field)
  if (type !== '' && method !== 'GET') {
    headers['content-type'] = type
    headers['content-length'] = String(text.length)
  }
  const path = `/${order}/`
  return { method, path, headers, ...(text === '' || method === 'GET' ? {} : { body: text }) }
}

const FROM = {
  'same origin': { origin: 'http://localhost', 'sec-fetch-site': 'same-origin' },
  'same site': { origin: 'http://sub.localhost', 'sec-fetch-site': 'same-site' },
  'cross site': { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' },
  'no Origin': {},
} as const

type Content = (field: string) => readonly [type: string, text: string]
const CONTENT: Readonly<Record<Case['body'], Content>> = {
  JSON: (field) => [
    'application/json',
    JSON.stringify({ x: 1, ...(field === '' ? {} : { csrfmiddlewaretoken: field }) }),
  ],
  form: (field) => [
    'application/x-www-form-urlencoded',
    `x=1${field === '' ? '' : `&csrfmiddlewaretoken=${field}`}`,
  ],
  multipart: (field) => [
    'multipart/form-data; boundary=b',
    `--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n${field === '' ? '' : `--b\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n${field}\r\n`}--b--\r\n`,
  ],
  text: (field) => ['text/plain', `csrfmiddlewaretoken=${field}`],
  none: () => ['', ''],
}

function* cases(who: Case['who'], method: Case['method'], order: Case['order']): Generator<Case> {
  for (const origin of ORIGINS)
    for (const state of TOKENS)
      for (const body of BODIES)
        for (const place of PLACES) yield { who, method, origin, token: state, order, body, place }
}

/** The name in the answer, or the code of the refusal. */
function outcomeOf(status: number, text: string): string {
  if (status === 200) return JSON.parse(text) as string
  return /\(([a-z-]+)\)"/.exec(text)?.[1] ?? `${status} ${text}`
}

describe.each(throughEveryDoor(grids, serve))(
  'the CSRF grid through the $through on $on',
  ({ door, ...grid }) => {
    for (const who of WHO)
      for (const method of METHODS)
        for (const order of ORDERS) {
          test(`${who}, ${method}, ${order}: 120 requests`, async () => {
            const all = [...cases(who, method, order)]
            const outcomes = await Promise.all(
              all.map(async (each) => {
                const { status, text } = await door.send(toSent(each, grid))
                return { ...each, outcome: outcomeOf(status, text) }
              }),
            )
            expect(outcomes).toEqual(all.map((each) => ({ ...each, outcome: oracle(each) })))
            expect(all).toHaveLength(120)
          })
        }
  },
)
