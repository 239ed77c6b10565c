// Holds answers to the documents of an application: for `expectContract` of the testing kit, and for tests over HTTP.
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import type { BaseApp } from '../../core/app/app.ts'
import type { PlainRequest } from '../../core/ports/http-adapter.ts'
import { oncePer } from '../../core/std/once.ts'
import { Query } from '../../core/std/http/query.ts'
import type { OpenApiDocument } from './document.ts'
import { openApiDocument, openApiDocuments } from './documents.ts'

/** An answer, as a test has it. */
export interface JudgedAnswer {
  readonly status: number
  /** Value of a header; `null` when it was not sent. */
  header(name: string): string | null
  readonly text: string
}

/** The verdict on one answer. */
export interface Verdict {
  /** `operationId`; `null`: no document has this request, so nothing is wrong with its answer. */
  readonly operation: string | null
  /** Was the body held to a schema that asks for something? */
  readonly hasSchema: boolean
  /** The difference between the answer and the document, as a sentence; `null`: none. */
  readonly problem: string | null
  /** The difference between the request and the document, which matters if the answer is a 2XX. */
  readonly misfit: string | null
}

/** Knows the documents of one application. */
export interface ContractJudge {
  judge(request: PlainRequest, answer: JudgedAnswer): Promise<Verdict>
}

/** The part of an application that a judge needs. */
export type JudgedApp = Pick<BaseApp, 'describe' | 'service' | 'rehearse'>

/**
 * Holds answers of an application to the OpenAPI document of their version: status, required headers, media type and
 * body. `client(app).expectContract()` does it in tests; this is for answers that come another way, over HTTP for instance.
 * No handler is run, and no scheme is asked.
 *
 * @throws Error the packages `ajv` and `ajv-formats` are not installed
 * @example
 * const judge = await contractJudge(app)
 * const { problem } = await judge.judge(request, answer)
 */
export const contractJudge: (app: JudgedApp) => Promise<ContractJudge> = oncePer(
  async (app: JudgedApp): Promise<ContractJudge> => new Judge(app, await validator()),
)

const MISSING =
  'Answers are held to the OpenAPI document with the packages ajv and ajv-formats. Run: npm install --save-dev ajv ajv-formats'

async function validator(): Promise<Ajv2020> {
  const [ajv, formats] = await Promise.all([
    import('ajv/dist/2020.js'),
    import('ajv-formats'),
  ]).catch((cause: unknown) => {
    throw new Error(MISSING, { cause })
  })
  const made = new ajv.Ajv2020({
    strict: false,
    verbose: true,
    logger: false,
    // The schemas are our own, and a check of each would compile the schema of schemas first.
    validateSchema: false,
  })
  formats.default.default(made, { mode: 'full' })
  return made
}

interface Operation {
  readonly operationId: string
  readonly 'x-endpoint': string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Response & { readonly $ref?: string }>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
}

interface Response {
  readonly headers?: Readonly<
    Record<string, { readonly $ref?: string; readonly required?: boolean }>
  >
  readonly content?: Content
}

type Content = Readonly<Record<string, unknown>>

interface Found {
  readonly operation: Operation
  readonly version: string | null
  readonly pointer: string
}

class Judge implements ContractJudge {
  readonly #app: JudgedApp
  readonly #documents: Documents
  /** The parameter that chooses the format of an answer, by endpoint; documents have it if several formats exist. */
  readonly #formats: ReadonlyMap<string, string | null>

  constructor(app: JudgedApp, ajv: Ajv2020) {
    this.#app = app
    this.#documents = new Documents(app, ajv)
    const endpoints = app.describe()
    this.#formats = new Map(endpoints.map((each) => [each.name, each.settings.urlFormatOverride]))
  }

