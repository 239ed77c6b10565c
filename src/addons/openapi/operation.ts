import { versionParams } from '../../core/versions/link-in-version.ts'
import { Message } from '../../core/messages/message.ts'
import { handleException } from '../../core/pipeline/exceptions.ts'
import type { Verb } from '../../core/ports/kernel.ts'
import type { Parser } from '../../core/ports/parsing.ts'
import type { Authenticator } from '../../core/ports/policies/authentication.ts'
import type { Permission } from '../../core/ports/policies/permissions.ts'
import type { Renderer } from '../../core/ports/representations.ts'
import type { OperationPlace, Settings } from '../../core/ports/settings/settings.ts'
import type {
  AnswerFacts,
  Direction,
  ErrorFacts,
  JSONSchema,
  OperationFacts,
  ParameterFacts,
  SecurityFacts,
} from '../../core/types/documents.ts'
import type { Components } from './components.ts'
import { descriptionOf, operationIdOf, pascalCase, summaryOf, tagOf } from './names.ts'
import type { DocumentedOperation, Placed } from './endpoint-versions.ts'

/** An operation in OpenAPI's form; `null`: it is hidden. */
export function describeOperation(
  operation: DocumentedOperation,
  components: Components,
): JSONSchema | null {
  const { placed, verb, behaviour, noun } = operation
  const { endpoint, version } = placed
  const { settings } = endpoint
  const facts = factsOf(operation, components)
  if (facts === null) return null
  const permissions = [...settings.permissions, ...(behaviour.permissions ?? [])]
  const security = securityOf(settings, permissions, verb, components)
  const parameters = [...placed.parameters, ...queryOf(operation)]
  const body = bodyOf(facts.body, verb, settings, components)
  const life = version === null ? undefined : settings.versions?.[version]
  const summary = facts.summary ?? summaryOf(operation, facts)
  const described = facts.description ?? endpoint.description
  return {
    operationId: operationIdOf(operation),
    summary,
    description: described === '' ? descriptionOf(summary, operation, facts) : described,
    tags: [tagOf(noun)],
    ...(life?.deprecatedAt !== undefined && { deprecated: true }),
    ...(life?.sunsetAt !== undefined && { 'x-sunset': new Date(life.sunsetAt).toISOString() }),
    'x-endpoint': endpoint.name,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== null && { requestBody: body }),
    responses: responsesOf(operation, facts, permissions, components),
    security,
  }
}

/** A handler without a description is open: any query, any body, any answer. */
function factsOf(
  { placed, behaviour, noun }: DocumentedOperation,
  components: Components,
): OperationFacts | null {
  const { endpoint, version } = placed
  const { settings } = endpoint
  const place: OperationPlace = {
    settings,
    version,
    schema: (serializer, direction: Direction) => {
      const refer = (): JSONSchema => ({})
      const at = { settings, version, direction, name: pascalCase(noun), refer }
      return components.schema(serializer, at)
    },
  }
  if (behaviour.operation !== undefined) return behaviour.operation(place)
  return { answers: [], complete: false }
}

/** The parameters of the behaviour, and of the policy (O5). */
function queryOf(operation: DocumentedOperation): readonly JSONSchema[] {
  const parameters = parametersOf(operation)
  const { settings } = operation.placed.endpoint
  const { urlFormatOverride: format } = settings
  const formats = documented(settings).map((renderer) => renderer.format)
  const own = new Set(operation.placed.parameters.map((each) => each['name']))
  for (const { name } of parameters) own.add(name)
  const carriers = versionParams(settings)
  const named = [...new Set(settings.queryParams)]
    .filter((name) => !own.has(name) && !carriers.includes(name))
    .map((name): ParameterFacts => ({ name }))
  const chooses = format !== null && formats.length > 1 && !own.has(format)
  const choice = chooses
    ? [
        {
          name: format,
          description: 'The form of the answer.',
          schema: { type: 'string', enum: [...new Set(formats)] },
        },
      ]
    : []
  return [...parameters, ...named, ...choice].map(asOpenApi)
}

/** A behaviour of an application may need more of a request than its version. */
function parametersOf({
  behaviour,
  placed: { version, endpoint },
}: DocumentedOperation): readonly ParameterFacts[] {
  try {
    return behaviour.parameters?.({ version, settings: endpoint.settings } as never) ?? []
  } catch {
    return []
  }
}

