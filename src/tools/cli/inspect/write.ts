// The files of a program, in the form that a person would write for the tables of a database.
import type { FoundValue, Kind } from '../../../storage/sql/schema-reader.ts'
import {
  BRACES,
  WIDTH,
  commented,
  enclosedLines,
  fileText,
  imported,
  literal,
  makersFor,
  memberName,
  sourceLiteral,
  storesFile,
  tablesFile,
} from './code.ts'
import { wordsIn } from './names.ts'
import type { OverSchema } from './over.ts'
import type { PlannedColumn, Plan, PlannedResource } from './plan.ts'

/** A schema of another library replaces `tables.ts`. */
export function filesOf(plan: Plan, over: OverSchema | null): Readonly<Record<string, string>> {
  return {
    ...(over ? {} : { 'tables.ts': tablesFile(plan) }),
    'stores.ts': over ? over.storesFile(plan) : storesFile(plan),
    'serializers.ts': serializersFile(plan),
    'urls.ts': urlsFile(plan),
    'app.ts': appFile(plan),
  }
}

// serializers.ts

function serializersFile({ resources }: Plan): string {
  const serializers = resources.map((resource) => serializerOf(resource, resources))
  const text = serializers.flat().join('\n')
  const names = ['unique', 'uniqueTogether'].filter((name) => text.includes(`${name}(stores.`))
  const stores = text.includes('stores.') ? ["import * as stores from './stores.ts'"] : []
  return fileText(
    [imported(['field', 'serializer', ...names], 'colophon'), ...stores],
    ...serializers,
  )
}

function serializerOf(
  resource: PlannedResource,
  resources: readonly PlannedResource[],
): readonly string[] {
  const checks = checksOf(resource)
  const depth = checks.length === 0 ? 1 : 2
  const indent = '  '.repeat(depth)
  const fields = resource.columns.map((column) =>
    column.absence === null
      ? fieldOf(column, resource, resources, depth)
      : `${indent}// ${commented(column.name)} is ${commented(column.absence)}, so it is left out.`,
  )
  const start = `export const ${resource.identifier} = serializer(`
  if (checks.length === 0) return [`${start}{`, ...fields, '})']
  const validators = enclosedLines(['{ validators: [', '] }'], checks, {
    before: '  ',
    after: ',',
    depth: 1,
  })
  return [start, '  {', ...fields, '  },', validators, ')']
}

/** Checks of unique combinations whose values clients write. */
function checksOf({ key, identifier, columns, together }: PlannedResource): readonly string[] {
  if (key === null) return []
  const isGiven = (name: string): boolean =>
    columns.some((column) => column.name === name && column.absence === null)
  return together
    .filter((names) => names.every(isGiven))
    .map(
      (names) => `uniqueTogether(stores.${identifier}, [${names.map(sourceLiteral).join(', ')}])`,
    )
}

function fieldOf(
  column: PlannedColumn,
  resource: PlannedResource,
  resources: readonly PlannedResource[],
  depth: number,
): string {
  const place = { before: `${'  '.repeat(depth)}${memberName(column.api)}: `, after: ',', depth }
  const isListed = resource.key === null
  const parent = resources.find(({ table }) => table.name === column.parent)
  const source = column.api === column.name ? [] : [`source: ${sourceLiteral(column.name)}`]
  const options = [
    ...(column.readOnly && !isListed ? ['readOnly: true'] : []),
    ...(column.nullable ? ['nullable: true'] : []),
    ...(isOptional(column) && !isListed ? ['required: false'] : []),
    ...(isListed ? [] : validatorsOf(column, resource)),
  ]
  if (parent === undefined || column.readOnly || isListed)
    return called(column, [...source, ...ownOptions(column), ...options], place)
  // Django's columns are wider than the keys that they hold.
  const isWide = column.value.kind === 'bigInteger' && parent.key?.value.kind === 'integer'
  const target = [
    ...(column.value.kind === 'integer' ? [] : [`key: ${called(column, ownOptions(column))}`]),
    `find: (key) => stores.${parent.identifier}.find(${isWide ? 'Number(key)' : 'key'})`,
  ]
  const all = [...source, ...options]
  const parts = [target, ...(all.length === 0 ? [] : [all])]
  const inside = parts.map((part) => enclosedLines(BRACES, part, { depth: depth + 1 }))
  return enclosedLines(['field.related(', ')'], inside, place)
}