  async judge(request: PlainRequest, answer: JudgedAnswer): Promise<Verdict> {
    const { endpointName, version } = (await this.#app.rehearse(request, 'version')).request
    const isHead = request.method === 'HEAD'
    const verb = isHead ? 'get' : request.method.toLowerCase()
    const found = this.#documents.find(endpointName, version, verb)
    if (found === null) return { operation: null, hasSchema: false, problem: null, misfit: null }
    const { operationId } = found.operation
    const name = `${operationId}${found.version === null ? '' : ` of ${found.version}`}`
    const asked = `${name} answered ${answer.status} to ${request.method} ${request.target}`
    const shown = this.#inAnswer(found, answer, isHead)
    const misfit = typeOf(answer) === 'text/html' ? null : await this.#inRequest(found, request)
    return {
      operation: operationId,
      hasSchema: shown.hasSchema ?? false,
      problem: shown.problem === null ? null : `${asked}: ${shown.problem}`,
      misfit: misfit === null ? null : `${asked}, which its document does not allow: ${misfit}`,
    }
  }

  #inAnswer(
    { operation, version, pointer }: Found,
    answer: JudgedAnswer,
    isHead: boolean,
  ): { readonly problem: string | null; readonly hasSchema?: boolean } {
    const { status, text } = answer
    const known = operation.responses
    const keys = [`${status}`, `${Math.floor(status / 100)}XX`, 'default']
    const key = keys.find((each) => each in known)
    if (key === undefined)
      return wrong(`the document has ${Object.keys(known).join(', ')}, and this came: ${cut(text)}`)
    const place = known[key]!.$ref ?? `${pointer}/responses/${key}`
    const { headers = {}, content } = this.#documents.at(version, place) as Response
    const missing = Object.entries(headers).find(
      ([name, header]) =>
        this.#documents.resolved(version, header).required === true && answer.header(name) === null,
    )
    if (missing !== undefined)
      return wrong(`the document requires the header ${missing[0]}, and it did not come.`)
    if (isHead) return { problem: null }
    if (text === '') {
      const json = Object.keys(content ?? {}).find((each) => isJson(baseOf(each)))
      if (json === undefined) return { problem: null }
      // An answer that may be `null` may also be empty.
      const schema = `${place}/content/${escaped(json)}/schema`
      const { problem } = this.#documents.check(version, schema, 'null')
      return problem === null ? { problem } : wrong('the document has a body there, and none came.')
    }
    if (content === undefined)
      return wrong(`the document has no body there, and this came: ${cut(text)}`)
    const type = typeOf(answer)
    const range = rangeIn(content, type)
    if (range === undefined && type === 'text/html') return { problem: null }
    if (range === undefined)
      return wrong(`the document has ${Object.keys(content).join(', ')}, and ${type} came.`)
    if (!isJson(type)) return { problem: null }
    return this.#documents.check(version, `${place}/content/${escaped(range)}/schema`, text)
  }

  /** The errors in the names of the query and in the body. Values of parameters and forms are texts, and are not judged. */
  async #inRequest(found: Found, request: PlainRequest): Promise<string | null> {
    return this.#inQuery(found, request) ?? (await this.#inBody(found, request))
  }

  #inQuery({ operation }: Found, { target }: PlainRequest): string | null {
    const known = (operation.parameters ?? []).filter((each) => each.in === 'query')
    const [, text = ''] = target.split(/\?(.*)/s)
    const sent = Query.parse(text).names()
    const missing = known.find(({ name, required }) => required === true && !sent.includes(name))
    if (missing !== undefined) return `the parameter ${missing.name} is required.`
    // A plain handler does not describe its input.
    if ('2XX' in operation.responses) return null
    const format = this.#formats.get(operation['x-endpoint'])
    const unknown = sent.find(
      (name) => name !== format && !known.some((each) => each.name === name),
    )
    if (unknown === undefined) return null
    const names = known.map(({ name }) => name).join(', ')
    return `the document has no parameter ${unknown}${names === '' ? '' : `, but ${names}`}.`
  }

  async #inBody({ operation, version, pointer }: Found, request: PlainRequest) {
    const { requestBody } = operation
    if (requestBody === undefined) return null
    if (request.body === null) return requestBody.required === true ? 'a body is required.' : null
    const type = baseOf(request.header('content-type'))
    const range = rangeIn(requestBody.content, type)
    if (range === undefined)
      return `the document has ${Object.keys(requestBody.content).join(', ')}, and ${type || 'no type'} was sent.`
    if (!isJson(type)) return null
    const text = Buffer.from(await request.body.bytes(Infinity)).toString()
    const schema = `${pointer}/requestBody/content/${escaped(range)}/schema`
    return this.#documents.check(version, schema, text).problem
  }
}

