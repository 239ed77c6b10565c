// An OpenAPI document as a module of TypeScript: the contract of `createClient`, and where its endpoints are.
import { isText } from '../../../addons/client/exchange.ts'
import { memberName, sourceLiteral } from '../inspect/code.ts'
import {
  type SchemaJson,
  type TypeMember,
  Schemas,
  asJson,
  asList,
  commentOf,
  noteOf,
  objectOf,
  unionOf,
} from './schemas.ts'

const VERBS = ['get', 'post', 'put', 'patch', 'delete'] as const

interface Operation {
  readonly verb: string
  readonly path: string
  readonly described: SchemaJson
  readonly parameters: readonly SchemaJson[]
}

/** The head of the module, and the number of its parts. */
export interface Written {
  readonly text: string
  /** `null`: the service has no versions. */
  readonly version: string | null
  readonly operations: number
}

/**
 * The module, the same for the same document. `how` is the command that writes it.
 *
 * @throws RangeError it is no document of OpenAPI 3.1, or refers to what it does not have
 */
export function clientSource(document: SchemaJson, how: string): Written {
  const { openapi, info, paths } = document
  if (!String(openapi).startsWith('3.1')) throw new RangeError('It is no OpenAPI document of 3.1.')
  const { title, version: named } = asJson(info)
  const version = 'x-versions' in document ? String(named) : null
  const schemas = new Schemas(document)
  const operations = operationsIn(asJson(paths), schemas)
  const endpoints = Map.groupBy(operations, (each) => nameIn(each, version))
  const names = [...endpoints].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const place = placeOf(operations, version)
  const members = names.map(([name, all]) => endpointOf(name, all, { schemas, place }))
  const contract = objectOf(
    [
      { name: 'version', type: version === null ? 'null' : sourceLiteral(version) },
      { name: 'operations', type: objectOf(members, '  ') },
    ],
    '',
  )
  const about = `${oneLine(title)}${version === null ? '' : `, version ${oneLine(version)}`}`
  const parts = [
    `// ${about}: what clients can ask for. To write it anew:\n// ${oneLine(how)}`,
    `import type { Contract } from 'colophon/client'`,
    `/** createClient<Service>({ baseUrl, ...service }) */\nexport interface Service extends Contract ${contract}`,
    serviceOf(names, version, { ...place, ...keywordIn(document) }),
    ...schemas.declarations(),
  ]
  return { text: `${parts.join('\n\n')}\n`, version, operations: operations.length }
}

function operationsIn(paths: SchemaJson, schemas: Schemas): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, each]) => {
    const item = schemas.followed(each)
    return VERBS.filter((verb) => verb in item).map((verb) => {
      const described = asJson(item[verb])
      const parameters = [...asList(item['parameters']), ...asList(described['parameters'])]
      return { verb, path, described, parameters: parameters.map((one) => schemas.followed(one)) }
    })
  })
}

/** `v1:city-list` in version v1 → `city-list`; in the document of another service, the path. */
function nameIn({ described, path }: Operation, version: string | null): string {
  const name = described['x-endpoint']
  if (typeof name !== 'string') return path
  const parts = name.split(':')
  return parts.filter((part, at) => at === parts.length - 1 || part !== version).join(':')
}

/** The carrier of the version, if it is not in paths or hosts. */
interface Place {
  readonly versionIn: 'accept' | 'query' | 'header'
  readonly versionParam: string
}

function placeOf(operations: readonly Operation[], version: string | null): Place | null {
  if (version === null) return null
  for (const { parameters, described } of operations) {
    const carrier = parameters.find((one) => carries(one, version))
    if (carrier !== undefined) {
      const versionIn = carrier['in'] === 'header' ? 'header' : 'query'
      return { versionIn, versionParam: String(carrier['name']) }
    }
    const types = JSON.stringify(described['responses'] ?? {})
    const [name, value] = /"application\/json; (\w+)=([^"]+)"/.exec(types)?.slice(1) ?? []
    if (value === version) return { versionIn: 'accept', versionParam: name! }
  }
  return null
}

/** What the service wants before tokens, if it is not `Token`. */
function keywordIn({ components }: SchemaJson): { readonly keyword?: string } {
  const schemes = Object.values(asJson(asJson(components)['securitySchemes'])).map(asJson)
  const words = schemes.map(
    (each) => each['x-keyword'] ?? (each['scheme'] === 'bearer' && 'Bearer'),
  )
  const [keyword] = words.filter((each) => typeof each === 'string')
  return keyword === undefined || words.includes('Token') ? {} : { keyword }
}

/** A parameter that can be nothing but the version. */
function carries({ in: where, required, schema }: SchemaJson, version: string): boolean {
  const choices = asList(asJson(schema)['enum'])
  const isBeside = where === 'query' || where === 'header'
  return isBeside && required === true && choices.length === 1 && choices[0] === version
}

interface Making {
  readonly schemas: Schemas
  readonly place: Place | null
}

