// Holds every answer of a run to the OpenAPI document of its version: `node conformance/run.ts --documents`.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { App } from 'colophon'
import { type OpenApiDocument, openApiDocument, openApiDocuments } from 'colophon/openapi'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEntries, readWorld } from './data.ts'
import { Client } from './data/replay.mjs'
import { configured, createService } from './service.ts'
import { createWorld } from './world.ts'

type Exchange = InstanceType<typeof Client>['exchange']
type Answer = Awaited<ReturnType<Exchange>>

interface Asked {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
}

/** What came of an answer; a text is what is wrong with it. */
type Finding = 'fits' | 'fits its schema' | 'not described' | 'crash' | { readonly wrong: string }

/** Whatever is sent until then. */
export interface Recorded {
  readonly answers: readonly (readonly [Asked, Answer])[]
  stop(): void
}

/** Listens to every exchange of the replay. */
export function record(): Recorded {
  const answers: (readonly [Asked, Answer])[] = []
  const send = Client.prototype.exchange
  const listening: Exchange = async function (this: InstanceType<typeof Client>, ...sent) {
    const answer = await send.apply(this, sent)
    const [method, target, headers] = sent
    answers.push([{ method, target, headers: headers as Asked['headers'] }, answer])
    return answer
  }
  Client.prototype.exchange = listening
  return { answers, stop: () => void (Client.prototype.exchange = send) }
}

/** How many answers fit, and what is wrong with the others, as sentences. */
export interface Report {
  readonly fits: number
  /** Of these, with a body whose schema asks for something. */
  readonly schemas: number
  readonly notDescribed: number
  readonly crashes: number
  readonly complaints: readonly string[]
}