function isOptional({ nullable, filled, readOnly }: PlannedColumn): boolean {
  return !readOnly && (nullable || filled !== 'no')
}

function validatorsOf(column: PlannedColumn, { identifier }: PlannedResource): readonly string[] {
  if (!column.unique || column.readOnly) return []
  return [`validators: [unique(stores.${identifier}, ${sourceLiteral(column.name)})]`]
}

function called(
  { name, value }: { readonly name: string; readonly value: FoundValue },
  options: readonly string[],
  { before = '', after = '', depth = 1 } = {},
): string {
  const first = argumentsOf(value)
  const start = `${before}field.${kindOf(name, value)}(`
  const last = `)${after}`
  const object = options.length === 0 ? [] : [enclosedLines(BRACES, options, { depth: depth + 1 })]
  const line = `${start}${[...first, ...object].join(', ')}${last}`
  if (line.length <= WIDTH && !line.includes('\n')) return line
  // The last argument alone is broken into lines, if that is enough.
  const opening = [...first, '{'].join(', ')
  if (options.length > 0 && `${start}${opening}`.length <= WIDTH)
    return enclosedLines([`${start}${opening}`, `}${last}`], options, { depth })
  const values = value.kind === 'choice' ? value.values.map(literal) : []
  if (options.length === 0) return enclosedLines([`${start}[`, `]${last}`], values, { depth })
  const list = enclosedLines(['[', ']'], values, { depth: depth + 1 })
  const indent = '  '.repeat(depth)
  return `${start}\n${indent}  ${list},\n${indent}  ${object[0]},\n${indent}${last}`
}

function argumentsOf(value: FoundValue): readonly string[] {
  if (value.kind === 'choice') return [`[${value.values.map(literal).join(', ')}]`]
  return value.kind === 'list' ? [called({ name: '', value: value.of }, [])] : []
}

function kindOf(name: string, value: FoundValue): string {
  if (value.kind === 'other') return 'text'
  if (value.kind !== 'text') return value.kind
  const words = wordsIn(name)
  if (words.at(-1) === 'email' || words.join(' ') === 'email address') return 'email'
  return words.at(-1) === 'url' ? 'url' : 'text'
}

/** A field that is only shown needs no limits. */
function ownOptions({ value, limits, filled, readOnly }: PlannedColumn): readonly string[] {
  if (readOnly) return digitsOf(value)
  return [
    ...Object.entries(limits).map(([name, limit]) => `${name}: ${limit}`),
    ...(filled === 'empty' ? ['allowBlank: true'] : []),
    ...(value.kind === 'dateTime' && !value.hasZone ? ["naive: 'utc'"] : []),
    ...(value.kind === 'dateTime' && value.isDate ? ["as: 'date'"] : []),
    ...digitsOf(value),
  ]
}

function digitsOf(value: Kind): readonly string[] {
  if (value.kind !== 'decimal') return []
  return [
    ...(value.digits === null ? [] : [`maxDigits: ${value.digits}`]),
    ...(value.places === null ? [] : [`decimalPlaces: ${value.places}`]),
  ]
}

function urlsFile({ resources }: Plan): string {
  const names = [
    'defineUrls',
    ...(resources.some(({ key }) => key !== null) ? ['resourceUrls'] : []),
  ]
  const lines = resources.map((resource) => `  ${addressOf(resource)},`)
  return fileText(imported(names, 'colophon'), ['export const urls = defineUrls({', ...lines, '})'])
}

function addressOf({ name, key }: PlannedResource): string {
  const path = sourceLiteral(`/${name}/`)
  if (key === null) return `${sourceLiteral(`${name}-list`)}: ${path}`
  const { kind } = key.value
  const converter =
    kind === 'uuid' ? '<uuid>' : kind === 'integer' || kind === 'bigInteger' ? '<int>' : ''
  return `...resourceUrls(${sourceLiteral(name)}, ${path}, ${sourceLiteral(`:${parameterOf(key)}${converter}`)})`
}

/** Parameters of addresses need plain names. */
function parameterOf({ api, readOnly }: PlannedColumn): string {
  if (readOnly) return 'id'
  return /^[A-Za-z_]\w*$/.test(api) && !['format', 'version'].includes(api) ? api : 'key'
}

// app.ts

