import type { NamedFields } from '../contract/list-source.ts'
import type { InputForm } from '../contract/page.ts'
import type { ApiRequest, MaybePromise, Settings } from '../contract/request.ts'
import type {
  CheckedService,
  FieldInfo,
  InputSerializer,
  ParseOptions,
  RowWriter,
} from '../contract/serializer.ts'
import { ValidationError } from '../errors/api-errors.ts'
import { allDone } from '../std/after.ts'
import { Form } from '../std/http/form.ts'
import type { Fields, ReadContext, Validator } from './declaration.ts'
import { describeMembers, schemaOfMembers } from './describe-fields.ts'
import * as kinds from './fields/index.ts'
import { type Member, membersOf, namedFields, writtenAmong } from './member.ts'
import { compileRead } from './read.ts'
import type { SchemaPlace } from '../contract/request.ts'
import type { JSONSchema } from '../types/documents.ts'
import { Refused } from './refused.ts'
import { type Table, compileRepresent, compileWriter } from './represent.ts'
import type { InputFor, NamesFor, OutputFor, PatchFor, RowFor } from './types.ts'
import { Editions, isVersioned } from './versions.ts'

/** The kinds of fields that a serializer is declared with: `field.text()`, `field.integer()` … */
export const field: typeof kinds = kinds

/** What a serializer has beside its fields. */
export interface SerializerOptions<F extends Fields> {
  /** What its schema is called in documents: `City`. @default made of the name of the endpoint that shows it */
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

/** A serializer declared by its fields. `RowOf`, `OutputOf`, `InputOf` and `PatchOf` are its types. */
export interface DeclaredSerializer<F extends Fields = Fields> extends InputSerializer<
  RowFor<F>,
  OutputFor<F>,
  ApiRequest,
  InputFor<F>,
  PatchFor<F>
> {
  /** To be called as its method: one that was made of it, with another `represent`, writes nothing. */
  readonly writer: (table: Table, request: ApiRequest) => RowWriter | null
  readonly describe: (request: ApiRequest) => Readonly<Record<string, FieldInfo>>
  /** Of its fields, for documents. */
  readonly schema: (place: SchemaPlace) => JSONSchema
  /** What its schema is called there. */
  readonly name?: string | undefined
  readonly check: (settings: Settings, service?: CheckedService) => string | null
  readonly nameOf: (member: string, request: ApiRequest) => string | null
  readonly namedFields: (at: Pick<ApiRequest, 'settings' | 'version'>) => NamedFields
  /** Type only. */
  readonly '~names'?: NamesFor<F>
  /** What it was declared with, for others that are made of it. */
  readonly fields: F
  readonly options: SerializerOptions<F>
  /** For serializers that hold this one: reads, and gives back what is wrong instead of throwing it. */
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
  const members = membersOf(fields)
  const { validate, validators = [] } = options
  const checks = validate === undefined ? validators : [...validators, validate]
  const compile = (some: readonly Member[]) => editionOf(some, checks, members)
  const editions = members.some(isVersioned) ? new Editions(members, compile) : null
  const edition = editions === null ? compile(members) : inVersions(editions)
  return {
    ...edition,
    fields,
    options,
    name: options.name,
    writer(this: Pick<Edition, 'represent'>, table: Table, request: ApiRequest) {
      // One that was made of this one, with another `represent`, is shown by that.
      return this.represent === edition.represent ? edition.writer(table, request) : null
    },
    lists: (request: ApiRequest) => listsOf(members, request),
    check: (settings: Settings, service: CheckedService = { routes: null }) =>
      editions?.problem(settings) ??
      members.map((one) => one.field.check?.(settings, service, one.name)).find(Boolean) ??
      null,
    parse: async (data: unknown, request: ApiRequest, how?: ParseOptions) => {
      const context = contextOf(data, request, how)
      return settled(await edition.read(data, context), context)
    },
  } as unknown as DeclaredSerializer<F>
}

/** What a serializer does in one version. */
type Edition = Pick<
  DeclaredSerializer,
  'describe' | 'namedFields' | 'nameOf' | 'read' | 'represent' | 'schema' | 'writer'
>

function editionOf(
  members: readonly Member[],
  checks: readonly Validator<never>[],
  all: readonly Member[],
): Edition {
  let named: NamedFields | null = null
  const shown = members.filter((member) => !member.field.options.writeOnly)
  return {
    represent: compileRepresent(shown),
    writer: compileWriter(shown),
    read: compileRead(members, checks),
    describe: (request) => describeMembers(members, request),
    schema: (place) => schemaOfMembers(members, place),
    nameOf: (place) => writtenAmong(members).find(({ path }) => path[0] === place)?.name ?? null,
    namedFields: () => (named ??= namedFields(all, members)),
  }
}

function listsOf(members: readonly Member[], request: ApiRequest): NonNullable<InputForm['lists']> {
  const found = members.map((one) => [one.name, one.field.listed?.(request) ?? null])
  return Object.fromEntries(found.filter(([, list]) => list !== null))
}

function inVersions(editions: Editions<Edition>): Edition {
  return {
    represent: (row, request) => editions.of(request).represent(row, request),
    writer: (table, request) => editions.of(request).writer(table, request),
    read: (data, context) => editions.of(context.request).read(data, context),
    describe: (request) => editions.of(request).describe(request),
    schema: (place) => editions.of(place).schema(place),
    nameOf: (place, request) => editions.of(request).nameOf(place, request),
    namedFields: (at) => editions.of(at).namedFields(at),
  }
}

const same = <Rows>(rows: Rows): Rows => rows

export function contextOf(
  data: unknown,
  request: ApiRequest,
  { partial = false, existing = null, scope = {}, narrowed = same }: ParseOptions = {},
): ReadContext {
  const form = data instanceof Form
  return { request, partial, existing, scope, narrowed, form, afterwards: [] }
}

/** What was read, once everything that was put off until then is done. @throws ValidationError it was refused */
export async function settled<T>(value: T | Refused, { afterwards }: ReadContext): Promise<T> {
  if (value instanceof Refused) throw new ValidationError(value.detail)
  if (afterwards !== undefined && afterwards.length > 0) await allDone(afterwards)
  return value
}