class Documents {
  readonly #ajv: Ajv2020
  readonly #documents: ReadonlyMap<string | null, OpenApiDocument>
  /** By version, endpoint and method. */
  readonly #operations = new Map<string, Found>()
  readonly #schemas = new Map<string, ValidateFunction>()

  constructor(app: JudgedApp, ajv: Ajv2020) {
    this.#ajv = ajv
    // These formats say what numbers and texts are for; those of JSON Schema are known.
    for (const name of ['decimal', 'binary', 'password', 'int64', 'double'])
      ajv.addFormat(name, true)
    const bare = openApiDocument(app, { version: null })
    this.#documents = new Map([...openApiDocuments(app), [null, bare]])
    for (const [version, document] of this.#documents) this.#add(version, document)
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

  /**
   * Finds an operation. Any document will do where any text may be a version, and where a request is refused before it has
   * one.
   */
  find(endpoint: string, version: string | null, method: string): Found | null {
    const versions = [version, null, ...this.#documents.keys()]
    const found = versions.map((each) => this.#operations.get(`${each} ${endpoint} ${method}`))
    return found.find((each) => each !== undefined) ?? null
  }

  at(version: string | null, pointer: string): unknown {
    const steps = pointer.slice(2).split('/').map(unescaped)
    return steps.reduce<unknown>(
      (place, step) => (place as Record<string, unknown>)[step],
      this.#documents.get(version),
    )
  }

  resolved<T extends { readonly $ref?: string }>(version: string | null, object: T): T {
    return object.$ref === undefined ? object : (this.at(version, object.$ref) as T)
  }

  /** Is this JSON as the schema at the pointer has it? */
  check(version: string | null, pointer: string, text: string) {
    const validate = this.#schema(version, pointer)
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return wrong(`this is not JSON: ${cut(text)}`)
    }
    if (!validate(value)) return wrong(sentence(validate.errors!))
    const hasSchema = Object.keys(this.at(version, pointer) as object).length > 0
    return { problem: null, hasSchema }
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

const wrong = (problem: string) => ({ problem })

/** Of several complaints about alternatives, the one deepest in the value. */
function sentence(errors: readonly ErrorObject[]): string {
  const depth = ({ instancePath }: ErrorObject): number => instancePath.split('/').length
  const { instancePath, keyword, message, params, data } = errors.toSorted(
    (a, b) => depth(b) - depth(a),
  )[0]!
  const details = SHOWN.has(keyword) ? ` (${Object.values(params).map(jsonOf).join(', ')})` : ''
  return `at "${instancePath}" of the body the document says "${message}"${details}, and this was there: ${cut(jsonOf(data))}`
}

/** Keywords whose message leaves out the allowed values. */
const SHOWN: ReadonlySet<string> = new Set(['enum', 'const', 'additionalProperties'])

const jsonOf = (value: unknown): string => JSON.stringify(value) ?? 'nothing'
const cut = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)
const baseOf = (type: string | null): string => (type ?? '').split(';', 1)[0]!.trim().toLowerCase()
const typeOf = (answer: JudgedAnswer): string => baseOf(answer.header('content-type'))
const isJson = (type: string): boolean => /[/+]json$/.test(type)
const rangeIn = (content: Content, type: string): string | undefined =>
  Object.keys(content).find((each) => baseOf(each) === type || each === '*/*')
const idOf = (version: string | null): string =>
  `https://documents.example/${encodeURIComponent(version ?? 'none')}`
const escaped = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1')
const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~')
