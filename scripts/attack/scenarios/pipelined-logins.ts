import type { Scenario } from '../scenario.ts'
import type { Service } from '../service.ts'
import type { Stage } from '../stage.ts'
import { LOGINS } from '../target/tables.ts'
import { type Answer, ask } from '../tools/ask.ts'
import { pause } from '../tools/pause.ts'
import { Wire, requestText } from '../tools/wire.ts'

const BURST = 520
/** The milliseconds that a log-in of another client may take beyond its time on a calm service. */
const LOGIN_BOUND = 250

/** Each log-in costs a hash. A client with many must wait for its own, and no other client for them. */
export const pipelinedLogins: Scenario = {
  name: 'pipelined-logins',
  sends: `${BURST} logins on one connection, which closes at once; then ${BURST} on one that stays`,
  async run(stage) {
    const service = await stage.onSqlite()
    const [bob, carol, dave] = LOGINS.usernames
    const { milliseconds: calm } = await login(service, bob)
    await stage.measure(service, async () => {
      await burst(stage, service, { username: carol, stays: false, calm })
      await burst(stage, service, { username: dave, stays: true, calm })
    })
  },
}

interface Burst {
  /** The user who logs in meanwhile. */
  readonly username: string
  /** Does the attacker wait for the answers? */
  readonly stays: boolean
  /** The milliseconds of a log-in on the calm service. */
  readonly calm: number
}

async function burst(
  stage: Stage,
  service: Service,
  { username, stays, calm }: Burst,
): Promise<void> {
  const attacker = (await Wire.open(service.url, '127.0.0.2')).count()
  attacker.write(Array.from({ length: BURST }, (_, number) => wrongLogin(number)).join(''))
  await attacker.flushed()
  if (!stays) attacker.socket.destroy()
  // The service has read the burst by now, so this log-in comes behind all of it.
  await pause(100)
  const { status, milliseconds } = await login(service, username)
  const which = stays ? 'while 520 others wait' : 'after 520 others have left'
  stage.note(
    `login ${which}: ${status} after ${milliseconds.toFixed(0)} ms (calm: ${calm.toFixed(0)} ms)`,
  )
  stage.expect(`A login ${which} is answered.`, status === 200)
  stage.expect(
    `A login ${which} waits for at most ${LOGIN_BOUND} ms more.`,
    milliseconds - calm <= LOGIN_BOUND,
  )
  attacker.socket.destroy()
}

function login({ url }: Service, username: string): Promise<Answer> {
  const { password } = LOGINS
  return ask(`${url}/token/`, { method: 'POST', json: { username, password } })
}

function wrongLogin(number: number): string {
  const body = JSON.stringify({ username: LOGINS.usernames[0], password: `wrong ${number}` })
  return requestText('POST /token/', { 'Content-Type': 'application/json' }, body)
}
