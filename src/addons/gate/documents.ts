import { type Change, type Report, changeOf } from './change.ts'
import {
  type Ground,
  type Json,
  canonicalText,
  fitsPattern,
  groundOf,
  isJsonObject,
  objectAt,
  textOf,
} from './view.ts'
import { type Pair, compareOperation, compareWords, momentIn, atPlace } from './operations.ts'
import { schemaComparer } from './schemas.ts'

/** Options for comparing documents. */
export interface CompareOptions {
  /** The moment at which they are: an operation whose end has come may go. @default now */
  readonly now?: Date
}

/**
 * Compares two OpenAPI 3.1 documents of one version: what changed, and whether it breaks clients of the first one.
 * Order, names of schemas and of parameters of the path make no difference. Callbacks and webhooks are not compared.
 *
 * @example
 * compareDocuments(saved, running).filter((change) => change.class === 'breaking')
 */
export function compareDocuments(
  before: Json,
  after: Json,
  { now = new Date() }: CompareOptions = {},
): readonly Change[] {
  if (textOf(before) === textOf(after)) return []
  const changes = new Map<string, Change>()
  const record: Report = (code, found = {}) => {
    const change = changeOf(code, found.path!, found)
    changes.set(`${code} ${change.at} ${change.sentence}`, change)
  }
  const reportAt = (place: string): Report => atPlace(record, place)
  const service = reportAt('service')
  compareInfo(before, after, service)
  compareServers([serversOf(before), serversOf(after)], service)
  operations([groundOf(before), groundOf(after)], now, reportAt)
  return [...changes.values()]
}

function compareInfo(before: Json, after: Json, report: Report): void {
  compareWords(objectAt(before, before['info']), objectAt(after, after['info']), report)
  const [old, now] = [before, after].map((document) =>
    objectAt(document, objectAt(document, document['components'])['securitySchemes']),
  ) as [Json, Json]
  for (const [name, scheme] of Object.entries(old))
    if (now[name] !== undefined)
      compareWords(objectAt(before, scheme), objectAt(after, now[name]), report)
}

/** The servers of an operation: its own, else those of its path, else those of the document. */
type Servers = readonly Json[] | null

function serversOf({ servers: list }: Json): Servers {
  return Array.isArray(list) && list.length > 0 ? (list as readonly Json[]) : null
}

function compareServers([old, now]: readonly [Servers, Servers], report: Report): void {
  const [before, after] = [addressesOfAll(old), addressesOfAll(now)]
  for (const was of before) if (!isAmong(was, after)) report('server-removed', { was })
  for (const is of after) if (!isAmong(is, before)) report('server-added', { is })
  for (const [url, was] of defaultsOf(old)) {
    const is = defaultsOf(now).get(url) ?? was
    if (is !== was) report('server-default-changed', { was, is })
  }
}

const addressesOfAll = (list: Servers): readonly string[] => (list ?? []).flatMap(addressesOf)

/** Addresses of a server that are listed. Choices of a variable that would make more stay together, as `{v1|v2}`. */
const MOST = 1000
const VARIABLE = /\{([^{}]*)\}/

/** The addresses of a server, one for each choice of its variables. A variable that takes any value stays as `{}`. */
function addressesOf({ url, variables }: Json): readonly string[] {
  let found = [String(url)]
  for (const { 1: name = '' } of String(url).matchAll(new RegExp(VARIABLE, 'g'))) {
    const { enum: choices } = variableOf(variables, name)
    const values = Array.isArray(choices) ? choices.map(String) : ['{}']
    const few = found.length * values.length > MOST ? [`{${values.toSorted().join('|')}}`] : values
    found = found.flatMap((each) => few.map((value) => each.replace(`{${name}}`, () => value)))
  }
  return found
}

const variableOf = (variables: unknown, name: string): Json =>
  objectAt({}, isJsonObject(variables) ? variables[name] : {})

/** Is the address among these, itself or by variables that take any value? */
function isAmong(address: string, all: readonly string[]): boolean {
  return all.some((each) => fitsPattern(address, each, '{}'))
}

