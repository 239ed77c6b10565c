import type { Scenario } from '../scenario.ts'
import { LOGINS, STAFF } from '../target/tables.ts'
import { type Answer, ask } from '../tools/ask.ts'

/** A stolen token or session of staff neither takes an account over, nor outlives its end. */
export const staffToken: Scenario = {
  name: 'staff-token',
  sends:
    'passwords set with a token of staff, and a session of a user who was deactivated and came back',
  async run(stage) {
    const service = await stage.onSqlite()
    const post = (path: string, json: object, headers: Readonly<Record<string, string>>) =>
      ask(service.url + path, { method: 'POST', json, headers })
    const asStaff = (path: string, json: object = {}) =>
      post(`/admin/users/${path}`, json, { Authorization: `Token ${STAFF.token}` })
    await stage.measure(service, async () => {
      const own = await asStaff(`${STAFF.id}/password/`, { password: 'of the one who found it' })
      stage.expect(`It does not set the own password (${own.status}).`, own.status === 409)
      const made = await asStaff('', { username: 'eve', password: 'short' })
      stage.expect(`It gives no account a short password (${made.status}).`, made.status === 400)
      const [username] = LOGINS.usernames
      const { csrf, cookie } = await logIn(username, post, service.url)
      const user = async () =>
        JSON.parse((await ask(`${service.url}/session/`, { headers: { cookie } })).text).user
      stage.expect('The session is one.', (await user())?.username === username && csrf !== '')
      for (const step of ['deactivate', 'activate']) {
        const { status } = await asStaff(`${LOGINS.firstId}/${step}/`)
        stage.expect(`Staff may ${step} a user (${status}).`, status === 200)
      }
      stage.expect('The session is over for good.', (await user()) === null)
    })
  },
}

/** Names that a page of users would show as another one, or as none: each is refused, with the character at fault. */
const UNSEEN = [
  'ada\u200B',
  '\u202Eada',
  'a\u00ADda',
  'a\uFEFFda',
  '\u2066ada\u2069',
  'ada\u{E0041}',
  '\u115Fada',
]

export const unseenNames: Scenario = {
  name: 'unseen-names',
  sends: `${UNSEEN.length} names of new users with characters that are not seen or turn directions`,
  async run(stage) {
    const service = await stage.onSqlite()
    await stage.measure(service, async () => {
      for (const username of UNSEEN) {
        const { status, text } = await ask(`${service.url}/admin/users/`, {
          method: 'POST',
          json: { username, password: 'looking glass' },
          headers: { Authorization: `Token ${STAFF.token}` },
        })
        const shown = JSON.stringify(username).replace(/[^ -~]/gu, '?')
        stage.expect(
          `${shown} is refused (${status}).`,
          status === 400 && text.includes('username'),
        )
      }
    })
  },
}

type Post = (path: string, json: object, headers: Record<string, string>) => Promise<Answer>

async function logIn(username: string, post: Post, url: string) {
  const first = await ask(`${url}/session/`)
  const csrf = String(JSON.parse(first.text).csrf_token)
  const headers = { cookie: cookiesOf(first), 'X-CSRFToken': csrf }
  const answer = await post('/session/', { username, password: LOGINS.password }, headers)
  return { csrf, cookie: cookiesOf(answer) }
}

function cookiesOf({ headers }: Answer): string {
  return (headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]).join('; ')
}