function asOpenApi({ name, description, required, schema, commas }: ParameterFacts): JSONSchema {
  return {
    name,
    in: 'query',
    ...(description !== undefined && { description }),
    ...(required && { required }),
    ...(commas && { style: 'form', explode: false }),
    schema: schema ?? { type: 'string' },
  }
}

function bodyOf(
  body: JSONSchema | null | undefined,
  verb: Verb,
  { parsers }: Settings,
  components: Components,
): JSONSchema | null {
  if (body === null || !READS.has(verb) || parsers.length === 0) return null
  const schema = body ?? {}
  const texts = schemaWithoutFiles(schema, components)
  // A form is an object with names, so a list or a single value cannot be one.
  const { type: kind = 'object' } = components.resolve(schema)
  const isNamed = [kind].flat().includes('object')
  const taken = parsers.filter(({ mediaType: type }) =>
    texts === null ? type === FORM : isNamed || !isText(type) || isJsonType(type),
  )
  const types = new Set((taken.length > 0 ? taken : parsers).map(({ mediaType }) => mediaType))
  const schemaIn = (type: string): JSONSchema => {
    const sent = type === FORM ? schema : (texts ?? schema)
    return isJsonType(type) ? sent : schemaOfForms(sent, components)
  }
  const content = [...types].map((type) => [
    type,
    { schema: isText(type) ? schemaIn(type) : BYTES },
  ])
  return { required: body !== undefined, content: Object.fromEntries(content) }
}

const READS: ReadonlySet<Verb> = new Set(['post', 'put', 'patch'])
const FORM = 'multipart/form-data'
const BYTES = { type: 'string', format: 'binary' }

/** Fields of a form are texts, none of which says `null`. */
function schemaOfForms(schema: JSONSchema, components: Components): JSONSchema {
  const { properties, ...object } = components.resolve(schema)
  const members = Object.entries((properties ?? {}) as Readonly<Record<string, JSONSchema>>)
  const spoken = members
    .filter(([, member]) => !isOfNull(member))
    .map(([name, member]) => [name, withoutNull(member)] as const)
  if (members.every(([, member], at) => member === spoken[at]?.[1])) return schema
  return called('Form', schema, { ...object, properties: Object.fromEntries(spoken) }, components)
}

/** A schema for JSON and forms without files: a file is missing or `null`. `null`: a file is required. */
function schemaWithoutFiles(schema: JSONSchema, components: Components): JSONSchema | null {
  if (!holdsFile(schema, components)) return schema
  const { properties, ...object } = components.resolve(schema)
  if (properties === undefined) return null
  const members = Object.entries(properties as Readonly<Record<string, JSONSchema>>)
  const left = members.flatMap(([name, member]) => {
    if (!holdsFile(member, components)) return [[name, member] as const]
    return withoutNull(member) === member ? [] : [[name, { type: 'null' }] as const]
  })
  const texts: JSONSchema = Object.fromEntries(left)
  const { required = [] } = object
  const isWhole = (required as readonly string[]).every((name) => Object.hasOwn(texts, name))
  return isWhole
    ? called('WithoutFiles', schema, { ...object, properties: texts }, components)
    : null
}

/** Another form of a schema, with a name like the schema's own. */
function called(
  suffix: string,
  { $ref }: JSONSchema,
  made: JSONSchema,
  components: Components,
): JSONSchema {
  const own = typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : null
  return own === null ? made : components.refer('schemas', `${own}${suffix}`, made)
}

/** The schema without `null`, which is the schema itself if it allows none. */
function withoutNull(schema: JSONSchema): JSONSchema {
  const lists = Object.entries(IS_NULL).flatMap(([keyword, isNull]) => {
    const list = schema[keyword]
    const left = Array.isArray(list) ? list.filter((each) => !isNull(each)) : []
    return Array.isArray(list) && left.length < list.length ? [[keyword, left] as const] : []
  })
  if (lists.length === 0) return schema
  const shorter = lists.map(([keyword, left]) => [
    keyword,
    keyword === 'type' && left.length === 1 ? left[0] : left,
  ])
  const { default: usual, ...others } = schema
  const kept = usual === null || usual === undefined ? others : schema
  return { ...kept, ...(Object.fromEntries(shorter) as JSONSchema) }
}

