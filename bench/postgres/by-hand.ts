// The comparable service by hand. `raw` is as a good engineer writes it: a pool, a prepared statement, one query for a request.
// `best` remembers digests, and all look-ups of a turn of the event loop share one query.
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'pg'
import { OPTIONS, digestWith, quoted, refuse, remembering, send, tokenIn } from '../http/hand.ts'
import { tellParent } from '../http/server-process.ts'
import { HAND_KEY, POOL } from './world.ts'

const [url = '', kind = 'raw'] = process.argv.slice(2)
const best = kind === 'best'
const pool = new Pool({ connectionString: url, max: POOL })
const digestOf = best ? remembering(digestWith(HAND_KEY)) : digestWith(HAND_KEY)

type User = readonly [id: string, username: string, isActive: boolean, digest: string]

function owners(name: string, condition: string) {
  const text = `select u.id, u.username, u.is_active, t.digest
    from hand_token t inner join colophon_user u on u.id = t.user_id where t.digest ${condition}`
  return async (value: string | readonly string[]): Promise<User[]> =>
    (await pool.query<never>({ name, text, rowMode: 'array', values: [value] })).rows
}

const one = owners('owner', '= $1')
const many = owners('owners', '= any($1)')

/** The requests that wait for the owner of a digest until the turn ends. */
type Waiting = Map<string, ((user: User | undefined) => void)[]>
const desk: { waiting: Waiting | null } = { waiting: null }

function ownerOf(digest: string): Promise<User | undefined> {
  if (!best) return one(digest).then(([user]) => user)
  return new Promise((resolve) => {
    if (desk.waiting === null) {
      desk.waiting = new Map()
      setImmediate(() => void askForAll())
    }
    const others = desk.waiting.get(digest)
    if (others === undefined) desk.waiting.set(digest, [resolve])
    else others.push(resolve)
  })
}

async function askForAll(): Promise<void> {
  const waiting = desk.waiting!
  desk.waiting = null
  const found = new Map((await many([...waiting.keys()])).map((user) => [user[3], user]))
  for (const [digest, resolvers] of waiting)
    for (const resolve of resolvers) resolve(found.get(digest))
}

const NOT_FOUND = JSON.stringify({ detail: 'Not found.' })

const server = createServer(OPTIONS, (request, response) => {
  if (request.url === '/me/') me(request, response).catch(() => response.destroy())
  else send(response, 404, NOT_FOUND)
})

async function me(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const key = tokenIn(request)
  if (key === null) return refuse(response)
  const user = await ownerOf(digestOf(key))
  if (user === undefined || !user[2]) return refuse(response)
  const [id, username] = user
  const text = `{"id":${id},"username":${quoted(username)}}`
  send(response, 200, best ? text : JSON.stringify({ id: Number(id), username }))
}

server.listen(0, '127.0.0.1', () => tellParent((server.address() as AddressInfo).port))
