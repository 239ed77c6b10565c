import type { Scenario } from '../scenario.ts'
import { ask } from '../tools/ask.ts'

/** Normalising a text may take quadratic time in its combining marks, so its length is checked before. */
export const combiningMarks: Scenario = {
  name: 'combining-marks',
  sends: 'a login with 320 kB of combining marks as its user name',
  async run(stage) {
    const service = await stage.onSqlite()
    await stage.measure(service, async () => {
      const username = `a${'\u0315\u0300'.repeat(80_000)}`
      const json = { username, password: 'x' }
      const { status, outcome } = await ask(`${service.url}/token/`, { method: 'POST', json })
      stage.expect(`It is refused with 400 (${outcome}, ${status}).`, status === 400)
    })
  },
}
