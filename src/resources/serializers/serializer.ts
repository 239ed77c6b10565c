import * as kinds from './fields/index.ts'
import type { NamedFields, Portion, Rows } from '../../core/ports/list-source.ts'
import type { ShownFacts } from '../../core/ports/kernel.ts'
import type { InputForm } from '../../core/ports/page.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import { type MaybePromise, after, allDone, isPromise } from '../../core/std/after.ts'
import type { Settings, SchemaPlace } from '../../core/ports/settings/settings.ts'
import type {
  CheckedService,
  FieldInfo,
  InputSerializer,
  ParseOptions,
  Serializer,
} from '../../core/ports/serializer.ts'
import { ApiError, ValidationError, stackless } from '../../core/errors/api-errors.ts'
import { compileFromTable } from '../lists/from-table.ts'
import { Form } from '../../core/std/http/form.ts'
import type { AnyField, Fields, ReadContext, Validator } from './declaration.ts'
import { describeMembers, schemaOfMembers } from './describe-fields.ts'
import { type Member, membersOf, namedFields, writtenAmong } from './member.ts'
import { compileRead, nameAmong } from './read-object.ts'
import type { JSONSchema } from '../../core/types/documents.ts'
import { embeddedIn, withEmbedded } from './embedding.ts'
import { AT_ONCE, Refused, Unshowable, abridged } from './refused.ts'
import { type Show, showerOf } from './field-of.ts'
import type { Tenancy } from './tenant-references.ts'
import type { InputFor, NamesFor, OutputFor, PatchFor, RowFor } from './types.ts'
import { ConfigurationError, NoReverseMatch } from '../../core/errors/configuration-error.ts'
import { oncePer } from '../../core/std/once.ts'
import { refuseOthers } from '../../core/settings/options.ts'
import { knownVersions } from '../../core/versions/life.ts'

/** The kinds of fields that a serializer is declared with: `field.text()`, `field.integer()` … */
export const field: typeof kinds = kinds

/** The options of a serializer beside its fields. */
export interface SerializerOptions<F extends Fields> {
  /** The name of its schema in documents: `City`. @default made of the name of the endpoint that shows it */
  readonly name?: string
  /**
   * Checks the object as a whole, once every field is right (E22). What it returns, or throws as
   * `ValidationError`, belongs to no field, unless it throws an object of messages by field. In a
   * partial update it sees what was sent.
   */
  readonly validate?: Validator<PatchFor<F>>
  /**
   * More checks of the whole object, such as `uniqueTogether`. All of them are asked, and `validate` too.
   *
   * @example { validators: [uniqueTogether(books, ['organisation', 'title'])] }
   */
  readonly validators?: readonly Validator<PatchFor<F>>[]
}

const OPTIONS = ['name', 'validate', 'validators']

/** A serializer declared by its fields. `RowOf`, `OutputOf`, `InputOf` and `PatchOf` are its types. */
export interface DeclaredSerializer<F extends Fields = Fields> extends InputSerializer<
  RowFor<F>,
  OutputFor<F>,
  ApiRequest,
  InputFor<F>,
  PatchFor<F>
> {
  /** Call it as a method: a serializer that was made of this one, with another `represent`, gives `null`. */
  readonly fromTable: NonNullable<Serializer['fromTable']>
  readonly describe: (request: ApiRequest) => Readonly<Record<string, FieldInfo>>
  /**
   * Shows rows with what is embedded in them, which is looked up for all of them at once. To be called as its method.
   *
   * @example const [shown] = await visit.representAll([row], request)
   */
  readonly representAll: (
    rows: readonly RowFor<F>[] | Portion<RowFor<F>>,
    request: ApiRequest,
  ) => MaybePromise<readonly OutputFor<F>[]>
  /** The member of the row that holds the value of each shown field. Call it as a method. */
  readonly columns: () => readonly { readonly name: string; readonly column: string }[]
  /** The members that the input may have in a version; `null`: they are not known. Call it as a method. */
  readonly '~fills': (at: Pick<ApiRequest, 'settings' | 'version'>) => readonly string[] | null
  /** The schema of its fields, for documents. */
  readonly schema: (place: SchemaPlace) => JSONSchema
  /** The name of its schema in documents. */
  readonly name?: string | undefined
  readonly check: (settings: Settings, service?: CheckedService) => string | null
  readonly nameOf: (member: string, request: ApiRequest) => string | null
  readonly namedFields: (at: Pick<ApiRequest, 'settings' | 'version'>) => NamedFields
  /** Type only. */
  readonly '~names'?: NamesFor<F>
  /** The declaration, for serializers that are made of this one. */
  readonly fields: F
  readonly options: SerializerOptions<F>
  /** Reads a value for a serializer that holds this one, and returns errors instead of throwing them. */
  readonly read: (
    data: unknown,
    context: ReadContext,
  ) => MaybePromise<InputFor<F> | PatchFor<F> | Refused>
}

