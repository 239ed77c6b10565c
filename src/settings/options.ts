import { ConfigurationError } from '../errors/configuration-error.ts'

/** What an option of a policy may be. */
export interface OptionRule {
  readonly wants: string
  readonly fits: (value: unknown) => boolean
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isSize = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

export const TEXT: OptionRule = { wants: 'a text that is not empty', fits: isText }
export const TEXT_OR_NULL: OptionRule = {
  wants: 'a text that is not empty, or null',
  fits: (value) => value === null || isText(value),
}
export const TEXTS: OptionRule = {
  wants: 'a list of texts',
  fits: (value) => Array.isArray(value) && value.every(isText),
}
/** 0 is as good as `null`: no size. */
export const SIZE_OR_NULL: OptionRule = {
  wants: 'a whole number, or null',
  fits: (value) => value === null || isSize(value),
}

export const SIZE: OptionRule = {
  wants: 'a whole number from 1',
  fits: (value) => isSize(value) && value !== 0,
}

export function oneOf(...values: readonly string[]): OptionRule {
  const named = values.map((value) => JSON.stringify(value))
  return {
    wants: `one of ${named.join(', ')}`,
    fits: (value) => typeof value === 'string' && values.includes(value),
  }
}

/** At least one of something. */
export const COUNT: OptionRule = {
  wants: 'a whole number of at least 1',
  fits: (value) => isSize(value) && (value as number) >= 1,
}

/** An object that can do all of this. */
export function able(...operations: readonly string[]): OptionRule {
  return {
    wants: `an object with ${operations.map((operation) => `${operation}()`).join(' and ')}`,
    fits: (value) =>
      typeof value === 'object' &&
      value !== null &&
      operations.every((name) => typeof (value as Record<string, unknown>)[name] === 'function'),
  }
}

/**
 * Refuses options of the wrong type where a policy is made, so that nothing starts that could only
 * fail at a request: configuration files know no types.
 *
 * @throws ConfigurationError it names the policy, the option and what it wants
 */
export function checkOptions<Options extends object>(
  policy: string,
  options: Options,
  rules: { readonly [K in keyof Options]?: OptionRule },
): void {
  for (const [name, rule] of Object.entries(rules) as [keyof Options & string, OptionRule][]) {
    const value: unknown = options[name]
    if (value === undefined || rule.fits(value)) continue
    throw new ConfigurationError(
      `${policy}: "${name}" wants ${rule.wants}, and got ${JSON.stringify(value)}.`,
    )
  }
}
