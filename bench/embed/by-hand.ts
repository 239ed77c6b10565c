// The service by hand, in the form of a good engineer: four prepared statements for a page, rows as arrays, and a map for each
// relation.
import { type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { OPTIONS, PRAGMAS, linksOf, send } from '../http/hand.ts'
import { tellParent } from '../http/server-process.ts'
import { PAGE_SIZE } from './world.ts'

const [path = ''] = process.argv.slice(2)
const db = new DatabaseSync(path)
db.exec(PRAGMAS)
const prepare = (sql: string) => {
  const statement = db.prepare(sql)
  statement.setReturnArrays(true)
  return statement
}
const THESE = '(select value from json_each(?))'
const count = prepare('select count(*) from visit')
const page = prepare('select id, reason, starts, doctor from visit order by id limit ? offset ?')
const doctors = prepare(`select id, name, phone from doctor where id in ${THESE}`)
const notes = prepare(`select visit, id, text from note where visit in ${THESE} order by visit, id`)
const bills = prepare(
  `select visit, id, amount, paid from bill where visit in ${THESE} order by visit, id`,
)

type Visit = readonly [id: number, reason: string, starts: string, doctor: number]
type Doctor = readonly [id: number, name: string, phone: string]
type Note = readonly [visit: number, id: number, text: string]
type Bill = readonly [visit: number, id: number, amount: number, paid: number]

const server = createServer(OPTIONS, (request, response) => {
  const url = request.url!
  const cut = url.indexOf('?')
  if ((cut < 0 ? url : url.slice(0, cut)) !== '/visits/')
    return send(response, 404, '{"detail":"Not found."}')
  const number = Number(new URLSearchParams(cut < 0 ? '' : url.slice(cut + 1)).get('page') ?? '1')
  return visits(response, `http://${request.headers.host}/visits/`, number)
})

function visits(response: ServerResponse, self: string, number: number): void {
  const total = (count.get() as unknown as [number])[0]
  const last = Math.max(1, Math.ceil(total / PAGE_SIZE))
  if (!Number.isInteger(number) || number < 1 || number > last)
    return send(response, 404, '{"detail":"Invalid page."}')
  const rows = page.all(PAGE_SIZE, (number - 1) * PAGE_SIZE) as unknown as Visit[]
  const results = together(rows)
  send(response, 200, JSON.stringify({ count: total, ...linksOf(self, number, last), results }))
}

function together(rows: readonly Visit[]): object[] {
  const ids = JSON.stringify(rows.map(([id]) => id))
  const wanted = JSON.stringify([...new Set(rows.map(([, , , doctor]) => doctor))])
  const byKey = new Map(
    (doctors.all(wanted) as unknown as Doctor[]).map(([id, name, phone]) => [
      id,
      { id, name, phone },
    ]),
  )
  const notesOf = new Map<number, object[]>()
  for (const [visit, id, text] of notes.all(ids) as unknown as Note[])
    add(notesOf, visit, { id, text })
  const billsOf = new Map<number, object[]>()
  for (const [visit, id, amount, paid] of bills.all(ids) as unknown as Bill[])
    add(billsOf, visit, { id, amount, paid: paid === 1 })
  return rows.map(([id, reason, starts, doctor]) => ({
    id,
    reason,
    starts,
    doctor: byKey.get(doctor) ?? null,
    notes: notesOf.get(id) ?? [],
    bills: billsOf.get(id) ?? [],
  }))
}

function add(lists: Map<number, object[]>, key: number, item: object): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [item])
  else list.push(item)
}

server.listen(0, '127.0.0.1', () => tellParent((server.address() as AddressInfo).port))