/**
 * Declares how rows are shown and how input is read, once: types of rows, output and input follow.
 *
 * @throws ConfigurationError a field contradicts itself
 * @example
 * const article = serializer({
 *   id: field.integer({ readOnly: true }),
 *   title: field.text({ maxLength: 200 }),
 *   authorName: field.text({ source: 'author_name', readOnly: true }),
 * })
 * api.endpoint('article-list').get(list({ source: articles, serializer: article }))
 */
export function serializer<F extends Fields>(
  fields: F,
  options: SerializerOptions<F> = {},
): DeclaredSerializer<F> {
  refuseOthers('serializer()', options, OPTIONS)
  const members = membersOf(fields)
  const { validate, validators = [] } = options
  const checks = validate === undefined ? validators : [...validators, validate]
  const compile = (some: readonly Member[]) => editionOf(some, checks, members)
  const editions = members.some(isVersioned) ? new Editions(members, compile) : null
  const edition = editions === null ? compile(members) : inVersions(editions)
  const parse = async (data: unknown, request: ApiRequest, how?: ParseOptions) => {
    const context = readContext(data, request, how)
    return awaitInput(await edition.read(data, context), context)
  }
  return {
    ...edition,
    fields,
    options,
    name: options.name,
    fromTable(this: Pick<Edition, 'represent'>, table: Rows, request: ApiRequest) {
      // A serializer that was made of this one, with another `represent`, shows rows by that.
      return this.represent === edition.represent ? edition.fromTable(table, request) : null
    },
    representAll(
      this: Pick<Edition, 'represent'>,
      rows: readonly never[] | Portion<never>,
      request: ApiRequest,
    ) {
      if (this.represent === edition.represent) return edition.representAll(rows, request)
      return oneByOne(isList(rows) ? rows : rows.rows, this, request)
    },
    columns(this: Pick<Edition, 'represent'>) {
      return this.represent === edition.represent ? columnsOf(members) : []
    },
    '~fills'(
      this: Pick<DeclaredSerializer, 'parse'>,
      { version, settings }: Pick<ApiRequest, 'settings' | 'version'>,
    ) {
      if (this.parse !== parse || checks.length > 0) return null
      return filledBy(membersIn(members, version, settings))
    },
    lists: (request: ApiRequest) => listsOf(members, request),
    '~keyedBy': (column: string) => keyedBy(column, members, options),
    check: (settings: Settings, service: CheckedService = { routes: null }) =>
      editions?.problem(settings) ??
      members.map((one) => one.field.check?.(settings, service, one.name)).find(Boolean) ??
      null,
    parse,
  } as unknown as DeclaredSerializer<F>
}

/** A serializer that also reads the key that it shows; `null`: it shows no key. */
function keyedBy(
  column: string,
  members: readonly Member[],
  options: SerializerOptions<never>,
): DeclaredSerializer | null {
  const isKey = ({ path, field: { options: own, hasAddress } }: Member): boolean =>
    path.length === 1 && path[0] === column && !hasAddress && !own.writeOnly
  if (!members.some(isKey)) return null
  const fields = members.map((one): [string, AnyField] => {
    const { name, field: declared } = one
    const own = { ...declared.options, readOnly: false, required: false }
    return [name, isKey(one) ? { ...declared, options: own } : declared]
  })
  return serializer(Object.fromEntries(fields) as Fields, options as object)
}

