import type { Scenario } from '../scenario.ts'
import { AUTHORIZED, tally, told } from '../stage.ts'
import { ask } from '../tools/ask.ts'

const MEMOS = ['first', ...Array.from({ length: 3 }, (_, at) => `m${'x'.repeat(20_000)}${at}`), 'z']

/** A row with a long text is one row among others, and does not end the list. */
export const longTexts: Scenario = {
  name: 'long-texts',
  sends: 'three rows with 20,000 characters in a column that clients order by',
  async run(stage) {
    const service = await stage.onSqlite()
    const memos = `${service.url}/memos/`
    for (const title of MEMOS)
      await ask(memos, { method: 'POST', headers: AUTHORIZED, json: { title } })
    for (const ordering of ['title', '-title']) {
      const statuses: number[] = []
      let rows = 0
      await stage.measure(service, async () => {
        let link: string | null = `${memos}?ordering=${ordering}`
        while (link !== null && statuses.length < 20) {
          const { status, text } = await ask(link)
          statuses.push(status)
          const page = JSON.parse(text) as { next?: string | null; results?: unknown[] }
          rows += page.results?.length ?? 0
          link = page.next ?? null
        }
      })
      stage.note(`pages by ${ordering}: ${told(tally(statuses))}`)
      stage.expect(`A walk by ${ordering} sees each row once (${rows}).`, rows === MEMOS.length)
    }
  },
}

const TIMES = 5

/** A page for people shows a limited part of a row, so its cost is limited too. */
export const heavyPages: Scenario = {
  name: 'heavy-pages',
  sends: `${TIMES} × the page of a row with 900,000 characters that HTML has to escape, and of one with addresses`,
  async run(stage) {
    const service = await stage.onSqlite()
    const memos = `${service.url}/memos/`
    for (const title of ['<'.repeat(900_000), 'http://a& '.repeat(90_000)])
      await ask(memos, { method: 'POST', headers: AUTHORIZED, json: { title } })
    const sizes: number[] = []
    // The first page loads the templates, which must not count.
    await ask(`${service.url}/hello/`, { headers: { Accept: 'text/html' } })
    await stage.measure(service, async () => {
      for (let at = 0; at < 2 * TIMES; at++) {
        const headers = { ...AUTHORIZED, Accept: 'text/html' }
        const { status, text } = await ask(`${memos}${1 + (at % 2)}/`, { headers })
        sizes.push(status === 200 ? text.length : Infinity)
      }
    })
    const longest = Math.max(...sizes)
    stage.note(`the longest page has ${longest} characters`)
    stage.expect('A page has at most 1.3 million characters.', longest < 1_300_000)
  },
}

const ITEMS = 30_000

/** A form would repeat each item, with markup around it. */
export const longLists: Scenario = {
  name: 'long-lists',
  sends: `a refused list of ${ITEMS} empty texts, 90 kB, from which a page with its form is asked`,
  async run(stage) {
    const service = await stage.onSqlite()
    const text = `{"tags":[${'"",'.repeat(ITEMS)}7.5,{}]}`
    const headers = { Accept: 'text/html' }
    // The first page loads the templates.
    await ask(`${service.url}/hello/`, { headers })
    await stage.measure(service, async () => {
      const page = await ask(`${service.url}/tags/`, { method: 'POST', headers, text })
      stage.note(`answer: ${page.status}, ${page.text.length} characters`)
      stage.expect(
        'It is a refusal of at most 200,000 characters.',
        page.status === 400 && page.text.length <= 200_000,
      )
    })
  },
}
