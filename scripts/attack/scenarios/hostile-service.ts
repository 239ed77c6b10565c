// The reverse attack: a client of ours, and a malicious service.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type RequestListener, createServer } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { type Contract, createClient } from 'colophon/client'
import { root } from '../../run.ts'
import type { Scenario } from '../scenario.ts'

interface Rows extends Contract {
  readonly version: null
  readonly operations: {
    readonly rows: { readonly get: { readonly data: readonly { readonly id: number }[] } }
  }
}

/** Enough members that copying all keys for each of them takes minutes. */
const MANY = 30_000

export const manyRows: Scenario = {
  name: 'client-rows',
  sends: `to a client: ${MANY.toLocaleString('en')} rows in one answer, while its signal aborts`,
  async run(stage) {
    const rows = JSON.stringify(Array.from({ length: MANY }, (_, id) => ({ id })))
    await using service = await hostile((_, answer) => answer.end(rows))
    const stop = new AbortController()
    let given = 0
    const failure = await walk(service.url, stop.signal, () => {
      if (++given === 1) setTimeout(() => stop.abort(), 0)
    })
    stage.note(`${given} rows were given before it ended`)
    stage.expect(`The signal ends it (${given} rows, ${failure}).`, given < MANY / 2)
  },
}

export const strangeRedirects: Scenario = {
  name: 'client-redirects',
  sends: 'to a client: redirects to another origin, of requests with a key in a header',
  async run(stage) {
    const keys: unknown[] = []
    await using other = await hostile(({ headers }, answer) => {
      keys.push(headers['x-api-key'])
      answer.end('[{"id":666}]')
    })
    for (const status of [301, 302, 303, 307, 308]) {
      await using service = await hostile((_, answer) =>
        answer.writeHead(status, { location: other.url }).end(),
      )
      let given = 0
      await walk(service.url, AbortSignal.timeout(5000), () => void given++)
      stage.expect(`Rows of another origin are not believed (${status}).`, given === 0)
    }
    stage.expect(`No key goes to another origin (${keys.length} did).`, keys.length === 0)
  },
}

export const ringsOfPages: Scenario = {
  name: 'client-rings',
  sends: 'to a client: two empty pages that lead to each other',
  async run(stage) {
    let asked = 0
    await using service = await hostile(({ url }, answer) => {
      asked++
      answer.setHeader('link', `<${url === '/?page=2' ? '/?page=3' : '/?page=2'}>; rel="next"`)
      answer.end('[]')
    })
    const failure = await walk(service.url, AbortSignal.timeout(3000), () => undefined)
    stage.expect(`It ends by itself (${failure}).`, failure.includes('no end'))
    stage.expect(`It ends soon (${asked} requests).`, asked < 10)
  },
}

/** A command reads the documents of strangers: their text must not become code, and their address must stay a secret. */
const DOCUMENTS = {
  'schemas named as types of the language': schemas([
    'Record',
    'Readonly',
    'readonly',
    '__proto__',
  ]),
  'a reference that cannot be decoded': schemas(['City'], { $ref: '#/components/schemas/%' }),
  'a chain of a thousand schemas': schemas(Array.from({ length: 1000 }, (_, at) => `S${at}`)),
}

export const hostileDocuments: Scenario = {
  name: 'client-documents',
  sends: `to the generator of clients: ${Object.keys(DOCUMENTS).join(', ')}`,
  async run(stage) {
    for (const [name, document] of Object.entries(DOCUMENTS)) {
      await using service = await hostile((_, answer) => answer.end(JSON.stringify(document)))
      const place = `${service.url}?token=SECRET`
      const { stdout, stderr } = await generate(place)
      const written = stripTypeScriptTypes(stdout)
      stage.expect(`${name}: a module or a sentence.`, written !== '' || stderr !== '')
      stage.expect(`${name}: no stack (${stderr.slice(0, 80)}).`, !/\n\s+at /.test(stderr))
      stage.expect(`${name}: no secret.`, !(stdout + stderr).includes('SECRET'))
    }
  },
}

/** A document of objects that refer to each other in turn, with an address that answers with the first. */
function schemas(names: readonly string[], last: object = { type: 'string' }): object {
  const reference = (at: number): object =>
    at < names.length ? { $ref: `#/components/schemas/${names[at]}` } : last
  const schema = (at: number) => ({ type: 'object', properties: { next: reference(at) } })
  const entries = names.map((name, at) => [name, schema(at + 1)] as const)
  const content = { 'application/json': { schema: reference(0) } }
  const get = { operationId: 'first', responses: { 200: { description: 'One.', content } } }
  return {
    openapi: '3.1.0',
    info: { title: 'API', version: '1' },
    paths: { '/first/': { get } },
    components: { schemas: Object.fromEntries(entries) },
  }
}

async function generate(place: string): Promise<{ stdout: string; stderr: string }> {
  const command = ['src/tools/cli/main.ts', 'client', 'generate', '--document', place]
  const run = promisify(execFile)(process.execPath, command, { cwd: root })
  return run.catch((error: { stdout: string; stderr: string }) => error)
}

/** Takes all rows, and reports the end. */
async function walk(baseUrl: string, signal: AbortSignal, take: () => void): Promise<string> {
  const headers = { 'x-api-key': 'KEY' }
  const options = { baseUrl, routes: { rows: '/' }, version: null, headers, retry: false } as const
  const rows = createClient<Rows>(options).rows('rows', { signal })
  try {
    for await (const _ of rows) take()
    return 'it came to its end'
  } catch (error) {
    return String(error)
  }
}

async function hostile(listener: RequestListener) {
  const server = createServer((request, answer) => {
    answer.setHeader('content-type', 'application/json')
    listener(request, answer)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
