import type { Scenario } from '../scenario.ts'
import { AUTHORIZED, type Stage, tally, told } from '../stage.ts'
import { PATIENTS, STAFF } from '../target/tables.ts'
import { ask } from '../tools/ask.ts'

const ADMINISTRATOR = { Authorization: `Token ${STAFF.token}` }

interface Visit {
  readonly id: number
  readonly clinic: number
  readonly patient: number
  readonly companion: number | null
}

/** A row refers to rows of its own tenant only, whichever keys a client or an administrator writes. */
export const foreignKeys: Scenario = {
  name: 'foreign-keys',
  sends: `each of ${PATIENTS} patients into visits of two clinics: POST, PATCH and PUT, by a member and by staff`,
  async run(stage) {
    const service = await stage.onSqlite()
    const visits = `${service.url}/visits/`
    const statuses: number[] = []
    const write = async (url: string, method: string, headers: typeof AUTHORIZED, json: object) =>
      statuses.push((await ask(url, { method, headers, json })).status)
    await stage.measure(service, async () => {
      for (let patient = 1; patient <= PATIENTS; patient++) {
        const companion = 1 + ((patient * 7) % PATIENTS)
        await write(visits, 'POST', AUTHORIZED, { patient })
        await write(visits, 'POST', AUTHORIZED, { patient, companion, clinic: 1 + (patient % 3) })
        await write(visits, 'POST', ADMINISTRATOR, { patient, companion: 1 + (patient % 5) })
        await write(`${visits}1/`, 'PATCH', AUTHORIZED, { companion: patient })
        await write(`${visits}1/`, 'PATCH', ADMINISTRATOR, { clinic: 1 + (patient % 2) })
        await write(`${visits}2/`, 'PUT', ADMINISTRATOR, { patient, companion, clinic: 2 })
      }
    })
    stage.note(`answers: ${told(tally(statuses))}`)
    stage.expect(
      'Each is written or refused.',
      statuses.every((status) => [200, 201, 400, 403, 404].includes(status)),
    )
    await judge(stage, visits)
  },
}

async function judge(stage: Stage, visits: string): Promise<void> {
  const { text } = await ask(`${visits}?limit=1000`, { headers: ADMINISTRATOR })
  const { results } = JSON.parse(text) as { results: readonly Visit[] }
  const torn = results.filter(({ clinic, patient, companion }) =>
    [patient, companion].some((key) => key !== null && (key % 2) + 1 !== clinic),
  )
  stage.expect(`${results.length} visits were written.`, results.length > 10)
  stage.expect(`${torn.length} of them refer to another clinic.`, torn.length === 0)
}