/** Asks a service of its own which endpoint and version each request has; no handler is run. */
export async function hold(recorded: Recorded['answers'], data: string): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-documents-'))
  const configuration = configured({ DATABASE_URL: `sqlite:${join(folder, 'library.sqlite')}` })
  const world = await createWorld(configuration, readWorld(data))
  try {
    const app = createService({ entries: readEntries(data), world, configuration })
    const documents = new Documents(app)
    const findings: Finding[] = []
    for (const [asked, answer] of recorded) findings.push(await documents.judge(asked, answer))
    return summed(findings)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function summed(findings: readonly Finding[]): Report {
  const count = (wanted: Finding): number => findings.filter((each) => each === wanted).length
  const wrong = findings.flatMap((each) => (typeof each === 'object' ? each.wrong : []))
  return {
    fits: count('fits') + count('fits its schema'),
    schemas: count('fits its schema'),
    notDescribed: count('not described'),
    crashes: count('crash'),
    complaints: [...new Set(wrong)],
  }
}

interface Operation {
  readonly 'x-endpoint': string
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>
}

/** A pointer into a document, with the operation that is there. */
interface Found {
  readonly operation: Operation
  readonly version: string | null
  readonly pointer: string
}

class Documents {
  readonly #app: App
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true })
  readonly #documents: ReadonlyMap<string | null, OpenApiDocument>
  /** By version, endpoint and method. */
  readonly #operations = new Map<string, Found>()
  readonly #schemas = new Map<string, ValidateFunction>()

  constructor(app: App) {
    this.#app = app
    // Its formats are those of JSON Schema; the others say what a number or a text is for.
    formats.default(this.#ajv, { mode: 'full' })
    for (const name of ['decimal', 'binary', 'password', 'int64', 'double'])
      this.#ajv.addFormat(name, true)
    this.#documents = new Map([
      ...openApiDocuments(app),
      [null, openApiDocument(app, { version: null })],
    ])
    for (const [version, document] of this.#documents) this.#add(version, document)
  }

  async judge(asked: Asked, answer: Answer): Promise<Finding> {
    const { endpoint, version } = await this.#placeOf(asked)
    const method = asked.method === 'HEAD' ? 'get' : asked.method.toLowerCase()
    const found = this.#find(endpoint, version, method)
    if (found === null)
      return isMissed(asked, answer)
        ? { wrong: `${asked.method} ${asked.target} is missing` }
        : 'not described'
    if (answer.status === 500) return 'crash'
    const problem = this.#problem(found, answer, asked.method === 'HEAD')
    return typeof problem === 'boolean'
      ? problem
        ? 'fits its schema'
        : 'fits'
      : { wrong: `${asked.method} ${asked.target}: ${problem}` }
  }

  #add(version: string | null, document: OpenApiDocument): void {
    this.#ajv.addSchema(document, idOf(version))
    for (const [path, item] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(item as Record<string, Operation>)) {
        const pointer = `#/paths/${escaped(path)}/${method}`
        const key = `${version} ${operation['x-endpoint']} ${method}`
        if (method !== 'servers') this.#operations.set(key, { operation, version, pointer })
      }
  }

  async #placeOf({ method, target, headers }: Asked) {
    const all = new Map(Object.entries(headers).map(([name, text]) => [name.toLowerCase(), text]))
    const header = (name: string): string | null => all.get(name) ?? null
    const environ = { REMOTE_ADDR: '127.0.0.1' }
    const door = { method, target, scheme: 'http', environ, body: null, header } as const
    const { request } = await this.#app.rehearse(door)
    return { endpoint: request.endpointName, version: request.version }
  }

  /** Where any text may be a version, and where a request is refused before it has one, each document will do. */
  #find(endpoint: string, version: string | null, method: string): Found | null {
    const versions = [version, null, ...this.#documents.keys()]
    const found = versions.map((each) => this.#operations.get(`${each} ${endpoint} ${method}`))
    return found.find((each) => each !== undefined) ?? null
  }

  #problem(
    { operation, version, pointer }: Found,
    answer: Answer,
    isHead: boolean,
  ): string | boolean {
    const { status, text, headers } = answer
    const keys = [`${status}`, `${Math.floor(status / 100)}XX`, 'default']
    const key = keys.find((each) => each in operation.responses)
    if (key === undefined) return `${status} is not described: ${text.slice(0, 200)}`
    const { $ref } = operation.responses[key]!
    const place = $ref ?? `${pointer}/responses/${key}`
    const { content } = this.#at(version, place) as { readonly content?: Record<string, unknown> }
    if (isHead || text === '') return false
    if (content === undefined) return `${status} has a body, and is described without one`
    const type = String(headers['content-type']).split(';', 1)[0]!
    const range = Object.keys(content).find((each) => each.split(';', 1)[0] === type)
    if (range === undefined)
      return type === 'text/html' ? false : `${status} as ${type} is not described`
    if (!/[/+]json$/.test(type)) return false
    const schema = `${place}/content/${escaped(range)}/schema`
    const validate = this.#schema(version, schema)
    if (validate(JSON.parse(text)))
      return Object.keys(this.#at(version, schema) as object).length > 0
    return `${status}: ${this.#ajv.errorsText(validate.errors)} in ${text.slice(0, 300)}`
  }

  #at(version: string | null, pointer: string): unknown {
    const steps = pointer.slice(2).split('/').map(unescaped)
    return steps.reduce<unknown>(
      (place, step) => (place as Record<string, unknown>)[step],
      this.#documents.get(version),
    )
  }

  #schema(version: string | null, pointer: string): ValidateFunction {
    const key = `${idOf(version)}${encodeURI(pointer)}`
    const known = this.#schemas.get(key)
    if (known !== undefined) return known
    const made = this.#ajv.compile({ $ref: key })
    this.#schemas.set(key, made)
    return made
  }
}

/** Pages for people, OPTIONS and what is refused stand in no document. */
function isMissed({ method }: Asked, { status, headers }: Answer): boolean {
  return (
    method !== 'OPTIONS' && status < 300 && !String(headers['content-type']).startsWith('text/html')
  )
}

const idOf = (version: string | null): string => `https://documents.example/${version ?? 'none'}`
const escaped = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1')
const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~')