function appFile({ resources, leftOut }: Plan): string {
  const names = [
    'FieldFilter',
    'IsAuthenticated',
    'OrderingFilter',
    'PageNumberPagination',
    'TokenAuthentication',
    'defineApi',
    ...makersFor(resources, ['list', 'resource']),
  ]
  const absent = leftOut.map((sentence) => `// - ${commented(sentence)}`)
  return fileText(
    [
      '// Made by `colophon inspect` of a database; from here on it is yours.',
      ...(absent.length === 0
        ? []
        : ['//', '// What the database has, and this has not:', ...absent]),
    ],
    [
      imported(names, 'colophon'),
      imported(['defineAccounts'], 'colophon/accounts'),
      "import * as serializers from './serializers.ts'",
      "import * as stores from './stores.ts'",
      "import { urls } from './urls.ts'",
    ],
    'const accounts = defineAccounts({ database: stores.database })',
    [
      'const api = defineApi({',
      '  urls,',
      '  accounts,',
      '  // A token opens everything. Say more with permissions of your own.',
      '  authentication: [new TokenAuthentication({ tokens: accounts.tokens })],',
      '  permissions: [new IsAuthenticated()],',
      '  pagination: new PageNumberPagination({ pageSize: 100 }),',
      '  filters: [new FieldFilter(), new OrderingFilter()],',
      '})',
    ],
    ['export default api.serve([', ...resources.flatMap(endpointsOf), '])'],
  )
}

function endpointsOf(resource: PlannedResource): readonly string[] {
  const { name, identifier, key, creates, notes } = resource
  const fields = [
    ...(key !== null && parameterOf(key) !== key.name
      ? [`lookup: ${sourceLiteral(parameterOf(key))}`]
      : []),
    ...(key !== null && !creates
      ? ["only: ['list', 'retrieve', 'update', 'partialUpdate', 'destroy']"]
      : []),
    namesOf(
      'filterFields',
      resource.columns.filter((column) => isFilter(column, resource)),
    ),
    namesOf(
      'orderingFields',
      resource.columns.filter((column) => isOrder(column, resource)),
    ),
  ].filter((line) => line !== '')
  const comments = notes.map((note) => `  // ${commented(note)}.`)
  const place = key === null ? 'source' : 'store'
  const lines = [
    `${place}: stores.${identifier}`,
    `serializer: serializers.${identifier}`,
    ...fields,
  ]
  const body = lines.map((line) => `    ${line},`)
  if (key !== null)
    return [...comments, `  ...resource(api, ${sourceLiteral(name)}, {`, ...body, '  }),']
  const inner = body.map((line) => `  ${line}`)
  const opening = [`  api.endpoint(${sourceLiteral(`${name}-list`)}).get(`, '    list({']
  return [...comments, ...opening, ...inner, '    }),', '  ),']
}

function namesOf(option: string, columns: readonly PlannedColumn[]): string {
  if (columns.length === 0) return ''
  const names = columns.map(({ api }) => sourceLiteral(api))
  return enclosedLines([`${option}: [`, ']'], names, { depth: 2 })
}

/** Query parameters of lists that already have a meaning. */
const TAKEN: ReadonlySet<string> = new Set(['page', 'ordering', 'search', 'format', 'version'])
const FILTERED: ReadonlySet<string> = new Set(['choice', 'boolean'])
const ORDERED: ReadonlySet<string> = new Set(['date', 'dateTime'])
const SEVERAL: ReadonlySet<string> = new Set(['list', 'json'])

function isFilter(column: PlannedColumn, resource: PlannedResource): boolean {
  const { name, api, value } = column
  const leads = resource.table.foreignKeys.some(({ columns }) => columns.includes(name))
  return isNamed(column, resource, leads || FILTERED.has(value.kind)) && !TAKEN.has(api)
}

function isOrder(column: PlannedColumn, resource: PlannedResource): boolean {
  return column.isOrdered !== false && isNamed(column, resource, ORDERED.has(column.value.kind))
}

/** Keys, unique columns and those that are wanted; a service does not start with a list or JSON here. */
function isNamed(column: PlannedColumn, resource: PlannedResource, isWanted: boolean): boolean {
  const { name, absence, value, unique } = column
  const isKey = resource.key === null ? resource.order.includes(name) : resource.key.name === name
  return absence === null && !SEVERAL.has(value.kind) && (isKey || unique || isWanted)
}
