import type { Scenario } from '../scenario.ts'
import { AUTHORIZED, tally, told } from '../stage.ts'
import { ask } from '../tools/ask.ts'

const SLUGS = [
  '.',
  '..',
  './',
  '../',
  '...',
  '/',
  '//',
  'a/b',
  '%2e%2e',
  '%',
  '%zz',
  '?',
  '#',
  'a?b#c',
  '',
  ' ',
  '\t',
  '\n',
  '\r\n',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'a\udfffb',
  '\ufeff',
  '\u202e',
  'é',
  'e\u0301',
  '日本',
  '🙂',
  '\u2028',
  '__proto__',
  'constructor',
  '<script>',
  '"',
  '\\',
  "'",
]

/** A row that cannot be shown is refused, or shown in part: it never breaks the whole list. */
export const poisonRows: Scenario = {
  name: 'poison-rows',
  sends: `${SLUGS.length} POSTs with odd keys, which become part of addresses`,
  async run(stage) {
    const service = await stage.onSqlite()
    const notes = `${service.url}/notes/`
    const statuses: number[] = []
    await stage.measure(service, async () => {
      for (const slug of SLUGS) {
        const json = { slug, text: 'text' }
        statuses.push((await ask(notes, { method: 'POST', headers: AUTHORIZED, json })).status)
      }
    })
    stage.note(`answers: ${told(tally(statuses))}`)
    stage.expect(
      'Each is created or refused.',
      statuses.every((status) => [201, 400].includes(status)),
    )
    const { status, text } = await ask(notes)
    stage.expect(`The list is still there (${status}).`, status === 200)
    if (status === 200) await openAll(text, (claim, holds) => stage.expect(claim, holds))
  },
}

/** Opens each link of the list, which must lead to a row. */
async function openAll(
  text: string,
  expect: (claim: string, holds: boolean) => void,
): Promise<void> {
  const { results } = JSON.parse(text) as { results: { slug: string; url: string | null }[] }
  for (const { slug, url } of results) {
    const status = url === null ? 0 : (await ask(url)).status
    expect(`The link of ${JSON.stringify(slug)} leads somewhere (${status}).`, status === 200)
  }
}
