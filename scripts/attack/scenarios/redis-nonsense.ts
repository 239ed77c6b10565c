import { FakeRedis, NONSENSE } from '../../servers/fake-redis.ts'
import type { Scenario } from '../scenario.ts'
import { tally, told } from '../stage.ts'
import { LOGINS } from '../target/tables.ts'
import { ask } from '../tools/ask.ts'

/** An invalid answer of Redis counts as none, and this process counts meanwhile. */
export const redisNonsense: Scenario = {
  name: 'redis-nonsense',
  sends: `${Object.keys(NONSENSE).length} answers of the counters that are none, and logins meanwhile`,
  async run(stage) {
    const [first = '', ...others] = Object.values(NONSENSE)
    const redis = await FakeRedis.start(first)
    const service = await stage.onSqlite({ CREDENTIAL_FAILURES: '5/h', THROTTLE_STORE: redis.url })
    const logIn = async (password: string): Promise<number> => {
      const json = { username: LOGINS.usernames[0], password }
      return (await ask(`${service.url}/token/`, { method: 'POST', json })).status
    }
    try {
      await stage.measure(service, async () => {
        const statuses: number[] = []
        for (const answer of [first, ...others]) {
          redis.answer = answer
          for (let times = 0; times < 3; times++) statuses.push(await logIn(LOGINS.password))
        }
        stage.note(`logins: ${told(tally(statuses))}; scripts sent: ${redis.asked}`)
        const fine = statuses.every((status) => status === 200)
        stage.expect('Each login is answered, and none is refused.', fine)
      })
    } finally {
      redis.close()
    }
  },
}