/** The work of a serializer in one version. */
type Edition = Pick<
  DeclaredSerializer,
  | 'describe'
  | 'fromTable'
  | 'namedFields'
  | 'nameOf'
  | 'ownValues'
  | 'read'
  | 'represent'
  | 'representAll'
  | 'schema'
>

function editionOf(
  members: readonly Member[],
  checks: readonly Validator<never>[],
  all: readonly Member[],
): Edition {
  let named: NamedFields | null = null
  const shown = members.filter((member) => !member.field.options.writeOnly)
  return {
    ...compileShown(shown),
    read: compileRead(members, checks, all),
    describe: (request) => describeMembers(members, request),
    schema: (place) => schemaOfMembers(members, place),
    nameOf: (place) => nameAmong(writtenAmong(members), place),
    namedFields: () => (named ??= namedFields(all, members)),
  }
}

/** Shows rows: each by itself, or with those that are embedded in them. */
function compileShown(
  members: readonly Member[],
): Pick<Edition, 'fromTable' | 'ownValues' | 'represent' | 'representAll'> {
  const [represent, fromTable] = [compileRepresent(members), compileFromTable(members, partOf)]
  const embedding = members.filter((member) => member.field.embeds !== undefined)
  const all: Edition['representAll'] = (given, request) => {
    const portion: Portion = isList(given) ? { rows: given } : given
    const { table } = portion
    const shown =
      (table && fromTable(table, request)) ?? portion.rows.map((row) => represent(row, request))
    if (embedding.length === 0) return shown as Record<string, unknown>[]
    return withEmbedded(shown as Record<string, unknown>[], embedding, request, shownRows)
  }
  if (embedding.length === 0) return { represent, fromTable, representAll: all }
  const own = members.filter((member) => !embedding.includes(member))
  return {
    represent: (_row, { endpointName }) => {
      throw new ConfigurationError(`endpoint ${endpointName}: ${LOOKED_UP}`)
    },
    fromTable: () => null,
    representAll: all,
    ownValues: compileRepresent(own),
  }
}

const LOOKED_UP =
  'represent() shows a row by itself, and this serializer embeds rows, which are looked up. Use await representAll([row], request).'

function isList<Row>(rows: readonly Row[] | Portion<Row>): rows is readonly Row[] {
  return Array.isArray(rows)
}

/** A row need not have the column of a field with a default. */
function columnsOf(members: readonly Member[]): ReturnType<DeclaredSerializer['columns']> {
  return members.flatMap(({ name, path: [column], field: { options } }) =>
    column === undefined || options.writeOnly || options.default !== undefined
      ? []
      : { name, column },
  )
}

/**
 * The members that the input may have. Functions give the members of converted fields, and validators may add to the input.
 */
function filledBy(members: readonly Member[]): readonly string[] | null {
  const written = members.filter(({ field: { options } }) => !options.readOnly)
  return written.some(({ path }) => path.length === 0) ? null : written.map(({ path }) => path[0]!)
}

function listsOf(members: readonly Member[], request: ApiRequest): NonNullable<InputForm['lists']> {
  const found = members.map((one) => [one.name, one.field.listed?.(request) ?? null])
  return Object.fromEntries(found.filter(([, list]) => list !== null))
}

function inVersions(editions: Editions<Edition>): Edition {
  return {
    represent: (row, request) => editions.of(request).represent(row, request),
    fromTable: (table, request) => editions.of(request).fromTable(table, request),
    representAll: (rows, request) => editions.of(request).representAll(rows, request),
    ownValues: (row, request) => {
      const { ownValues, represent } = editions.of(request)
      return (ownValues ?? represent)(row, request)
    },
    read: (data, context) => editions.of(context.request).read(data, context),
    describe: (request) => editions.of(request).describe(request),
    schema: (place) => editions.of(place).schema(place),
    nameOf: (place, request) => editions.of(request).nameOf(place, request),
    namedFields: (at) => editions.of(at).namedFields(at),
  }
}

