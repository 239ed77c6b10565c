// CPU time to show a hundred rows with five hyperlinks each, Colophon ÷ a hand-written loop that
// concatenates the same texts, in interleaved rounds of one process. `npm run bench -- hyperlinks [rounds]`
import { report } from '../http/rounds.ts'
import { type Asked, article, askAll, rows, useOthers } from './world.ts'

const LISTS = 400
const BUDGET = 1.3
const rounds = Number(process.argv[2] ?? 31)

/** Both ways to show the rows; the answers are the same, character by character. */
interface Case {
  readonly name: string
  readonly ours: () => string
  readonly byHand: () => string
}

const asked = await askAll()
useOthers(asked[0]!.request)
for (const one of asked.flatMap(casesOf)) {
  if (one.ours() !== one.byHand()) throw new Error(`${one.name}: the answers differ.`)
  report(one.name, BUDGET, await compare(one))
}

function casesOf({ name, request, start }: Asked): readonly Case[] {
  return [
    {
      name: `JSON text, ${name}`,
      ours: () => listOf((row) => article.toJSONText(row, request)),
      byHand: () => listOf((row) => textByHand(row, start)),
    },
    {
      name: `objects, then JSON, ${name}`,
      ours: () => JSON.stringify(rows.map((row) => article.represent(row, request))),
      byHand: () => JSON.stringify(rows.map((row) => objectByHand(row, start))),
    },
  ]
}

type Row = (typeof rows)[number]

function listOf(toText: (row: Row) => string): string {
  let text = '['
  for (const row of rows) {
    if (text !== '[') text += ','
    text += toText(row)
  }
  return text + ']'
}

function textByHand({ id, author_id, editor_id, team_id, parent_id }: Row, start: string): string {
  return (
    '{"url":"' + start + '/articles/' + id + '/","author":"' + start + '/users/' + author_id +
    '/","editor":"' + start + '/users/' + editor_id + '/","team":"' + start + '/teams/' + team_id +
    '/","parent":"' + start + '/articles/' + parent_id + '/"}'
  )
}

function objectByHand({ id, author_id, editor_id, team_id, parent_id }: Row, start: string): object {
  return {
    url: start + '/articles/' + id + '/',
    author: start + '/users/' + author_id + '/',
    editor: start + '/users/' + editor_id + '/',
    team: start + '/teams/' + team_id + '/',
    parent: start + '/articles/' + parent_id + '/',
  }
}

/** Measures both in turns, A B B A …, after two rounds that do not count. */
async function compare({ ours, byHand }: Case) {
  const ratios: number[] = []
  let [own, hand] = [0, 0]
  for (let round = -2; round < rounds; round++) {
    const order = round % 2 === 0 ? [ours, byHand] : [byHand, ours]
    const first = await cost(order[0]!)
    const second = await cost(order[1]!)
    ;[own, hand] = round % 2 === 0 ? [first, second] : [second, first]
    if (round >= 0) ratios.push(own / hand)
  }
  const sorted = ratios.toSorted((a, b) => a - b)
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)]!
  return { low: at(0.25), median: at(0.5), high: at(0.75), own, hand }
}

/** Microseconds of CPU time for one list. What is worked out for a request is worked out for each list. */
async function cost(show: () => string): Promise<number> {
  const before = process.cpuUsage()
  for (let i = 0; i < LISTS; i++) {
    // As bytes, as it is sent: until then a text may be a tree of pieces.
    Buffer.from(show())
    await null
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / LISTS
}