const isOfNull = (branch: unknown): boolean => (branch as JSONSchema)['type'] === 'null'
/** Keywords that allow `null`. */
const IS_NULL: Readonly<Record<string, (each: unknown) => boolean>> = {
  type: (each) => each === 'null',
  enum: (each) => each === null,
  anyOf: isOfNull,
  oneOf: isOfNull,
}

/** A body of names and values. */
function isText(type: Parser['mediaType']): boolean {
  return /^(?:application\/(?:.*\+)?json|application\/x-www-form-urlencoded|multipart\/form-data)\b/.test(
    type,
  )
}

/** Files have no form in JSON. */
function holdsFile(schema: unknown, components: Components, seen = new Set<unknown>()): boolean {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return false
  seen.add(schema)
  const object = schema as JSONSchema
  if (object['format'] === 'binary') return true
  const parts = '$ref' in object ? [components.resolve(object)] : Object.values(object)
  return parts.some((part) => holdsFile(part, components, seen))
}

function responsesOf(
  operation: DocumentedOperation,
  facts: OperationFacts,
  permissions: readonly Permission[],
  components: Components,
): JSONSchema {
  const { placed, behaviour } = operation
  const { settings } = placed.endpoint
  const isComplete = facts.complete ?? behaviour.operation !== undefined
  const answers = facts.answers.map((answer): [string, JSONSchema] => [
    `${answer.status}`,
    responseOf(answer, placed, components),
  ])
  const open = anyOf(responseOf({ status: 200 }, placed, components))
  const errors = errorsOf(operation, facts, permissions)
  const shown = { settings, mediaTypes: documented(settings).map(typeOf), components }
  const failures = [...errors].map(([status, codes]): [string, JSONSchema] => [
    `${status}`,
    errorResponse(status, codes, shown),
  ])
  const isOpen = !isComplete || settings.exceptionHandler !== handleException
  const others: [string, JSONSchema][] = isOpen ? [['default', anyError(shown)]] : []
  return Object.fromEntries([
    ...answers,
    ...(isComplete ? [] : [['2XX', open]]),
    ...failures,
    ...others,
  ])
}

/** A plain handler may send a file, too. */
function anyOf({ content, ...response }: JSONSchema): JSONSchema {
  return { ...response, content: { ...(content as JSONSchema), '*/*': { schema: {} } } }
}

function responseOf(
  { status, description, schema = {}, mediaTypes, headers = {} }: AnswerFacts,
  { endpoint: { settings }, version, mediaParameter }: Placed,
  components: Components,
): JSONSchema {
  const content = mediaTypes
    ? mediaTypes.map((type) => [type, { schema: schema ?? {} }])
    : documented(settings).map((renderer) => [
        `${typeOf(renderer)}${mediaParameter}`,
        { schema: isJson(renderer) ? (schema ?? {}) : { type: 'string' } },
      ])
  const all = { ...headers, ...standing(settings, version, components) }
  return {
    description: description ?? DESCRIPTIONS[status] ?? 'The answer.',
    ...(Object.keys(all).length > 0 && { headers: all }),
    ...(schema !== null && { content: Object.fromEntries(content) }),
  }
}

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  200: 'The answer.',
  201: 'It was created.',
  204: 'It was done, and there is nothing to show.',
}

/** Pages for people show what the others do. */
function documented({ renderers }: Settings): readonly Renderer[] {
  const some = renderers.filter(({ prepare }) => prepare === undefined)
  return some.length > 0 ? some : renderers
}

/** The content type of a renderer's answers. */
function typeOf({ mediaType, contentType }: Renderer): string {
  return (contentType ?? mediaType).split(';', 1)[0]!.trim()
}

const isJsonType = (type: string): boolean => /[/+]json\b/.test(type)

function isJson(renderer: Renderer): boolean {
  return /[/+]json$/.test(typeOf(renderer)) || renderer.format === 'json'
}

/** Does one of these refuse every request of the verb that names no user, as far as is known? */
function needsUser(permissions: readonly Permission[], verb: Verb): boolean {
  return permissions.some((permission) => permission.needsUser?.(verb.toUpperCase()) === true)
}

