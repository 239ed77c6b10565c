// The errors of an operation: those that follow from the policy of its endpoint, and those that its behaviour names.
import type { Permission, Settings } from '../contract/request.ts'
import type { Verb } from '../contract/kernel.ts'
import { handleException } from '../pipeline/exceptions.ts'
import { Message } from '../messages/message.ts'
import type { ErrorFacts, JSONSchema } from '../types/documents.ts'
import type { Components } from './components.ts'
import { headersOfError, isThrottled } from './headers.ts'
import { needsUser } from './security.ts'

/** What decides which errors an operation can have. */
export interface Fallible {
  readonly verb: Verb
  readonly settings: Settings
  readonly permissions: readonly Permission[]
  readonly version: string | null
  readonly readsBody: boolean
  readonly takesPasswords: boolean
  /** Parameters that may be wrong, in the path or in the query. */
  readonly takesParameters: boolean
  /** What its behaviour names. */
  readonly own: readonly ErrorFacts[]
}

/** By status, the codes that programs read. */
export function errorsOf(operation: Fallible): ReadonlyMap<number, readonly string[]> {
  const all = [...ofPolicy(operation), ...operation.own]
  const byStatus = Map.groupBy(all, ({ status }) => status)
  return new Map(
    [...byStatus]
      .toSorted(([a], [b]) => a - b)
      .map(([status, some]) => [
        status,
        [...new Set(some.flatMap(({ codes }) => codes))].toSorted(),
      ]),
  )
}

function ofPolicy(operation: Fallible): readonly ErrorFacts[] {
  const { settings, readsBody, takesParameters, version } = operation
  const isGone = version !== null && settings.versions?.[version]?.gone === true
  const facts: readonly (ErrorFacts | false)[] = [
    (takesParameters || settings.strictQuery) && { status: 400, codes: ['invalid', 'parse_error'] },
    readsBody && { status: 400, codes: ['invalid', 'parse_error'] },
    ...ofIdentity(operation),
    (settings.versioning !== null || settings.urlFormatOverride !== null) && {
      status: 404,
      codes: ['not_found'],
    },
    { status: 406, codes: ['not_acceptable'] },
    isGone && { status: 410, codes: ['gone'] },
    readsBody && { status: 413, codes: ['payload_too_large'] },
    readsBody && { status: 415, codes: ['unsupported_media_type'] },
    isLimited(operation) && { status: 429, codes: ['throttled'] },
    isLimited(operation) && { status: 503, codes: ['unavailable'] },
  ]
  return facts.filter((each) => each !== false)
}

/** The first scheme alone decides between 401 and 403 (A40). */
function ofIdentity({ verb, settings, permissions }: Fallible): readonly ErrorFacts[] {
  const [first] = settings.authentication
  const own = permissions.flatMap(({ code }) => code ?? [])
  const denied = { status: 403, codes: ['permission_denied', ...own] }
  if (first === undefined) return permissions.length > 0 ? [denied] : []
  const status = first.authenticateHeader === undefined ? 403 : 401
  const isOpen = permissions.length === 0 || !permissions.some((each) => mayAskForUser(each, verb))
  const failed = {
    status,
    codes: ['authentication_failed', ...(isOpen ? [] : ['not_authenticated'])],
  }
  const isForged = verb !== 'get' && settings.authentication.some(({ security }) => security)
  return [failed, ...(permissions.length > 0 || isForged ? [denied] : [])]
}

/** What is not known of a permission, it may do. */
function mayAskForUser(permission: Permission, verb: Verb): boolean {
  return permission.needsUser === undefined || needsUser([permission], verb)
}

/** Wrong credentials are counted, too. */
function isLimited({ settings, takesPasswords }: Fallible): boolean {
  const { credentialFailures, authentication } = settings
  const counts = takesPasswords || authentication.length > 0
  return (credentialFailures !== null && counts) || isThrottled(settings)
}

/** How errors are shown. */
interface Shown {
  readonly settings: Settings
  readonly mediaTypes: readonly string[]
  readonly components: Components
}

