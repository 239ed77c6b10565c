import { Agent, type IncomingMessage, request as ask } from 'node:http'
import { afterAll, describe, expect, test } from 'vitest'
import type { App } from '../../src/index.ts'
import { type RunningServer, serve } from '../../src/node.ts'
import type { Mounting } from './hosts.ts'

/** Beside ours, hosts by the names of their files in docs/recipes/beside.md. */
export type DoorName = 'fetch door' | 'node door' | Host
/** Those that `npm test` asks, too. */
export type Mounted = (typeof HOSTS)[number]
export type Host = Mounted | 'next'
export const HOSTS = ['express', 'fastify', 'hono', 'nest', 'nest-fastify'] as const

/** A request, said the same way to every door. Without a `host` it is for `localhost`. */
export interface Sent {
  readonly method: string
  /** Path and query; the node door also takes an address in absolute form. */
  readonly path: string
  /** A list of values is as many header lines. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Uint8Array
}

export interface Answer {
  readonly status: number
  /** Names in lower case, several of one name joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** Every `Set-Cookie` as it was sent. */
  readonly cookies: readonly string[]
  readonly text: string
}

export interface Door {
  readonly name: DoorName
  send(sent: Sent): Promise<Answer>
}

/** The platform behind a door has no form for this request. */
export class Inexpressible extends Error {}

/**
 * Where a sentence is repeated, by where its rows are kept. A door sends and reads the same bytes whatever database an
 * application has, and no database knows who asked it: so both doors are tried on SQLite, and one on what else there is.
 */
export function doorsOn(on: string, app: App): readonly Door[] {
  return on.includes('SQLite') ? doors(app) : [fetchDoor(app)]
}

/**
 * The ways into an application; `npm run hosts` chooses a host in their place. The server behind a door starts
 * when first used and stops after the file.
 */
export function doors(app: App): readonly Door[] {
  const chosen = [...HOSTS, 'next' as const].find((name) => name === process.env['HOST_OF_TESTS'])
  return chosen === undefined ? [fetchDoor(app), nodeDoor(app)] : [hostDoor(chosen, app)]
}

/** What a row sends beside method and path. */
export interface More {
  readonly headers?: Sent['headers']
  readonly body?: Sent['body']
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
  /** The door whose platform cannot send this, and why: there, the attempt must fail. */
  readonly cannot?: readonly [door: DoorName, because: string]
}

/** What must be true of the answer. A status alone, or more. */
export type Expected =
  | number
  | {
      readonly status: number
      /** The body as JSON. */
      readonly data?: unknown
      readonly text?: string | RegExp
      /** `null`: not sent. */
      readonly headers?: Readonly<Record<string, string | RegExp | null>>
    }

/** One sentence of the rules, as a question (`GET /path`) and its answer. */
export type Row = readonly [title: string, question: string, expected: Expected, more?: More]

/** Runs a table through both doors; `on`: where the rows are, of which `doorsOn` says how many doors that takes. */
export function throughDoors(
  app: App,
  rows: readonly Row[],
  on = 'SQLite',
  ways: readonly Door[] = doorsOn(on, app),
): void {
  describe.each(ways)('$name', (door) => {
    for (const [title, question, expected, more = {}] of rows) {
      // A host that passes web requests on gets what the platform has repaired.
      if (more.cannot?.[0] === 'fetch door' && (door.name === 'hono' || door.name === 'next'))
        continue
      const isInexpressible = more.cannot?.[0] === door.name
      test(isInexpressible ? `${title} (cannot be sent: ${more.cannot[1]})` : title, async () => {
        const answer = door.send(toSent(question, more))
        if (isInexpressible) await expect(answer).rejects.toThrow(Inexpressible)
        else check(await answer, expected)
      })
    }
  })
}

export function check(answer: Answer, expected: Expected): void {
  const wanted = typeof expected === 'number' ? { status: expected } : expected
  // The body stands beside the status so that a failure shows it.
  const body = answer.text.slice(0, 300)
  expect({ status: answer.status, body }).toEqual({ status: wanted.status, body })
  const headers = Object.entries(wanted.headers ?? {})
  const sent = headers.map(([name]) => [name, answer.headers[name.toLowerCase()] ?? null])
  expect(Object.fromEntries(sent)).toEqual(Object.fromEntries(headers.map(toMatcher)))
  if (wanted.data !== undefined) expect(JSON.parse(answer.text)).toEqual(wanted.data)
  if (wanted.text instanceof RegExp) expect(answer.text).toMatch(wanted.text)
  else if (wanted.text !== undefined) expect(answer.text).toBe(wanted.text)
}