/** The ways to prove who one is, one of which is enough; `{}`: none at all may do, too. */
function securityOf(
  { authentication }: Pick<Settings, 'authentication'>,
  permissions: readonly Permission[],
  verb: Verb,
  components: Components,
): readonly JSONSchema[] {
  const scopes = [...new Set(permissions.flatMap((permission) => permission.scopes ?? []))]
  const ways = authentication.map((scheme) => wayOf(scheme, verb, scopes, components))
  const different = [...new Map(ways.map((way) => [JSON.stringify(way), way])).values()]
  return needsUser(permissions, verb)
    ? different
    : [...different, {}].slice(ways.length === 0 ? 1 : 0)
}

/** Since 3.1, roles may stand beside any scheme. A scope narrows a token, and never a person (I4). */
function wayOf(
  authenticator: Authenticator,
  verb: Verb,
  scopes: readonly string[],
  components: Components,
): JSONSchema {
  const { name, scheme, writing, isScoped } = authenticator.security?.() ?? unknown(authenticator)
  const needed = [{ name, scheme }, ...(writing !== undefined && verb !== 'get' ? [writing] : [])]
  const names = needed.map((each) => components.put('securitySchemes', each.name, each.scheme))
  return Object.fromEntries(
    names.map((each, at) => [each, at === 0 && isScoped === true ? scopes : []]),
  )
}

function unknown({ constructor }: Authenticator): SecurityFacts {
  const name = constructor.name === 'Object' ? 'Custom' : constructor.name
  const description = 'A scheme of the application.'
  return { name, scheme: { type: 'apiKey', in: 'header', name: 'Authorization', description } }
}

function standing(settings: Settings, version: string | null, components: Components): JSONSchema {
  const { versionHeader, versions, rateLimitHeaders } = settings
  const life = version === null ? undefined : versions?.[version]
  const all: Record<string, JSONSchema> = {
    ...(versionHeader !== null &&
      version !== null && {
        [versionHeader]: header('The version of the answer.', { type: 'string', enum: [version] }),
      }),
    ...(life?.deprecatedAt !== undefined && { Deprecation: DEPRECATION }),
    ...(life?.sunsetAt !== undefined && { Sunset: SUNSET }),
    ...(rateLimitHeaders &&
      isThrottled(settings) && { 'RateLimit-Policy': POLICY, RateLimit: LEFT }),
  }
  return Object.fromEntries(
    Object.entries(all).map(([name, each]) => [name, components.refer('headers', name, each)]),
  )
}

function isThrottled(settings: Settings): boolean {
  return settings.throttles.some((throttle) => !(throttle.isIdle?.(settings) ?? false))
}

/** `null`: errors of this status have no headers of their own. */
function headersOfError(status: number, components: Components): JSONSchema | null {
  if (status === 401)
    return { 'WWW-Authenticate': components.refer('headers', 'WWW-Authenticate', CHALLENGE) }
  if (status !== 429 && status !== 503) return null
  return { 'Retry-After': components.refer('headers', 'Retry-After', WAIT) }
}

const header = (description: string, schema: JSONSchema) => ({ description, schema })
const TEXT = { type: 'string' }
const DEPRECATION = header('Since when the version is deprecated (RFC 9745).', TEXT)
const SUNSET = header('From when on it may no longer answer (RFC 8594).', TEXT)
const POLICY = header('How many requests are allowed, in which time.', TEXT)
const LEFT = header('How many are left, and until when.', TEXT)
const CHALLENGE = {
  ...header('The scheme that credentials are to be sent in (RFC 9110, 11.6.1).', TEXT),
  required: true,
}
const WAIT = header('Seconds to wait for.', { type: 'integer', minimum: 0 })

// The errors of an operation: those of its endpoint's policy, and those that its behaviour names.