/** Servers with variables, as they are where clients choose no value. */
function defaultsOf(list: Servers): ReadonlyMap<string, string> {
  const open = (list ?? []).filter(({ url }) => VARIABLE.test(String(url)))
  return new Map(
    open.map(({ url, variables }) => [
      String(url),
      String(url).replace(new RegExp(VARIABLE, 'g'), (_, name: string) =>
        String(variableOf(variables, name)['default']),
      ),
    ]),
  )
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** An operation with its method and its path. The names of parameters in the path make no difference. */
interface Located {
  readonly path: string
  readonly item: Json
  readonly method: string
  readonly operation: Json
}

function operationsOf({ document }: Ground): ReadonlyMap<string, Located> {
  const paths = Object.entries(isJsonObject(document['paths']) ? document['paths'] : {})
  return new Map(
    paths.flatMap(([path, value]) => {
      const item = objectAt(document, value)
      return METHODS.filter((method) => item[method] !== undefined).map(
        (method): [string, Located] => [
          `${method} ${path.replace(/\{[^}]*\}/g, '{}')}`,
          { path, item, method, operation: objectAt(document, item[method]) },
        ],
      )
    }),
  )
}

function operations(
  grounds: readonly [Ground, Ground],
  now: Date,
  reportAt: (place: string) => Report,
): void {
  const [before, after] = [operationsOf(grounds[0]), operationsOf(grounds[1])]
  // Parts that operations share, such as errors, are compared once.
  const comparers = { sent: schemaComparer('sent'), got: schemaComparer('got') }
  for (const [key, old] of before) {
    const report = reportAt(placeOf(old))
    const other = after.get(key)
    if (other !== undefined) {
      const pair: Pair = {
        ...comparers,
        at: now,
        grounds,
        paths: [old.path, other.path],
        items: [old.item, other.item],
        operations: [old.operation, other.operation],
      }
      serversOfPair(pair, report)
      compareOperation(pair, report)
      compareSecurity(old, other, grounds, report)
    } else if (hasEnded(old, now)) report('operation-retired')
    else report('operation-removed')
  }
  for (const [key, other] of after)
    if (!before.has(key)) reportAt(placeOf(other))('operation-added')
}

/** The servers of the whole document are compared once. */
function serversOfPair({ items, operations: both, grounds }: Pair, report: Report): void {
  const own = [0, 1].map((at) => serversOf(both[at]!) ?? serversOf(items[at]!))
  if (own[0] === null && own[1] === null) return
  const [old, now] = own.map((each, at) => each ?? serversOf(grounds[at]!.document))
  compareServers([old!, now!], report)
}

const placeOf = ({ method, path }: Located): string => `${method.toUpperCase()} ${path}`

function hasEnded({ operation }: Located, now: Date): boolean {
  const sunset = momentIn(operation['x-sunset'])
  return sunset !== null && sunset <= now.getTime()
}

/** Compares the permitted clients: alternatives of schemes, all of which must be proved, and named permissions. */
function compareSecurity(
  { operation: wanted }: Located,
  { operation: wants }: Located,
  [{ document: before }, { document: after }]: readonly [Ground, Ground],
  report: Report,
): void {
  const [old, now] = [alternatives(before, wanted), alternatives(after, wants)]
  // An alternative with proofs needs another one with proofs, if any is left: being let in as anyone is less.
  const proofs = now.filter(({ size }) => size > 0)
  const lost = old.filter(
    (one) =>
      !(one.size > 0 && proofs.length > 0 ? proofs : now).some((other) => asksNoMore(other, one)),
  )
  const gained = now.filter(
    (one) => !old.some((other) => asksNoMore(one, other) && asksNoMore(other, one)),
  )
  for (const one of lost) report(codeOfLoss(one, now), { was: words(one) })
  for (const one of gained) reportGain(one, old, report)
  permissions(wanted, wants, report)
}

/** An alternative's schemes by their kind, with the requested scopes. Without a scheme, any client may call. */
type Alternative = ReadonlyMap<string, Proof>

interface Proof {
  readonly name: string
  readonly scopes: readonly string[]
}

function alternatives(document: Json, operation: Json): readonly Alternative[] {
  const security = operation['security'] ?? document['security']
  const list = Array.isArray(security) && security.length > 0 ? (security as readonly Json[]) : [{}]
  const schemes = objectAt(document, objectAt(document, document['components'])['securitySchemes'])
  return list.map(
    (each) =>
      new Map(
        Object.entries(each).map(([name, scopes]) => [
          identity(document, schemes[name] ?? name),
          { name, scopes: Array.isArray(scopes) ? (scopes as string[]) : [] },
        ]),
      ),
  )
}

/** A scheme by its facts: its name is only a word of the document. */
function identity(document: Json, scheme: unknown): string {
  if (!isJsonObject(scheme)) return canonicalText(document, scheme)
  const { description: _, ...facts } = objectAt(document, scheme)
  return canonicalText(document, facts)
}

/** Does one alternative ask for nothing that the other does not ask for? */
function asksNoMore(one: Alternative, other: Alternative): boolean {
  return [...one].every(([scheme, { scopes }]) => {
    const proof = other.get(scheme)
    return proof !== undefined && scopes.every((scope) => proof.scopes.includes(scope))
  })
}

const sameSchemes = (one: Alternative, other: Alternative): boolean =>
  one.size === other.size && [...one.keys()].every((scheme) => other.has(scheme))

function codeOfLoss(one: Alternative, now: readonly Alternative[]): string {
  if (one.size === 0) return 'anonymous-access-removed'
  return now.some((other) => sameSchemes(one, other))
    ? 'security-scope-added'
    : 'security-alternative-removed'
}

function reportGain(one: Alternative, old: readonly Alternative[], report: Report): void {
  const is = words(one)
  if (one.size === 0) return report('anonymous-access-added')
  const relatives = old.filter((other) => sameSchemes(one, other))
  if (relatives.length === 0) return report('security-alternative-added', { is })
  if (relatives.some((other) => asksNoMore(one, other))) report('security-scope-removed', { is })
}

function words(alternative: Alternative): string {
  const names = [...alternative.values()].map(({ name, scopes }) =>
    scopes.length === 0 ? name : `${name} (${scopes.join(', ')})`,
  )
  return names.join(' and ') || 'anyone'
}

/** Built-in permissions: a later one lets less through. */
const STRICTER = ['AllowAny', 'IsAuthenticatedOrReadOnly', 'IsAuthenticated', 'IsAdminUser']

/** Compares permissions, all of which have to agree: a permission that another one implies changes nothing. */
function permissions(before: Json, after: Json, report: Report): void {
  const [old, now] = [permissionsOf(before), permissionsOf(after)]
  if (old === null || now === null) return
  const implied = (name: string, names: readonly string[]): boolean => {
    const rank = STRICTER.indexOf(name)
    return names.includes(name) || names.some((each) => STRICTER.indexOf(each) >= rank && rank >= 0)
  }
  for (const is of now)
    if (is !== STRICTER[0] && !implied(is, old)) report('permission-added', { is })
  for (const was of old)
    if (was !== STRICTER[0] && !implied(was, now)) report('permission-removed', { was })
}

function permissionsOf({ 'x-permissions': names }: Json): readonly string[] | null {
  return Array.isArray(names) ? (names as readonly string[]) : null
}