const same = <Narrowed>(rows: Narrowed): Narrowed => rows

export function readContext(data: unknown, request: ApiRequest, how?: ParseOptions): ReadContext {
  const around: ParseOptions = { ...request['~around'], ...how }
  const { partial = false, existing = null, scope = {}, narrowed = same } = around
  const tenancy = around['~tenancy'] as Tenancy | undefined
  const form = data instanceof Form
  const row = existing as object | null
  return { request, partial, existing: row, scope, narrowed, tenancy, form, afterwards: [] }
}

/** The input, once all work that was put off is done. @throws ValidationError it was refused */
export async function awaitInput<T>(value: T | Refused, { afterwards }: ReadContext): Promise<T> {
  if (value instanceof Refused) throw stackless(() => new ValidationError(value.detail))
  if (afterwards !== undefined && afterwards.length > 0) await allDone(afterwards)
  return value
}

/**
 * In their order. A value that its field has no form for is shown as `null` and logged, because one such
 * value must not keep a whole list from clients.
 */
function compileRepresent(
  members: readonly Member[],
): (row: unknown, request: ApiRequest) => Record<string, unknown> {
  const parts = members.map((member) => new Part(member))
  return (row, request) => {
    const object: Record<string, unknown> = {}
    for (const part of parts) object[part.name] = part.shown(part.get(row), request)
    return object
  }
}

const partOf = (member: Member): Part => new Part(member)

/** A member of the shown object. */
class Part {
  readonly name: string
  readonly get: (row: unknown) => unknown
  readonly #show: Show
  readonly #member: Member

  constructor(member: Member) {
    this.name = member.name
    this.get = getterOf(member.path)
    this.#show = member.field.runsProgram ? atOnce(member) : showerOf(member.field)
    this.#member = member
  }