/** The answer with an error, in the two shapes that clients may ask for. */
export function errorResponse(status: number, codes: readonly string[], shown: Shown): JSONSchema {
  const { components, mediaTypes } = shown
  const isOurs = shown.settings.exceptionHandler === handleException
  return components.once(`${status} ${codes.join()} ${mediaTypes.join()} ${isOurs}`, () => {
    const [name, description] = WORDS[status] ?? [`Error${status}`, 'An error.']
    // Permissions and validators have codes of their own, too.
    const isOpen = status === 400 || status === 403
    const code = isOpen ? { type: 'string', examples: codes } : { type: 'string', enum: codes }
    const own = { properties: { status: { const: status }, code } }
    const headers = headersOfError(status, components)
    const content = contentOf(status === 400 ? 'messages' : 'detail', own, shown)
    return components.refer('responses', name, {
      description,
      ...(headers && { headers }),
      content,
    })
  })
}

/** Whatever else the application answers with. */
export function anyError(shown: Shown): JSONSchema {
  const content = contentOf('messages', {}, shown)
  return shown.components.refer('responses', 'Error', { description: 'Another error.', content })
}

/** An `exceptionHandler` of the application makes what it likes. */
function contentOf(plain: 'messages' | 'detail', own: JSONSchema, shown: Shown): JSONSchema {
  const { settings, mediaTypes, components } = shown
  const schemas = sharedSchemas(components)
  const isOurs = settings.exceptionHandler === handleException
  const schema = isOurs ? schemas[plain] : {}
  const content = mediaTypes.map((type) => [type, { schema }] as const)
  const problem = { schema: { allOf: [schemas.problem, own] } }
  return Object.fromEntries(isOurs ? [...content, ['application/problem+json', problem]] : content)
}

const WORDS: Readonly<Record<number, readonly [name: string, description: string]>> = {
  400: ['BadRequest', 'Something in the request is not valid.'],
  401: ['Unauthorized', 'Credentials are needed, or those that were sent are not valid.'],
  403: ['Forbidden', 'The client may not do this.'],
  404: ['NotFound', 'There is no such thing here.'],
  406: ['NotAcceptable', 'No form of the answer is one that `Accept` asks for.'],
  409: ['Conflict', 'It is not possible in the current state of the data.'],
  410: ['Gone', 'The version is no longer served.'],
  413: ['ContentTooLarge', 'The body, or a file in it, is too large.'],
  415: ['UnsupportedMediaType', 'Bodies of this type are not read here.'],
  416: ['RangeNotSatisfiable', 'The file has no such part.'],
  429: ['TooManyRequests', 'Too many requests: try again later.'],
  503: ['ServiceUnavailable', 'Something that is needed is away: try again later.'],
}

/** The schemas that errors share. */
function sharedSchemas(components: Components) {
  components.put('schemas', 'ErrorsByField', BY_FIELD)
  return {
    messages: components.refer('schemas', 'Messages', MESSAGES),
    detail: components.refer('schemas', 'Detail', DETAIL),
    problem: components.refer('schemas', 'Problem', PROBLEM),
  }
}

// Only an object may hold itself: generators of types know no other circle.
const ITSELF = { $ref: '#/components/schemas/ErrorsByField' }
const LIST = {
  type: 'array',
  items: { anyOf: [{ type: 'string' }, ITSELF, { type: 'array' }] },
}
const BY_FIELD = {
  description: 'Messages for people, by the name of the field or the index in a list.',
  type: 'object',
  additionalProperties: { anyOf: [{ type: 'string' }, LIST, ITSELF] },
}
const MESSAGES = {
  description: 'Messages for people: one, a list, or by field.',
  anyOf: [{ type: 'string' }, LIST, ITSELF],
}

const DETAIL = {
  type: 'object',
  properties: { detail: { $ref: '#/components/schemas/Messages' } },
  examples: [{ detail: String(Message.of('not_found')) }],
}

const PROBLEM = {
  description: 'RFC 9457, with machine codes.',
  type: 'object',
  properties: {
    type: { type: 'string', format: 'uri-reference' },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string' },
    code: { type: 'string' },
    errors: { description: 'Messages with their codes, by the name of the field or in a list.' },
    instance: { type: 'string', format: 'uri' },
  },
  required: ['type', 'title', 'status', 'code', 'instance'],
}
