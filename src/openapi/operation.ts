import type { Verb } from '../contract/kernel.ts'
import type { OperationPlace, Parser, Permission, Renderer, Settings } from '../contract/request.ts'
import { handleException } from '../pipeline/exceptions.ts'
import { momentOf } from '../settings/version-facts.ts'
import type {
  AnswerFacts,
  Direction,
  JSONSchema,
  OperationFacts,
  ParameterFacts,
} from '../types/documents.ts'
import type { Components } from './components.ts'
import { anyError, errorResponse, errorsOf } from './errors.ts'
import { standing } from './headers.ts'
import { operationIdOf, pascalCase, summaryOf, tagOf } from './names.ts'
import type { Operation, Placed } from './place.ts'
import { securityOf } from './security.ts'

/** As OpenAPI has it; `null`: it is not to be shown. */
export function describeOperation(operation: Operation, components: Components): JSONSchema | null {
  const { placed, verb, behaviour, noun } = operation
  const { endpoint, version } = placed
  const { settings } = endpoint
  const facts = factsOf(operation, components)
  if (facts === null) return null
  const permissions = [...settings.permissions, ...(behaviour.permissions ?? [])]
  const security = securityOf(settings, permissions, verb, components)
  const parameters = [...placed.parameters, ...queryOf(facts, operation)]
  const body = bodyOf(facts.body, verb, settings, components)
  const life = version === null ? undefined : settings.versions?.[version]
  const sunset = life?.sunsetAt === undefined ? null : momentOf(life.sunsetAt)
  const { description } = endpoint
  return {
    operationId: operationIdOf(operation),
    summary: facts.summary ?? summaryOf(operation, facts),
    ...(description !== '' && { description }),
    tags: [tagOf(noun)],
    ...(life?.deprecatedAt !== undefined && { deprecated: true }),
    ...(sunset !== null && { 'x-sunset': new Date(sunset).toISOString() }),
    'x-endpoint': endpoint.name,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== null && { requestBody: body }),
    responses: responsesOf(operation, facts, permissions, components),
    security,
  }
}

/** What a handler does not say of itself is open: any query, any body, any answer. */
function factsOf(
  { placed, behaviour, noun }: Operation,
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

/** Those that the behaviour describes, those that it only names, and those of the policy (O5). */
function queryOf({ parameters = [] }: OperationFacts, operation: Operation): readonly JSONSchema[] {
  const { settings } = operation.placed.endpoint
  const { urlFormatOverride: format, versioning } = settings
  const formats = documented(settings).map((renderer) => renderer.format)
  const own = new Set(operation.placed.parameters.map((each) => each['name']))
  for (const { name } of parameters) own.add(name)
  const carriers = versioning?.queryParams?.(settings) ?? []
  const named = [...namedBy(operation), ...settings.queryParams]
    .filter((name) => !own.has(name) && !carriers.includes(name))
    .map((name): ParameterFacts => ({ name, schema: { type: 'string' } }))
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
  return [...parameters, ...unique(named), ...choice].map(asOpenApi)
}

function unique(parameters: readonly ParameterFacts[]): readonly ParameterFacts[] {
  return [...new Map(parameters.map((each) => [each.name, each])).values()]
}

/** Of a behaviour that does not describe them. It may need more of a request than its version. */
function namedBy({ behaviour, placed: { version, endpoint } }: Operation): readonly string[] {
  if (behaviour.operation !== undefined) return []
  try {
    return behaviour.queryParams?.({ version, settings: endpoint.settings } as never) ?? []
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
    schema,
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
  const hasFiles = holdsFile(schema, components)
  const taken = hasFiles ? parsers.filter(({ mediaType }) => mediaType === FORM) : parsers
  const types = new Set((taken.length > 0 ? taken : parsers).map(({ mediaType }) => mediaType))
  const content = [...types].map((type) => [type, { schema: isText(type) ? schema : BYTES }])
  return { required: body !== undefined, content: Object.fromEntries(content) }
}

const READS: ReadonlySet<Verb> = new Set(['post', 'put', 'patch'])
const FORM = 'multipart/form-data'
const BYTES = { type: 'string', format: 'binary' }

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
  operation: Operation,
  facts: OperationFacts,
  permissions: readonly Permission[],
  components: Components,
): JSONSchema {
  const { placed, verb, behaviour } = operation
  const { settings } = placed.endpoint
  const isComplete = facts.complete ?? behaviour.operation !== undefined
  const answers = facts.answers.map((answer): [string, JSONSchema] => [
    `${answer.status}`,
    responseOf(answer, placed, components),
  ])
  const open = anyOf(responseOf({ status: 200 }, placed, components))
  const errors = errorsOf({
    verb,
    settings,
    permissions,
    version: placed.version,
    readsBody: facts.body !== null && READS.has(verb),
    takesPasswords: behaviour.takesPasswords ?? false,
    takesParameters: placed.parameters.length + (facts.parameters?.length ?? 0) > 0,
    own: facts.errors ?? [],
  })
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
    ? mediaTypes.map((type) => [type, { schema: schema ?? {} }] as const)
    : documented(settings).map(
        (renderer) =>
          [
            `${typeOf(renderer)}${mediaParameter}`,
            { schema: isJson(renderer) ? (schema ?? {}) : { type: 'string' } },
          ] as const,
      )
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

/** What answers say that they are. */
function typeOf({ mediaType, contentType }: Renderer): string {
  return (contentType ?? mediaType).split(';', 1)[0]!.trim()
}

function isJson(renderer: Renderer): boolean {
  return /[/+]json$/.test(typeOf(renderer)) || renderer.format === 'json'
}
