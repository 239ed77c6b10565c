import { ConfigurationError } from '../errors/configuration-error.ts'
import { didYouMean } from '../std/text/nearest.ts'

/** A rule for a value: a setting, or an option of a policy. */
export interface OptionRule {
  readonly wants: string
  readonly fits: (value: unknown) => boolean
  /** In the environment: a text, even where it looks like a number, or a list with commas (`list`: elsewhere, too); else JSON. */
  readonly reads?: 'text' | 'list' | 'words'
  /** The problem with a value of the right form, as a sentence or its end; `null`: none. */
  readonly problem?: (value: unknown) => string | null
}

/** The option that a file writes as `page_size`: `pageSize`. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

export function snakeCase(option: string): string {
  return option.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

export const isFilledText = (value: unknown): value is string =>
  typeof value === 'string' && value !== ''

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null

export const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && !Array.isArray(value)

export function orNull<Rule extends OptionRule>(rule: Rule): Rule {
  const fits = (value: unknown): boolean => value === null || rule.fits(value)
  return { ...rule, wants: `${rule.wants}, or null`, fits }
}

export function whole(wants: string, from: number, to: number = Infinity): OptionRule {
  const isBetween = (value: number): boolean => value >= from && value <= to
  return { wants, fits: (value) => Number.isSafeInteger(value) && isBetween(value as number) }
}

export function patternRule(wants: string, pattern: RegExp): OptionRule {
  const fits = (value: unknown): boolean => typeof value === 'string' && pattern.test(value)
  return { wants, reads: 'text', fits }
}

export function listOf(wants: string, { fits }: OptionRule): OptionRule {
  return { wants, reads: 'list', fits: (value) => Array.isArray(value) && value.every(fits) }
}

export function oneOf(...values: readonly unknown[]): OptionRule {
  const named = values.map((value) => JSON.stringify(value))
  return { wants: `one of ${named.join(', ')}`, fits: (value) => values.includes(value) }
}

export const TEXT: OptionRule = {
  wants: 'a text that is not empty',
  fits: isFilledText,
  reads: 'text',
}
export const TEXT_OR_NULL: OptionRule = orNull(TEXT)
export const TEXTS: OptionRule = listOf('a list of texts', TEXT)
/** 0 means the same as `null`: no size. */
export const SIZE_OR_NULL: OptionRule = orNull(whole('a whole number', 0))
export const COUNT: OptionRule = whole('a whole number of at least 1', 1)

export function able(...operations: readonly string[]): OptionRule {
  return {
    wants: `an object with ${operations.map((operation) => `${operation}()`).join(' and ')}`,
    fits: (value) =>
      isObject(value) &&
      operations.every((name) => typeof (value as Record<string, unknown>)[name] === 'function'),
  }
}

/** The problem with an object's members, as the end of a sentence; `null`: none. All but the `required` may be absent. */
export function membersProblem(
  value: object,
  rules: Readonly<Record<string, OptionRule>>,
  required: string | null = null,
): string | null {
  const given = value as Readonly<Record<string, unknown>>
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(rules, name))
  if (unknown !== undefined)
    return `has no member "${unknown}".${didYouMean(unknown, Object.keys(rules))}`
  for (const [name, { wants, fits }] of Object.entries(rules)) {
    if (fits(given[name]) || (given[name] === undefined && name !== required)) continue
    return `wants "${name}" to be ${wants}, and got ${JSON.stringify(given[name])}.`
  }
  return null
}

/** The static members in which a class declares its options. */
export interface PolicyClass {
  /** The options that the class takes. Absent: the class takes any, and decides itself. */
  readonly options?: readonly string[]
  /** The options whose value may be the name of a registered object. */
  readonly named?: readonly string[]
  /** The services of the application that the class is given beside its options. */
  readonly needs?: readonly string[]
}

/**
 * Checks the names of options. A subclass of an application may take options of its own, so names are checked only if it
 * lists `options`.
 */
export function checkNames(
  kind: Function & PolicyClass,
  given: object,
  others: readonly string[] = [],
): void {
  if (typeof given !== 'object' || given === null)
    throw new ConfigurationError(
      `${kind.name} takes an object of options: ${optionsOf(kind).join(', ')}.`,
    )
  // Accounts are given as they are, and hold more than one scheme needs.
  const areAccounts = ['users', 'tokens', 'sessions'].filter((name) => name in given).length > 1
  if (!Object.hasOwn(kind, 'options') || areAccounts) return
  refuseOthers(kind.name, given, [...optionsOf(kind), ...others])
}

/** Refuses unknown options: a misspelt option would be ignored, and programs run without a compiler. */
export function refuseOthers(place: string, given: object, known: readonly string[]): void {
  const wrong = strangerAmong(given, known)
  if (wrong === undefined) return
  const hint = didYouMean(wrong, known) || ` It has ${known.join(', ')}.`
  throw new ConfigurationError(`${place}: there is no option "${wrong}".${hint}`)
}

/** The first unknown option; an option with the value `undefined` does not count. */
export function strangerAmong(given: object, known: readonly string[]): string | undefined {
  const [name] =
    Object.entries(given).find(([each, value]) => value !== undefined && !known.includes(each)) ??
    []
  return name
}

function optionsOf(kind: PolicyClass): readonly string[] {
  const { options, needs = [] } = kind
  if (options === undefined) return []
  return [...options, ...needs, ...optionsOf(Object.getPrototypeOf(kind) as PolicyClass)]
}

/** Refuses options where a policy is made, not at a request: configuration files know no types. */
export function checkOptions<Options extends object>(
  policy: string,
  options: Options,
  rules: { readonly [K in keyof Options]?: OptionRule },
): void {
  for (const [name, rule] of Object.entries(rules) as [keyof Options & string, OptionRule][]) {
    const value: unknown = options[name]
    if (value === undefined || rule.fits(value)) continue
    const given = JSON.stringify(value)
    throw new ConfigurationError(`${policy}: "${name}" must be ${rule.wants}, but is ${given}.`)
  }
}