  shown(value: unknown, request: ApiRequest): unknown {
    try {
      const present = value === undefined ? lacking(this.#member) : value
      return present === null ? null : (this.#show(present, request) ?? null)
    } catch (error) {
      logLeftOut(error, this.#member, value, request)
      return null
    }
  }
}

/** The stand-in for a member that the row lacks: the default, or `null`, which is logged. */
function lacking({ path, field: { options } }: Member): unknown {
  const standIn = options.default
  if (standIn !== undefined) return typeof standIn === 'function' ? (standIn() as unknown) : standIn
  if (options.nullable || path.length !== 1) return null
  throw new Unshowable(`The row has no member "${path[0]}".`)
}

/** `null` and `undefined` on the way to the value are the value. */
function getterOf(path: readonly string[]): (row: unknown) => unknown {
  type Holder = Readonly<Record<string, unknown>> | null | undefined
  const [only] = path
  if (path.length === 1) return (row) => (row as NonNullable<Holder>)[only!]
  return (row) => path.reduce<unknown>((part, name) => (part as Holder)?.[name], row)
}

/**
 * Shows a member without waiting. @throws ConfigurationError the program gives a promise, which JSON has no form for: a list
 * would wait once a row
 */
function atOnce(member: Member): Show {
  const { name } = member
  const [show, hasItems] = [showerOf(member.field), member.field.runsProgram === true]
  return (value, request) => {
    const shown = show(value, request)
    if (!(hasItems && Array.isArray(shown) ? shown.some(isPromise) : isPromise(shown))) return shown
    // They are not awaited, so they must not end the process either.
    for (const each of [shown].flat()) Promise.resolve(each).catch(() => {})
    const place = `endpoint ${request.endpointName}: the field "${name}"`
    throw new ConfigurationError(`${place} gives a promise. ${AT_ONCE}`)
  }
}

/** Logs a value that was left out. Errors of the program's own code, and errors for every row, are thrown on. */
function logLeftOut(
  error: unknown,
  { name, field: { runsProgram } }: Member,
  value: unknown,
  request: ApiRequest,
): void {
  const isOfProgram =
    runsProgram === true ||
    error instanceof ApiError ||
    error instanceof ConfigurationError ||
    error instanceof NoReverseMatch
  if (isOfProgram && !(error instanceof Unshowable)) throw error
  request.logSeldom?.(`unshowable ${request.endpointName} ${name}`, {
    event: 'value.unshowable',
    id: request.id,
    endpoint: request.endpointName,
    field: name,
    value: abridged(value),
    error: error instanceof Error ? error.message : String(error),
  })
}

/** A serializer in each version, made when first asked for. */
export class Editions<E> {
  readonly #make: (version: string | null, settings: Settings) => E
  readonly #made = oncePer<Settings, Map<string | null, E>>(() => new Map())
  /** Rows come in lists, and all of a list are of one version. */
  #last: { settings: Settings; version: string | null; edition: E } | null = null

  constructor(members: readonly Member[], make: (members: readonly Member[]) => E) {
    this.#make = (version, settings) => make(membersIn(members, version, settings))
  }

  of({ settings, version }: Pick<ApiRequest, 'settings' | 'version'>): E {
    const last = this.#last
    if (last !== null && last.settings === settings && last.version === version) return last.edition
    const made = this.#made(settings)
    const edition = made.get(version) ?? this.#make(version, settings)
    made.set(version, edition)
    this.#last = { settings, version, edition }
    return edition
  }

  /** The problem under these settings in any version; `null`: none. */
  problem(settings: Settings): string | null {
    try {
      for (const version of knownVersions(settings) ?? [null]) this.of({ settings, version })
      return null
    } catch (error) {
      if (error instanceof ConfigurationError) return error.message
      throw error
    }
  }
}

function isVersioned({ field: { options } }: Member): boolean {
  return options.since !== undefined || options.until !== undefined
}

function membersIn(
  members: readonly Member[],
  version: string | null,
  settings: Settings,
): readonly Member[] {
  for (const member of members.filter(isVersioned)) {
    const problem = problemWith(member, settings)
    if (problem !== null) throw new ConfigurationError(`The field "${member.name}" ${problem}`)
  }
  const versions = knownVersions(settings) ?? []
  const place = placeOf(version, versions)
  const begun = (since?: string): boolean => since === undefined || place >= versions.indexOf(since)
  const ended = (until?: string): boolean => until !== undefined && place >= versions.indexOf(until)
  return members.filter(({ field: { options } }) => begun(options.since) && !ended(options.until))
}

/** Without a version, the service is as it is now: it has the newest fields. */
function placeOf(version: string | null, versions: readonly string[]): number {
  if (version === null) return Infinity
  const place = versions.indexOf(version)
  if (place >= 0) return place
  throw new ConfigurationError(
    `A serializer has fields of some versions only, and "${version}" is not among the allowedVersions.`,
  )
}

/** The problem with `since` and `until`, as the end of a sentence. `null`: none. */
function problemWith({ field: { options } }: Member, settings: Settings): string | null {
  const { since, until } = options
  const { defaultVersion, allowedVersions } = settings
  const versions = knownVersions(settings)
  if (versions === null)
    return settings.versioning === null
      ? null
      : 'is of some versions only: that needs allowedVersions, in their order.'
  // The default is allowed without being listed, but then it is neither old nor new.
  if (defaultVersion !== null && allowedVersions?.includes(defaultVersion) === false)
    return `is of some versions only, and the defaultVersion "${defaultVersion}" has no place among the allowedVersions.`
  const unknown = [since, until].find((name) => name !== undefined && !versions.includes(name))
  if (unknown !== undefined)
    return `is bound to the version "${unknown}", which is not among the allowedVersions.`
  if (since === undefined || until === undefined) return null
  return versions.indexOf(since) < versions.indexOf(until)
    ? null
    : `ends with "${until}" before it begins with "${since}".`
}

/** A serializer, or a function that chooses one by the request. */
export type Choice<Rq, S> = S | ((request: Rq) => S)

/** Shows a row. The request is the one that the endpoint makes, not the least that a serializer needs. */
export type ShownBy<Rq, Row, Name extends string = string> = Choice<
  NoInfer<Rq>,
  Serializer<Row, unknown, NoInfer<Rq>> & { readonly '~names'?: Name }
>

export function choose<Rq, S>(choice: Choice<Rq, S>, request: Rq): S {
  return typeof choice === 'function' ? (choice as (request: Rq) => S)(request) : choice
}

/**
 * Shows rows. Where they are there as a table, no objects of theirs are made; what is embedded in them is looked up for
 * all of them at once.
 */
export function shownRows<Rq extends ApiRequest, Row>(
  portion: Portion<Row>,
  shower: Serializer<Row, unknown, Rq> | undefined,
  request: Rq,
): MaybePromise<readonly unknown[]> {
  if (shower?.representAll !== undefined) return shower.representAll(portion, request)
  const { table } = portion
  const shown = table && shower?.fromTable?.(table, request)
  return shown ?? oneByOne(portion.rows, shower, request)
}

/** Shows one row. */
export function shownRow<Rq extends ApiRequest, Row>(
  row: Row,
  shower: Serializer<Row, unknown, Rq>,
  request: Rq,
): unknown {
  if (shower.representAll === undefined) return shower.represent(row, request)
  return after(shower.representAll([row], request), ([shown]) => shown)
}

async function oneByOne<Rq extends ApiRequest, Row>(
  rows: readonly Row[],
  shower: Pick<Serializer<Row, unknown, Rq>, 'represent'> | undefined,
  request: Rq,
): Promise<readonly unknown[]> {
  if (shower === undefined) return rows.slice()
  const shown: unknown[] = []
  for (const row of rows) {
    const each = shower.represent(row, request)
    // Schemas of other libraries may check asynchronously.
    shown.push(each instanceof Promise ? await each : each)
  }
  return shown
}

/** The serializer that is chosen in a version, for documents; `undefined`: none, or only a request can tell. */
export function chooseAt(
  choice: unknown,
  { settings, version }: Pick<ApiRequest, 'settings' | 'version'>,
): Serializer | undefined {
  if (knownChoices(choice) === null) return undefined
  try {
    return choose(choice as Choice<never, Serializer>, { settings, version } as never)
  } catch {
    // Some versions of an endpoint may have no serializer.
    return undefined
  }
}

/** The serializer that is chosen for a request, or for documents, which know only its version. */
export function chooseFor(
  choice: unknown,
  at: Pick<ApiRequest, 'settings' | 'version'>,
): Serializer | undefined {
  return 'query' in at ? choose(choice as Choice<object, Serializer>, at) : chooseAt(choice, at)
}

/** The problem of a serializer, or of one that may be chosen; `null`: none is known. */
export function serializerProblem(
  choice: unknown,
  settings: Settings,
  service: CheckedService,
): string | null {
  const known = knownChoices(choice) ?? []
  return known.map((each) => each.check?.(settings, service)).find(Boolean) ?? null
}

/** The rows that an endpoint without a store of its own shows: those that its serializer embeds. */
export function shownBy(choice: unknown): ShownFacts {
  const embeds = (knownChoices(choice) ?? []).flatMap((each) => embeddedIn(each))
  return { store: null, isScoped: false, embeds }
}

/** The serializers that may be chosen; `null`: only a request can tell. */
export function knownChoices(choice: unknown): readonly Serializer[] | null {
  // Functions such as `byVersion` list their choices.
  const known = (choice as Choosing | undefined)?.['~choices']
  if (known === undefined && typeof choice === 'function') return null
  return (known ?? [choice as Serializer | undefined]).filter((each) => each !== undefined)
}

/** Why it reads no partial updates; `null`: it reads them, as far as is known. */
export function partialProblem(choice: unknown): string | null {
  const known: readonly Partial<InputSerializer>[] = knownChoices(choice) ?? []
  if (known.every(({ readsPartially }) => readsPartially !== false)) return null
  return 'PATCH reads a part of the fields, and the serializer is a schema of complete bodies. Give it a schema for the part, schemaSerializer(schema, { partial }), or take PATCH away.'
}

interface Choosing {
  readonly '~choices'?: readonly (Serializer | undefined)[]
}
