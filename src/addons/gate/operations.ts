// One operation in two documents: parameters, bodies, answers and the life cycle.
import type { Report } from './change.ts'
import type { Difference } from './keywords.ts'
import {
  type Ground,
  type Json,
  canonicalText,
  isJsonObject,
  objectAt,
  textOf,
  viewOf,
} from './view.ts'
import type { CompareViews, ValueDirection } from './schemas.ts'

/** The operation of two documents, with the item of its path. */
export interface Pair {
  readonly at: Date
  readonly grounds: readonly [Ground, Ground]
  readonly paths: readonly [string, string]
  readonly items: readonly [Json, Json]
  readonly operations: readonly [Json, Json]
  /** Comparers remember: both serve every schema of the two documents. */
  readonly sent: CompareViews
  readonly got: CompareViews
}

export function compareOperation(pair: Pair, report: Report): void {
  words(pair, report)
  lifeCycle(pair, report)
  parameters(pair, report)
  requestBodies(pair, report)
  responses(pair, report)
}

function words({ operations: [old, now] }: Pair, report: Report): void {
  if (differ(old, now, 'operationId'))
    report('operation-id-changed', { was: old['operationId'], is: now['operationId'] })
  compareWords(old, now, report)
}

/** Compares the texts for people of anything that has a description. */
export function compareWords(old: Json, now: Json, report: Report): void {
  const names = ['summary', 'description', 'title', 'externalDocs', 'tags']
  if (names.some((name) => differ(old, now, name))) report('description-changed')
}

const differ = (old: Json, now: Json, name: string): boolean =>
  canonicalText({}, old[name]) !== canonicalText({}, now[name])

function lifeCycle({ operations: [old, now], at }: Pair, report: Report): void {
  const [was, is] = [old, now].map((each) => each['deprecated'] === true)
  if (!was && is) report('operation-deprecated')
  if (was && !is) report('operation-no-longer-deprecated')
  compareSunsets(sunsetOf(old), sunsetOf(now), at, report)
}

const sunsetOf = (operation: Json): number | null => momentIn(operation['x-sunset'])

/** In milliseconds; `null`: it is no moment, so that no end is announced. */
export function momentIn(text: unknown): number | null {
  const moment = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return Number.isNaN(moment) ? null : moment
}

function compareSunsets(old: number | null, now: number | null, at: Date, report: Report): void {
  if (old === now) return
  const [was, is] = [old, now].map((each) => (each === null ? 'none' : dayOf(each)))
  // An end that has come when it is announced gives clients no time.
  if (old === null && now! > at.getTime()) return report('sunset-announced', { was, is })
  if (now === null || (old !== null && now > old)) report('sunset-later', { was, is })
  else report('sunset-earlier', { was, is })
}

const dayOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10)

/** Reports what differs in two schemas under one prefix. */
function compareSchemas(
  pair: Pair,
  [old, now]: readonly [unknown, unknown],
  options: {
    readonly direction: ValueDirection
    readonly prefix: string
    readonly omissible?: boolean
    /** Is the schema that of an error? Clients take an unknown value for what the status says. */
    readonly isError?: boolean
  },
  report: Report,
): void {
  const { direction, prefix, omissible = false, isError = false } = options
  const [before, after] = [viewOf(pair.grounds[0], [old]), viewOf(pair.grounds[1], [now])]
  for (const { code, path, was, is, effect } of pair[direction](before, after, omissible)) {
    const expected = isError && code === 'enum-value-added'
    const kind = expected ? 'compatible' : classOf(effect, direction)
    report(`${prefix}-${code}`, { class: kind, was, is, path })
  }
}

function classOf(effect: Difference['effect'], direction: ValueDirection) {
  if (effect === 'documentation') return 'documentation'
  const breaks = direction === 'sent' ? 'narrower' : 'wider'
  return effect === 'both' || effect === breaks ? 'breaking' : 'compatible'
}

/** Reports with a place that follows the place of the operation. */
export const atPlace =
  (report: Report, place: string): Report =>
  (code, found = {}) =>
    report(code, { ...found, path: `${place} ${found.path ?? ''}`.trim() })

