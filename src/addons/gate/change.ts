// The report of a change: its class, its place, and the sentence of its code.

/** The readers of a change; `documentation`: no program is affected. */
export type ChangeClass = 'breaking' | 'compatible' | 'documentation'

/** A change of the contract. */
export interface Change {
  /** Stays the same in later releases: `response-property-removed`. */
  readonly code: string
  readonly class: ChangeClass
  /** The place in words: `GET /cities/ answer 200 results[].name`. */
  readonly at: string
  /** The change, with its effect on clients. */
  readonly sentence: string
  /** The remedy for a breaking change. */
  readonly advice?: string
}

/** A finding at a place. */
export interface Reported {
  /** @default that of the code */
  readonly class?: ChangeClass
  readonly was?: unknown
  readonly is?: unknown
  /** Leads on from the place. */
  readonly path?: string
}

export type Report = (code: string, found?: Reported) => void

export function changeOf(
  code: string,
  at: string,
  { class: given, was, is }: Reported = {},
): Change {
  const { what, advice, class: usual = 'compatible' } = entryOf(code)
  const kind = given ?? usual
  const whom = kind === 'breaking' ? ` ${whomBreaks(code)}` : ''
  const sentence = `${what(shown(was), shown(is))}.${whom}`
  return { code, class: kind, at, sentence, ...(kind === 'breaking' && { advice }) }
}

function shown(value: unknown): string {
  if (value === undefined) return 'none'
  return [value]
    .flat()
    .map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
    .join(', ')
}

/** A sentence about a change, from the value before it and the value after it. */
type What = (was: string, is: string) => string

interface Entry {
  readonly what: What
  /** The remedy if the change is breaking. */
  readonly advice: string
  /** The class, if the code always has the same one. @default 'compatible' */
  readonly class?: ChangeClass
}

const FIELD =
  'Change it for a new version only: `until` and `since` of the field, or a serializer of that version.'
const VERSION = 'Leave it in this version, and change it in a new one.'
const WAIT = 'Keep what was announced: clients have planned with it.'

const field = (what: What): Entry => ({ what, advice: FIELD })
const version = (what: What): Entry => ({ what, advice: VERSION })
const breaking = (what: What, advice: string = VERSION): Entry => ({
  what,
  advice,
  class: 'breaking',
})
const documentation = (what: What): Entry => ({ what, advice: VERSION, class: 'documentation' })
const moved =
  (name: string): What =>
  (was, is) =>
    `${name} was ${was} and is ${is}`

/** Codes of schemas, which stand behind `request-`, `parameter-`, `response-` or `response-header-`. */
export const SCHEMA_CODES: Readonly<Record<string, Entry>> = {
  'additional-properties-closed': field(
    () => 'Properties that are not named are no longer allowed',
  ),
  'additional-properties-opened': field(() => 'There may be properties that are not named'),
  'alternative-added': field(() => 'There is one more kind of value'),
  'alternative-removed': field(() => 'There is one kind of value less'),
  'alternatives-overlap': field(
    () => 'Values may be of two kinds of `oneOf` at once, which makes them invalid',
  ),
  'became-nullable': field(() => 'The value may be null'),
  'content-encoding-changed': field(() => 'The text is encoded otherwise'),
  'default-changed': version(moved('What stands for a value that is left out')),
  'description-changed': documentation(() => 'The description changed'),
  'discriminator-added': field((_, is) => `The value of ${is} has to name the kind of the object`),
  'discriminator-changed': field(moved('The discriminator')),
  'discriminator-removed': field(
    (was) => `The value of ${was} need not name the kind of the object`,
  ),
  'discriminator-value-added': field((_, is) => `The discriminator has new values: ${is}`),
  'discriminator-value-removed': field(
    (was) => `The discriminator no longer has the values ${was}`,
  ),
  'encoding-changed': breaking((_, is) => `The parts of ${is} are encoded otherwise`),
  'enum-added': field((_, is) => `Only these values are left: ${is}`),
  'enum-removed': field((was) => `The list of values has gone: ${was}`),
  'enum-value-added': field((_, is) => `New values: ${is}`),
  'enum-value-removed': field((was) => `Values have gone: ${was}`),
  'examples-changed': documentation(() => 'The examples changed'),
  'format-added': field((_, is) => `The value has the format ${is}`),
  'format-changed': field(moved('The format')),
  'format-narrowed': field(moved('The format')),
  'format-removed': field((was) => `The value no longer has the format ${was}`),
  'format-widened': field(moved('The format')),
  'max-items-lowered': field(moved('The most items')),
  'max-items-raised': field(moved('The most items')),
  'max-length-lowered': field(moved('The greatest length')),
  'max-length-raised': field(moved('The greatest length')),
  'max-properties-lowered': field(moved('The most properties')),
  'max-properties-raised': field(moved('The most properties')),
  'maximum-lowered': field(moved('The maximum')),
  'maximum-raised': field(moved('The maximum')),
  'media-type-added': version((_, is) => `There is ${is}, too`),
  'media-type-removed': breaking((was) => `${was} has gone`),
  'min-items-lowered': field(moved('The fewest items')),
  'min-items-raised': field(moved('The fewest items')),
  'min-length-lowered': field(moved('The least length')),
  'min-length-raised': field(moved('The least length')),
  'min-properties-lowered': field(moved('The fewest properties')),
  'min-properties-raised': field(moved('The fewest properties')),
  'minimum-lowered': field(moved('The minimum')),
  'minimum-raised': field(moved('The minimum')),
  'multiple-of-changed': field(moved('The step of numbers')),
  'multiple-of-narrowed': field(moved('The step of numbers')),
  'multiple-of-widened': field(moved('The step of numbers')),
  'no-longer-nullable': field(() => 'The value is never null'),
  'pattern-added': field((_, is) => `The text has to match ${is}`),
  'pattern-changed': field(moved('The pattern')),
  'pattern-removed': field((was) => `The text need not match ${was}`),
  'property-added': field(() => 'The property is new'),
  'property-became-optional': field(() => 'The property may be missing'),
  'property-became-read-only': field(() => 'The property is not read any more (readOnly)'),
  'property-became-required': field(() => 'The property is required'),
  'property-became-write-only': field(() => 'The property is not shown any more (writeOnly)'),
  'property-deprecated': field(() => 'The property is deprecated'),
  'property-removed': field(() => 'The property has gone'),
  'required-property-added': field(() => 'The property is new, and required'),
  'rule-changed': field((_, is) => `The rule \`${is}\` changed, and may mean anything`),
  'type-changed': field(moved('The type')),
  'type-narrowed': field(moved('The type')),
  'type-widened': field(moved('The type')),
  'unique-items-added': field(() => 'A list may not hold a value twice'),
  'unique-items-removed': field(() => 'A list may hold a value twice'),
}

