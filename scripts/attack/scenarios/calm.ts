import type { Scenario } from '../scenario.ts'
import { AUTHORIZED } from '../stage.ts'
import { pause } from '../tools/pause.ts'

/** The same figures without an attack: the noise of this machine. */
export const calm: Scenario = {
  name: 'calm',
  sends: 'nothing, for 3 s',
  async run(stage) {
    const service = await stage.onSqlite()
    await stage.measure(service, () => pause(3000), { probe: '/cities/1/', headers: AUTHORIZED })
  },
}