/** Parameters by place and name; those of the path by their position, since clients never see their names. */
function parametersOf(pair: Pair, at: 0 | 1): ReadonlyMap<string, Json> {
  const { document } = pair.grounds[at]
  const lists = [pair.items[at], pair.operations[at]].map((owner) => owner['parameters'])
  const all = lists.flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []))
  const positions = new Map(
    [...pair.paths[at].matchAll(/\{([^}]*)\}/g)].map(([, name], i) => [name, i]),
  )
  const keyed = all.map((each): [string, Json] => {
    const parameter = objectAt(document, each)
    const place = placeOf(parameter)
    const position = positions.get(String(parameter['name']))
    if (parameter['in'] === 'path' && position !== undefined) return [`path ${position}`, parameter]
    return [parameter['in'] === 'header' ? place.toLowerCase() : place, parameter]
  })
  return new Map(keyed.filter(([key]) => !IGNORED.has(key)))
}

/** Headers that OpenAPI describes elsewhere. */
const IGNORED: ReadonlySet<string> = new Set([
  'header accept',
  'header content-type',
  'header authorization',
])

function parameters(pair: Pair, report: Report): void {
  const [old, now] = [parametersOf(pair, 0), parametersOf(pair, 1)]
  for (const [key, parameter] of old) {
    const here = atPlace(report, placeOf(parameter))
    const other = now.get(key)
    if (other !== undefined) compareParameter(pair, parameter, other, here)
    else here('parameter-removed')
  }
  for (const [key, parameter] of now) {
    if (old.has(key)) continue
    const here = atPlace(report, placeOf(parameter))
    here(parameter['required'] === true ? 'required-parameter-added' : 'parameter-added')
  }
}

const placeOf = ({ in: place, name }: Json): string => `${String(place)} ${String(name)}`

function compareParameter(pair: Pair, old: Json, now: Json, report: Report): void {
  const [was, is] = [old, now].map((each) => each['required'] === true)
  if (!was && is) report('parameter-became-required')
  if (was && !is) report('parameter-became-optional')
  if (old['deprecated'] !== true && now['deprecated'] === true) report('parameter-deprecated')
  if (styleOf(old) !== styleOf(now)) report('parameter-style-changed')
  const [wasFree, isFree] = [old, now].map((each) => each['allowEmptyValue'] === true)
  if (wasFree && !isFree) report('parameter-empty-value-refused')
  if (!wasFree && isFree) report('parameter-empty-value-allowed')
  compareWords(old, now, report)
  const schemas = [schemaIn(old), schemaIn(now)] as const
  compareSchemas(pair, schemas, { direction: 'sent', prefix: 'parameter', omissible: !was }, report)
}

/** The form in which a value is written; OpenAPI defines the defaults. */
function styleOf({ in: place, style, explode, allowReserved, content }: Json): string {
  const written = style ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple')
  const media = isJsonObject(content) ? Object.keys(content) : []
  return textOf([written, explode ?? written === 'form', allowReserved ?? false, ...media])
}

function schemaIn({ schema, content }: Json): unknown {
  if (!isJsonObject(content)) return schema
  const [media] = Object.values(content)
  return isJsonObject(media) ? media['schema'] : undefined
}

function requestBodies(pair: Pair, report: Report): void {
  const [old, now] = pair.operations.map((each, at) =>
    each['requestBody'] === undefined
      ? null
      : objectAt(pair.grounds[at]!.document, each['requestBody']),
  ) as [Json | null, Json | null]
  const here = atPlace(report, 'body')
  const isRequired = now?.['required'] === true
  if (old === null && now === null) return
  if (old === null) return here(isRequired ? 'required-request-body-added' : 'request-body-added')
  if (now === null) return here('request-body-removed')
  const wasRequired = old['required'] === true
  if (!wasRequired && isRequired) here('request-body-became-required')
  if (wasRequired && !isRequired) here('request-body-became-optional')
  compareWords(old, now, here)
  contents(pair, [old, now], { direction: 'sent', prefix: 'request' }, here)
}

/** The schemas of media types that both have, and the media types that only one has. */
function contents(
  pair: Pair,
  [old, now]: readonly [Json, Json],
  options: Parameters<typeof compareSchemas>[2],
  report: Report,
): void {
  const [before, after] = [mediaTypes(old), mediaTypes(now)]
  for (const [type, media] of before) {
    const other = after.get(type)
    if (other === undefined) report(`${options.prefix}-media-type-removed`, { was: type })
    else {
      compareSchemas(pair, [media['schema'], other['schema']], options, report)
      if (differ(media, other, 'encoding'))
        report(`${options.prefix}-encoding-changed`, { is: type })
      if (differ(media, other, 'example') || differ(media, other, 'examples'))
        report(`${options.prefix}-examples-changed`)
    }
  }
  for (const type of after.keys())
    if (!before.has(type)) report(`${options.prefix}-media-type-added`, { is: type })
}