/** All other codes. */
export const OPERATION_CODES: Readonly<Record<string, Entry>> = {
  'anonymous-access-added': version(() => 'Clients need not say who they are'),
  'anonymous-access-removed': breaking(() => 'Clients have to say who they are'),
  'description-changed': documentation(() => 'The description changed'),
  'operation-added': version(() => 'The operation is new'),
  'operation-deprecated': version(() => 'The operation is deprecated'),
  'operation-id-changed': documentation(moved('The name in generated clients')),
  'operation-no-longer-deprecated': version(() => 'The operation is no longer deprecated'),
  'operation-removed': breaking(
    () => 'The operation has gone',
    'Keep it until this version has ended (`sunsetAt`), and leave it out of a new one.',
  ),
  'operation-retired': version(() => 'The operation has gone, after its end was announced'),
  'parameter-added': version(() => 'The parameter is new'),
  'parameter-became-optional': version(() => 'The parameter may be left out'),
  'parameter-became-required': breaking(() => 'The parameter is required'),
  'parameter-deprecated': version(() => 'The parameter is deprecated'),
  'parameter-empty-value-allowed': version(() => 'The parameter may have an empty value'),
  'parameter-empty-value-refused': breaking(() => 'The parameter may not have an empty value'),
  'parameter-removed': breaking(() => 'The parameter has gone'),
  'parameter-style-changed': breaking(() => 'The parameter is written otherwise'),
  'permission-added': breaking((_, is) => `The permission ${is} is asked for`),
  'permission-removed': version((was) => `The permission ${was} is no longer asked for`),
  'request-body-added': version(() => 'A body is read'),
  'request-body-became-optional': version(() => 'The body may be left out'),
  'request-body-became-required': breaking(() => 'The body is required'),
  'request-body-removed': breaking(() => 'No body is read any more'),
  'required-parameter-added': breaking(() => 'The parameter is new, and required'),
  'required-request-body-added': breaking(() => 'A body is read, and required'),
  'response-error-status-added': version(() => 'There is one more error'),
  'response-error-status-removed': version(() => 'The error no longer happens'),
  'response-header-added': version(() => 'The header is new'),
  'response-header-became-optional': breaking(() => 'The header may be missing'),
  'response-header-became-required': version(() => 'The header always comes'),
  'response-header-removed': breaking(() => 'The header has gone'),
  'response-header-style-changed': breaking(() => 'The header is written otherwise'),
  'response-status-added': breaking((_, is) => `There are answers with ${is}`),
  'response-status-removed': breaking((was) => `There is no answer with ${was} any more`),
  'security-alternative-added': version((_, is) => `Clients may prove who they are by ${is}`),
  'security-alternative-removed': breaking(
    (was) => `It is no longer enough to prove who one is by ${was}`,
  ),
  'security-scope-added': breaking((was) => `The scopes of ${was} are no longer enough`),
  'security-scope-removed': version((_, is) => `The scopes of ${is} are enough`),
  'server-added': version((_, is) => `The service is at ${is}, too`),
  'server-default-changed': breaking(moved('The address with the defaults of its variables')),
  'server-removed': breaking((was) => `The service is no longer at ${was}`),
  'sunset-announced': version((_, is) => `It ends on ${is}`),
  'sunset-earlier': breaking(moved('The end'), WAIT),
  'sunset-later': version(moved('The end')),
  'version-added': version(() => 'The version is new'),
  'version-removed': breaking(
    () => 'The version has gone',
    'Announce its end (`deprecatedAt`, `sunsetAt`), and remove it after that.',
  ),
  'version-retired': version(() => 'The version has gone, after its end was announced'),
}

const PREFIXES = ['response-header-', 'request-', 'response-', 'parameter-']

function entryOf(code: string): Entry {
  const prefix = PREFIXES.find((each) => code.startsWith(each))
  const found = OPERATION_CODES[code] ?? (prefix && SCHEMA_CODES[code.slice(prefix.length)])
  if (!found) throw new TypeError(`There is no sentence for the code ${code}.`)
  return found
}

/** A sentence about the clients that a breaking change breaks. */
function whomBreaks(code: string): string {
  if (code.startsWith('response-')) return 'Clients that read it as it was fail, or misread it.'
  if (code.startsWith('request-') || code.startsWith('parameter-'))
    return 'Requests that were right are refused, or mean something else.'
  return 'Requests that were right are no longer answered as they were.'
}