function endpointOf(name: string, all: readonly Operation[], making: Making): TypeMember {
  const byPath = [...new Map(all.map((each) => [each.path, each])).values()]
  const params = unionOf(byPath.map((each) => paramsOf(each, making.schemas)))
  const verbs = Map.groupBy(all, ({ verb }) => verb)
  const members = [...verbs].map(([verb, [first]]): TypeMember => {
    const { summary, description = summary, deprecated } = first!.described
    return {
      name: verb,
      note: noteOf({ description, deprecated }),
      type: exchangedBy(first!, making),
    }
  })
  const own = params === NO_PARAMS ? [] : [{ name: 'params', type: params }]
  return { name, type: objectOf([...own, ...members], '    ') }
}

const NO_PARAMS = 'Readonly<Record<string, never>>'

function paramsOf({ parameters }: Operation, schemas: Schemas): string {
  const members = parameters
    .filter((one) => one['in'] === 'path')
    .map((one) => ({ name: String(one['name']), type: schemas.typeOf(one['schema'], 'sent') }))
  return members.length === 0 ? NO_PARAMS : objectOf(members, '      ')
}

const INDENT = '      '

function exchangedBy(operation: Operation, { schemas, place }: Making): string {
  const query = queryOf(operation, schemas, place)
  const body = bodyOf(operation, schemas)
  return objectOf(
    [
      ...(query === null ? [] : [{ name: 'query', type: query }]),
      ...(body === null ? [] : [{ name: 'body', type: body }]),
      { name: 'data', type: dataOf(operation, schemas) },
    ],
    INDENT,
  )
}

/** `null`: it takes nothing. Moments may be dates, which the client writes. */
function queryOf({ parameters }: Operation, schemas: Schemas, place: Place | null): string | null {
  const members = parameters
    .filter((one) => one['in'] === 'query' && one['name'] !== place?.versionParam)
    .map((one): TypeMember => {
      const type = schemas.typeOf(one['schema'], 'sent', `${INDENT}    `)
      const isMoment = asJson(one['schema'])['format'] === 'date-time'
      return {
        name: String(one['name']),
        isThere: one['required'] === true,
        note: noteOf(one),
        type: isMoment ? `${type} | Date` : type,
      }
    })
  return members.length === 0 ? null : objectOf(members, `${INDENT}  `)
}

const FORM = 'multipart/form-data'

/** The type of the body: JSON if it is accepted, and forms with files. `null`: there is no body. */
function bodyOf({ described }: Operation, schemas: Schemas): string | null {
  if (!('requestBody' in described)) return null
  const { content, required } = schemas.followed(described['requestBody'])
  const types = asJson(content)
  const json = Object.keys(types).find(isJson)
  const schemaIn = (type: string): unknown => asJson(types[type])['schema']
  const isForm = FORM in types
  const hasFiles = isForm && JSON.stringify(schemas.followed(schemaIn(FORM))).includes('"binary"')
  const chosen = [...(json === undefined ? [] : [json]), ...(hasFiles || !json ? [FORM] : [])]
  const all = [
    ...chosen.map((type) => schemas.typeOf(schemaIn(type), 'sent', `${INDENT}  `)),
    ...(isForm ? ['FormData'] : []),
    ...(required === true ? [] : ['undefined']),
  ]
  return unionOf(all)
}

/** The type of successful answers: JSON, else text or bytes, else nothing. */
function dataOf({ described }: Operation, schemas: Schemas): string {
  const found = Object.entries(asJson(described['responses'])).filter(([status]) =>
    status.startsWith('2'),
  )
  const types = found.map(([, answer]) => {
    const content = asJson(schemas.followed(answer)['content'])
    const json = Object.keys(content).find(isJson)
    if (json !== undefined)
      return schemas.typeOf(asJson(content[json])['schema'], 'shown', `${INDENT}  `)
    const others = Object.keys(content).map((type) => (isText(type) ? 'string' : 'Blob'))
    return unionOf(others.length === 0 ? ['null'] : others)
  })
  return unionOf(types)
}

function isJson(type: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/.test(type)
}

function serviceOf(
  names: readonly (readonly [string, readonly Operation[]])[],
  version: string | null,
  carried: Readonly<Record<string, string>>,
): string {
  const routes = names.map(([name, all]) => {
    const paths = [...new Set(all.map(({ path }) => path))].map(sourceLiteral)
    return `    ${memberName(name)}: ${paths.length === 1 ? paths[0]! : `[${paths.join(', ')}]`},\n`
  })
  const lines = Object.entries(carried).map(
    ([name, value]) => `  ${name}: ${sourceLiteral(value)},\n`,
  )
  const pinned = version === null ? 'null' : sourceLiteral(version)
  const note = commentOf('Where the endpoints are, and the version.', '')
  return `${note}export const service = {\n  version: ${pinned},\n${lines.join('')}  routes: {\n${routes.join('')}  },\n} as const`
}

function oneLine(text: unknown): string {
  return String(text).replace(/\s+/g, ' ').trim()
}