function mediaTypes({ content }: Json): ReadonlyMap<string, Json> {
  const entries = isJsonObject(content) ? Object.entries(content) : []
  return new Map(
    entries.map(([type, media]) => [type.toLowerCase(), isJsonObject(media) ? media : {}]),
  )
}

function responses(pair: Pair, report: Report): void {
  const [old, now] = pair.operations.map(({ responses: all }) =>
    isJsonObject(all) ? all : {},
  ) as [Json, Json]
  const at = (side: 0 | 1, value: unknown): Json => objectAt(pair.grounds[side].document, value)
  for (const status of Object.keys(old)) {
    // The document now has a status of this range, such as `404` of `4XX`, which is compared below.
    if (Object.keys(now).some((each) => each !== status && `${each[0]}XX` === status)) continue
    const here = atPlace(report, `answer ${status}`)
    const match = matching(status, now)
    if (match !== undefined) compareResponse(pair, status, [at(0, old[status]), at(1, match)], here)
    else if (isErrorStatus(status)) here('response-error-status-removed')
    else here('response-status-removed', { was: status })
  }
  for (const status of Object.keys(now)) {
    if (Object.hasOwn(old, status)) continue
    const here = atPlace(report, `answer ${status}`)
    const match = matching(status, old)
    // If `default` remains for all other errors, clients did not know this one before.
    const isNew = match === old['default'] && now['default'] !== undefined && /^[45]/.test(status)
    if (match !== undefined && !isNew)
      compareResponse(pair, status, [at(0, match), at(1, now[status])], here)
    else if (isErrorStatus(status)) here('response-error-status-added')
    else
      here('response-status-added', {
        class: status === '304' ? 'compatible' : 'breaking',
        is: status,
      })
  }
}

/** The answer for a status: its own, that of its range, such as `4XX`, or `default`. */
function matching(status: string, all: Json): unknown {
  return all[status] ?? all[`${status[0]}XX`] ?? all['default']
}

/** An error is one to clients that know its hundred (RFC 9110, 15). */
const isErrorStatus = (status: string): boolean => /^[45]/.test(status) || status === 'default'

/** Are there answers without errors? If `default` stands alone, it is for success, too. */
const hasOthers = (all: unknown): boolean =>
  isJsonObject(all) && Object.keys(all).some((status) => !isErrorStatus(status))

function compareResponse(
  pair: Pair,
  status: string,
  [old, now]: readonly [Json, Json],
  report: Report,
): void {
  compareWords(old, now, report)
  headers(pair, [old, now], report)
  const { responses: all } = pair.operations[0]
  const isError = isErrorStatus(status) && (status !== 'default' || hasOthers(all))
  contents(pair, [old, now], { direction: 'got', prefix: 'response', isError }, report)
}

function headers(pair: Pair, [old, now]: readonly [Json, Json], report: Report): void {
  const [before, after] = [headersOf(pair, 0, old), headersOf(pair, 1, now)]
  for (const [key, { name, header }] of before) {
    const here = atPlace(report, `header ${name}`)
    const other = after.get(key)
    if (other === undefined) here('response-header-removed')
    else compareHeader(pair, header, other.header, here)
  }
  for (const [key, { name }] of after)
    if (!before.has(key)) atPlace(report, `header ${name}`)('response-header-added')
}

function headersOf(pair: Pair, at: 0 | 1, { headers: all }: Json) {
  const entries = isJsonObject(all) ? Object.entries(all) : []
  const { document } = pair.grounds[at]
  return new Map(
    entries.map(([name, value]) => [
      name.toLowerCase(),
      { name, header: objectAt(document, value) },
    ]),
  )
}

function compareHeader(pair: Pair, old: Json, now: Json, report: Report): void {
  const [was, is] = [old, now].map((each) => each['required'] === true)
  if (was && !is) report('response-header-became-optional')
  if (!was && is) report('response-header-became-required')
  if (styleOf(old) !== styleOf(now)) report('response-header-style-changed')
  compareWords(old, now, report)
  const schemas = [schemaIn(old), schemaIn(now)] as const
  compareSchemas(pair, schemas, { direction: 'got', prefix: 'response-header' }, report)
}
