import type { Scenario } from '../scenario.ts'
import type { Service } from '../service.ts'
import { tally, told } from '../stage.ts'
import { LOGINS } from '../target/tables.ts'
import { ask } from '../tools/ask.ts'
import { pause } from '../tools/pause.ts'
import { Wire, requestText } from '../tools/wire.ts'

const LIMIT = 10
/** `ATTACK_GUESSES=1000000` for a longer run. */
const GUESSES = Number(process.env['ATTACK_GUESSES'] ?? 100_000)
const CONNECTIONS = 4
const BATCH = 50
const [USERNAME] = LOGINS.usernames

/** A stranger guesses at full speed, while the owner's program logs in from elsewhere with a remembered password. */
export const guesses: Scenario = {
  name: 'guesses',
  sends: `${GUESSES} passwords for an account whose owner logs in every second, the right one among them`,
  patience: 120_000 + GUESSES,
  async run(stage) {
    const service = await stage.onSqlite({ CREDENTIAL_FAILURES: `${LIMIT}/h` })
    const owner = new Owner(service)
    await owner.logIn()
    await stage.measure(service, async () => {
      const logins = owner.goOn()
      const answers = await Promise.all(
        Array.from({ length: CONNECTIONS }, (_, at) => stranger(service, `127.0.0.${at + 2}`)),
      )
      await owner.stop(logins)
      const sum = (status: string) => answers.reduce((all, each) => all + (each[status] ?? 0), 0)
      stage.note(`stranger: ${sum('200')} × 200, ${sum('400')} × 400, ${sum('429')} × 429`)
      stage.note(`owner: ${told(tally(owner.statuses))}`)
      stage.expect('No password is found.', sum('200') === 0)
      stage.expect(`${LIMIT} guesses are compared.`, sum('400') <= LIMIT)
      stage.expect('All others are refused.', sum('400') + sum('429') === GUESSES)
      stage.expect(
        'The owner gets in each time.',
        owner.statuses.every((status) => status === 200),
      )
    })
  },
}

/** Sends wrong guesses, and the right password once in each batch. */
async function stranger(service: Service, from: string): Promise<Wire['answers']> {
  const wire = (await Wire.open(service.url, from)).count()
  for (let sent = 0; sent < GUESSES / CONNECTIONS; sent += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, at) => login(from, sent + at))
    wire.write(batch.join(''))
    while (answered(wire) < sent + BATCH && service.alive) await pause(1)
  }
  wire.socket.destroy()
  return wire.answers
}

const answered = ({ answers }: Wire): number =>
  Object.values(answers).reduce((all, each) => all + each, 0)

function login(from: string, at: number): string {
  // The first guesses may be compared, so the right password comes last in its batch.
  const isRight = at % BATCH === BATCH - 1
  const password = isRight ? LOGINS.password : `${from} ${at}`
  const body = JSON.stringify({ username: USERNAME, password })
  return requestText('POST /token/', { 'Content-Type': 'application/json' }, body)
}

class Owner {
  readonly statuses: number[] = []
  readonly #service: Service
  #goesOn = true

  constructor(service: Service) {
    this.#service = service
  }

  async logIn(): Promise<void> {
    const json = { username: USERNAME, password: LOGINS.password }
    const { status } = await ask(`${this.#service.url}/token/`, { method: 'POST', json })
    this.statuses.push(status)
  }

  async goOn(): Promise<void> {
    while (this.#goesOn) {
      await pause(1000)
      await this.logIn()
    }
  }

  async stop(logins: Promise<void>): Promise<void> {
    this.#goesOn = false
    await logins
  }
}