function toMatcher([name, value]: [string, string | RegExp | null]): [string, unknown] {
  return [name, value instanceof RegExp ? expect.stringMatching(value) : value]
}

/** `POST /items/` and what goes with it, as a request. */
export function toSent(question: string, { headers, body, json, form }: More = {}): Sent {
  const space = question.indexOf(' ')
  const sent = { method: question.slice(0, space), path: question.slice(space + 1) }
  const typed = (type: string, text: string): Sent => ({
    ...sent,
    headers: { 'content-type': type, ...headers },
    body: text,
  })
  if (json !== undefined) return typed('application/json', JSON.stringify(json))
  if (form !== undefined) {
    return typed('application/x-www-form-urlencoded', new URLSearchParams(form).toString())
  }
  return { ...sent, ...(headers ? { headers } : {}), ...(body === undefined ? {} : { body }) }
}

function fetchDoor(app: App): Door {
  return {
    name: 'fetch door',
    async send(sent) {
      const response = await app.fetch(toWebRequest(sent))
      const { status, headers } = response
      const cookies = headers.getSetCookie()
      return { status, headers: joined(headers), cookies, text: await response.text() }
    },
  }
}

/** Cookies are the one header that `Headers` does not join. */
function joined(headers: Headers): Answer['headers'] {
  const cookies = headers.getSetCookie().join(',')
  return { ...Object.fromEntries(headers), ...(cookies === '' ? {} : { 'set-cookie': cookies }) }
}

/** A web request that says exactly what was asked for: the platform repairs some, which would test something else. */
function toWebRequest({ method, path, headers = {}, body }: Sent): Request {
  const { host = 'localhost', ...others } = headers
  const pairs = Object.entries(others).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  )
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const request = attempt(
    () =>
      new Request(`http://${String(host)}${path}`, {
        method,
        headers: pairs,
        ...(bytes === undefined ? {} : { body: bytes as BodyInit }),
      }),
  )
  const url = new URL(request.url)
  if (url.host !== host || url.pathname + url.search !== path || request.method !== method) {
    throw new Inexpressible(`the platform makes it ${request.method} ${request.url}`)
  }
  return request
}

function attempt<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw new Inexpressible((error as Error).message, { cause: error })
  }
}

export function nodeDoor(app: App): Door {
  return socketDoor('node door', () => serve(app, { port: 0 }))
}

/** Imported late: only tests of hosts need what npm installs. */
export function hostDoor(name: Host, app: App, mounting?: Mounting): Door {
  const door = socketDoor(name, async () => (await import('./hosts.ts')).host(name, app, mounting))
  return name === 'next'
    ? { name, send: async (sent) => withoutPages(await door.send(sent)) }
    : door
}

/** By these, answers of Next.js vary because of its pages, as docs/recipes/beside.md says. */
const OF_NEXT = /(?:^|, )(?:rsc|next-router-[a-z-]+)(?=,|$)/g

function withoutPages(answer: Answer): Answer {
  const { vary = '', ...headers } = answer.headers
  const rest = vary.replaceAll(OF_NEXT, '').replace(/^, /, '')
  return { ...answer, headers: { ...headers, ...(rest === '' ? {} : { vary: rest }) } }
}

type Server = Pick<RunningServer, 'url' | 'close'>

function socketDoor(name: DoorName, start: () => Promise<Server>): Door {
  const agent = new Agent({ keepAlive: true })
  let server: Promise<Server> | null = null
  afterAll(async () => {
    agent.destroy()
    await (await server)?.close()
  })
  return {
    name,
    async send(sent) {
      const { url } = await (server ??= start())
      return sendTo(Number(new URL(url).port), sent, agent)
    },
  }
}

/** Asks the server on a port, without any repair that `fetch` would do. */
export function sendTo(
  port: number,
  { method, path, headers, body }: Sent,
  agent?: Agent,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, path, ...(agent ? { agent } : {}) }
    const request = attempt(() =>
      ask({ ...options, headers: { host: 'localhost', ...headers } as Record<string, string> }),
    )
    request.once('error', reject)
    request.once('response', (response) => void toAnswer(response).then(resolve, reject))
    request.end(body)
  })
}

async function toAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
  return {
    status: response.statusCode!,
    headers: Object.fromEntries(headers) as Record<string, string>,
    cookies: response.headers['set-cookie'] ?? [],
    text: Buffer.concat(chunks).toString(),
  }
}
