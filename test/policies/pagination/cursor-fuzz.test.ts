import { describe, expect, test } from 'vitest'
import {
  CursorPagination,
  type ApiRequest,
  NotFound,
  Query,
  arraySource,
  configurationOf,
  defineApi,
  list,
} from '../../../src/index.ts'
import { Seal } from '../../../src/core/secrets/seal.ts'

const SECRET_KEY = 'a secret that is nobody else’s'
const ROWS = Array.from({ length: 60 }, (_, id) => ({
  id,
  created: `2024-01-01 08:00:00.${String(id % 7).padStart(6, '0')}`,
}))
const style = new CursorPagination({ pageSize: 10 })
const source = arraySource(ROWS, { key: 'id' })
let reads = 0
const counted: typeof source = new Proxy(source, {
  get(from, name) {
    const member: unknown = Reflect.get(from, name)
    if (typeof member !== 'function') return member
    return (...given: unknown[]) => {
      reads += 1
      return Reflect.apply(member, from, given) as unknown
    }
  },
})

const api = defineApi({ urls: { feed: '/feed/' }, pagination: style })
const app = api.serve([api.endpoint('feed').get(list({ source: counted }))], {
  configuration: configurationOf({ SECRET_KEY }),
})

/** As much of a request as a style looks at. */
function asking(cursor: string): ApiRequest {
  const query = Query.parse('').with({ cursor })
  const request = {
    origin: 'http://localhost',
    path: '/feed/',
    endpointName: 'feed',
    settings: { pageSize: null, maxPageSize: null },
    params: {},
    version: null,
    query,
    seals,
  }
  return request as unknown as ApiRequest
}
const seals = new Seal('texts', () => [SECRET_KEY])

/** Every cursor of the list, both ways. */
async function allCursors(): Promise<readonly string[]> {
  const found = new Set<string>()
  for (let at: string | null = 'http://localhost/feed/'; at !== null;) {
    const answer: Response = await app.fetch(new Request(at))
    const { next, previous } = (await answer.json()) as Record<'next' | 'previous', string | null>
    for (const link of [next, previous])
      if (link !== null && link.includes('=')) found.add(link.slice(link.indexOf('=') + 1))
    at = next
  }
  return [...found]
}

/** Of another run where it is given, to do it again. */
const seed = Number(process.env['CURSOR_SEED'] ?? Math.trunc(Math.random() * 2 ** 32))
/** A part in `npm test`; a hundred times the asked number by `node scripts/prove-cursors.ts`: a million by default. */
const texts = Number(process.env['CURSOR_CASES'] ?? 600) * 100

/** Numbers from 0 to below `bound`, the same for the same beginning. */
function numbers(from: number): (bound: number) => number {
  let state = from
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=%. é\0'

/** A cursor with something wrong, in one of the ways in which texts get wrong. */
function mutated(cursors: readonly string[], below: (bound: number) => number): string {
  const cursor = cursors[below(cursors.length)]!
  const other = cursors[below(cursors.length)]!
  const [at, letter] = [below(cursor.length), ALPHABET[below(ALPHABET.length)]!]
  const bytes = (): Buffer => Buffer.from(cursor.slice(3), 'base64url')
  switch (below(10)) {
    case 0:
      return cursor.slice(0, at) + letter + cursor.slice(at + 1)
    case 1:
      return cursor.slice(0, at) + letter + cursor.slice(at)
    case 2:
      return cursor.slice(0, at) + cursor.slice(at + 1 + below(4))
    case 3:
      return cursor.slice(0, at) + other.slice(at)
    case 4: {
      const flipped = bytes()
      flipped[below(flipped.length)]! ^= 1 << below(8)
      return `v1.${flipped.toString('base64url')}`
    }
    case 5: {
      const crossed = bytes()
      Buffer.from(other.slice(3), 'base64url').copy(crossed, 16, 16)
      return `v1.${crossed.toString('base64url')}`
    }
    case 6:
      return `v1.${bytes().toString(below(2) === 0 ? 'base64' : 'hex')}`
    case 7:
      return cursor + other.slice(0, at)
    case 8:
      return cursor.slice(0, at)
    default:
      return Array.from({ length: below(120) }, () => ALPHABET[below(ALPHABET.length)]).join('')
  }
}

describe('I2 cursors that nobody made', async () => {
  const cursors = await allCursors()
  const genuine = new Set(['', ...cursors])

  test(`${texts} of them are all refused, and nothing is read (CURSOR_SEED=${seed})`, async () => {
    const below = numbers(seed)
    reads = 0
    let [refused, same] = [0, 0]
    // Their stacks would take most of the time, and no one reads them.
    Error.stackTraceLimit = 0
    for (let round = 0; round < texts; round += 1) {
      const cursor = mutated(cursors, below)
      if (genuine.has(cursor)) same += 1
      else if (await isRefused(cursor)) refused += 1
    }
    Error.stackTraceLimit = 10
    expect({ reads, all: refused + same }).toEqual({ reads: 0, all: texts })
    expect(same).toBeLessThan(texts / 5)
  })

  test(`${texts / 10} through the whole application get 200 where they are genuine, else 404 (CURSOR_SEED=${seed})`, async () => {
    const below = numbers(seed + 1)
    const statuses = new Map<string, number>()
    for (let round = 0; round < texts / 10; round += 1) {
      const cursor = mutated(cursors, below)
      reads = 0
      const target = `http://localhost/feed/?cursor=${encodeURIComponent(cursor)}`
      const { status } = await app.fetch(new Request(target))
      const kind = `${genuine.has(cursor) ? 'genuine' : 'not'}: ${status}, read ${reads}`
      statuses.set(kind, (statuses.get(kind) ?? 0) + 1)
    }
    expect([...statuses.keys()].toSorted()).toEqual(['genuine: 200, read 1', 'not: 404, read 0'])
  })
})

async function isRefused(cursor: string): Promise<boolean> {
  try {
    await style.paginate(counted, asking(cursor))
    return false
  } catch (error) {
    return error instanceof NotFound && error.code === 'not_found'
  }
}