/** The codes for programs, by status. */
function errorsOf(
  operation: DocumentedOperation,
  facts: OperationFacts,
  permissions: readonly Permission[],
): ReadonlyMap<number, readonly string[]> {
  const all = [...ofPolicy(operation, facts, permissions), ...(facts.errors ?? [])]
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

function ofPolicy(
  operation: DocumentedOperation,
  { body }: OperationFacts,
  permissions: readonly Permission[],
): readonly ErrorFacts[] {
  const { placed, verb } = operation
  const { version, endpoint } = placed
  const { settings } = endpoint
  const readsBody = body !== null && READS.has(verb)
  const takesParameters = placed.parameters.length + parametersOf(operation).length > 0
  const isGone = version !== null && settings.versions?.[version]?.gone === true
  const facts: readonly (ErrorFacts | false)[] = [
    (takesParameters || settings.strictQuery || readsBody) && {
      status: 400,
      codes: ['invalid', 'parse_error'],
    },
    ...ofIdentity(verb, settings, permissions),
    (settings.versioning !== null || settings.urlFormatOverride !== null) && {
      status: 404,
      codes: ['not_found'],
    },
    { status: 406, codes: ['not_acceptable'] },
    ...unknownVersion(settings),
    isGone && { status: 410, codes: ['gone'] },
    readsBody && { status: 413, codes: ['payload_too_large'] },
    readsBody && { status: 415, codes: ['unsupported_media_type'] },
    isLimited(operation) && { status: 429, codes: ['throttled'] },
    isLimited(operation) && { status: 503, codes: ['unavailable'] },
  ]
  return facts.filter((each) => each !== false)
}

/** An unknown version in `Accept` is a 406; elsewhere the address does not exist. */
function unknownVersion(settings: Settings): readonly ErrorFacts[] {
  const carriers = settings.versioning?.carriers?.(settings) ?? []
  const statuses = new Set(carriers.map((each) => (each.in === 'accept' ? 406 : 404)))
  return [...statuses].map((status) => ({ status, codes: ['unknown_version'] }))
}

/** The first scheme alone decides between 401 and 403 (A40). */
function ofIdentity(
  verb: Verb,
  settings: Settings,
  permissions: readonly Permission[],
): readonly ErrorFacts[] {
  const [first] = settings.authentication
  const own = permissions.flatMap(({ code }) => code ?? [])
  const denied = { status: 403, codes: ['permission_denied', ...own] }
  if (first === undefined) return permissions.length > 0 ? [denied] : []
  const status = first.authenticateHeader === undefined ? 403 : 401
  // A permission of unknown demands may refuse.
  const isOpen = permissions.every((each) => each.needsUser && !needsUser([each], verb))
  const failed = {
    status,
    codes: ['authentication_failed', ...(isOpen ? [] : ['not_authenticated'])],
  }
  const isForged = verb !== 'get' && settings.authentication.some(({ security }) => security)
  return [failed, ...(permissions.length > 0 || isForged ? [denied] : [])]
}

/** Wrong credentials are counted, too. */
function isLimited({ placed: { endpoint }, behaviour }: DocumentedOperation): boolean {
  const { settings } = endpoint
  const { credentialFailures, authentication } = settings
  const counts = behaviour.takesPasswords === true || authentication.length > 0
  return (credentialFailures !== null && counts) || isThrottled(settings)
}

interface Shown {
  readonly settings: Settings
  readonly mediaTypes: readonly string[]
  readonly components: Components
}

/** The answer with an error, in the two shapes that clients may ask for. */
function errorResponse(status: number, codes: readonly string[], shown: Shown): JSONSchema {
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

/** Any other error of the application. */
function anyError(shown: Shown): JSONSchema {
  const content = contentOf('messages', {}, shown)
  return shown.components.refer('responses', 'Error', { description: 'Another error.', content })
}

/** An application's own `exceptionHandler` may answer with anything. */
function contentOf(plain: 'messages' | 'detail', own: JSONSchema, shown: Shown): JSONSchema {
  const { settings, mediaTypes, components } = shown
  const schemas = sharedSchemas(components)
  const isOurs = settings.exceptionHandler === handleException
  const schema = isOurs ? schemas[plain] : {}
  const content = mediaTypes.map((type) => [type, { schema }] as const)
  const isAny = Object.keys(own).length === 0
  const problem = { schema: isAny ? schemas.problem : { allOf: [schemas.problem, own] } }
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

function sharedSchemas(components: Components) {
  components.put('schemas', 'ErrorsByField', BY_FIELD)
  return {
    messages: components.refer('schemas', 'Messages', MESSAGES),
    detail: components.refer('schemas', 'Detail', DETAIL),
    problem: components.refer('schemas', 'Problem', PROBLEM),
  }
}

// Only an object may contain itself: generators of types know no other cycle.
const ITSELF = { $ref: '#/components/schemas/ErrorsByField' }
const LIST = {
  type: 'array',
  items: { anyOf: [{ type: 'string' }, ITSELF, { type: 'array', items: {} }] },
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

// An error of the application may have other members than `detail`.
const DETAIL = {
  type: 'object',
  properties: { detail: { $ref: '#/components/schemas/Messages' } },
  minProperties: 1,
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
