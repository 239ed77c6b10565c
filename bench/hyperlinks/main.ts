// CPU time to show a hundred rows with five hyperlinks each, Colophon ÷ a hand-written loop that
// makes the same objects, in interleaved rounds of one process. `npm run bench -- hyperlinks [rounds]`
import type { ApiRequest } from 'colophon'
import { type Ratio, quartiles, report } from '../http/rounds.ts'
import { type Row, type Service, article, rows, services, useOthers } from './world.ts'

const LISTS = 400
const BUDGET = 1.3
const rounds = Number(process.argv[2] ?? 31)

/** Both ways to show the rows; their answers are equal in every character. */
interface Case {
  readonly name: string
  readonly service: Service
  readonly ours: (request: ApiRequest) => string
  readonly byHand: () => string
}

useOthers((await services[0]!.requests(1))[0]!)
const cases = services.map(caseOf)
// Every case warms up before a measurement: otherwise the first would pay for the compiler's learning from the others.
for (const one of cases) {
  const requests = await one.service.requests(LISTS)
  if (one.ours(requests[0]!) !== one.byHand()) throw new Error(`${one.name}: the answers differ.`)
  for (const show of [one.ours, one.byHand]) cost(requests, show)
}
for (const one of cases) {
  report(one.name, BUDGET, await compare(one))
}

function caseOf(service: Service): Case {
  const { name, start } = service
  return {
    name: `objects, then JSON, ${name}`,
    service,
    ours: (request) => JSON.stringify(rows.map((row) => article.represent(row, request))),
    byHand: () => JSON.stringify(rows.map((row) => objectByHand(row, start))),
  }
}

function objectByHand(
  { id, author_id, editor_id, team_id, parent_id }: Row,
  start: string,
): object {
  return {
    url: start + '/articles/' + id + '/',
    author: start + '/users/' + author_id + '/',
    editor: start + '/users/' + editor_id + '/',
    team: start + '/teams/' + team_id + '/',
    parent: start + '/articles/' + parent_id + '/',
  }
}

/** Measures both in turns, A B B A …, after two rounds that do not count. */
async function compare({ service, ours, byHand }: Case): Promise<Ratio> {
  const ratios: number[] = []
  let [own, hand] = [0, 0]
  for (let round = -2; round < rounds; round++) {
    const requests = await service.requests(LISTS)
    const first = cost(requests, round % 2 === 0 ? ours : byHand)
    const second = cost(requests, round % 2 === 0 ? byHand : ours)
    ;[own, hand] = round % 2 === 0 ? [first, second] : [second, first]
    if (round >= 0) ratios.push(own / hand)
  }
  return { ...quartiles(ratios), ratios, own, hand }
}

/** The microseconds of CPU time for a list, each with its own request. */
function cost(requests: readonly ApiRequest[], show: (request: ApiRequest) => string): number {
  const before = process.cpuUsage()
  // The list is made into bytes, as for sending: until then, a text may be a tree of pieces.
  for (const request of requests) Buffer.from(show(request))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / requests.length
}
