import type { Rate } from '../ports/policies/throttling.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { nearest } from '../std/text/nearest.ts'
import { type OptionRule, isPlain, isFilledText } from './options.ts'

export interface RateWindow {
  readonly limit: number
  readonly seconds: number
}

const UNITS: Readonly<Record<string, number>> = {
  ...named(1, 's', 'sec', 'second', 'seconds'),
  ...named(60, 'm', 'min', 'minute', 'minutes'),
  ...named(3600, 'h', 'hr', 'hour', 'hours'),
  ...named(86_400, 'd', 'day', 'days'),
}

function named(seconds: number, ...names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, seconds]))
}

/** `5/min`, `20/5m`; spaces around the first number are forgiven (T8). */
const RATE = /^ *(\d+) *\/([1-9]\d*)?([A-Za-z]+)$/

const MOST = 1_000_000
const LONGEST = 366 * 86_400
/** Levels, which may be twice as much, must be exact numbers (`throttling/counting.ts`). */
const EXACT = Number.MAX_SAFE_INTEGER / 2

/** Reads the text of one rate. A text as the result is the problem, as the end of a sentence. */
export function readRate(text: string): RateWindow | string {
  const [, amount, times = '1', unit = ''] = RATE.exec(text) ?? []
  const shown = JSON.stringify(text)
  if (amount === undefined) return `${shown} is no rate: ${FORM}`
  const length = Object.hasOwn(UNITS, unit) ? UNITS[unit]! : null
  if (length === null) return `${shown} has the period "${unit}", which ${hintFor(unit)}: ${FORM}`
  const [limit, seconds] = [Number(amount), Number(times) * length]
  if (limit > MOST) return `${shown} allows more than ${MOST} requests: ${FORM}`
  if (seconds > LONGEST) return `${shown} is longer than 366 days: ${FORM}`
  const parts = limit * seconds * 1000
  return parts > EXACT ? `${shown} is too much to be counted exactly: ${FORM}` : { limit, seconds }
}

const FORM =
  'write a whole number, a slash and a period in s, m, h or d, such as "5/min", "20/5m" or "1000/day".'

/** The length of a time such as `5 minutes` or `1d`; `null`: it is none, or longer than 366 days. */
export function secondsIn(text: string): number | null {
  const [, times = '', unit = ''] = /^([1-9]\d*) ?([a-z]+)$/.exec(text) ?? []
  const seconds = Object.hasOwn(UNITS, unit) ? Number(times) * UNITS[unit]! : Infinity
  return seconds <= LONGEST ? seconds : null
}

/** The problem with a period, by the beginning of its name. */
const OTHERS: readonly (readonly [RegExp, string])[] = [
  [/^mon/i, 'has no fixed length (write "30d")'],
  [/^w/i, 'is not known (write "7d")'],
  [/^(?:ms|mil|us|ns)/i, 'is too short (a second is the shortest)'],
  [/^y/i, 'has no fixed length (write "365d")'],
]

function hintFor(unit: string): string {
  const other = OTHERS.find(([beginning]) => beginning.test(unit))
  if (other !== undefined) return other[1]
  // A single letter is as near to every other letter.
  const near =
    unit.length > 1 || unit !== unit.toLowerCase() ? nearest(unit, Object.keys(UNITS)) : null
  return near === null ? 'is not known' : `is not known (did you mean "${near}"?)`
}

/** The windows of a rate. @throws ConfigurationError it is none */
export function windowsOf(rate: Rate): readonly RateWindow[] {
  const read = listOf(rate).map(readRate)
  const problem = rateProblem(rate)
  if (problem !== null) throw new ConfigurationError(`The rate ${problem}`)
  return read as readonly RateWindow[]
}

/** The problem with a rate, as the end of a sentence; `null`: none. */
export function rateProblem(rate: Rate): string | null {
  const read = listOf(rate).map(readRate)
  const problem = read.find((each) => typeof each === 'string')
  if (problem !== undefined) return problem
  const lengths = new Set((read as readonly RateWindow[]).map(({ seconds }) => seconds))
  if (lengths.size === read.length && read.length > 0) return null
  return `${JSON.stringify(rate)} has to limit each period once, and one at least.`
}

const RATE_OR_NULL: OptionRule = {
  wants: 'a rate such as "5/min", a list of rates, or null',
  reads: 'text',
  fits: (value) =>
    value === null || isFilledText(value) || (Array.isArray(value) && value.every(isFilledText)),
  problem: (value) => (value === null ? null : rateProblem(value as Rate)),
}

const MOST_GUESSES = 1000

/** The rate of wrong credentials. With a limit of 0 no one could log in, and each counted guess is kept in memory. */
export const GUESSES: OptionRule = {
  ...RATE_OR_NULL,
  problem(value) {
    const problem = value === null ? null : rateProblem(value as Rate)
    if (value === null || problem !== null) return problem
    const fits = windowsOf(value as Rate).every(({ limit }) => limit >= 1 && limit <= MOST_GUESSES)
    return fits
      ? null
      : `${JSON.stringify(value)} has to allow 1 to ${MOST_GUESSES} wrong credentials, such as "10/10m".`
  },
}

export const RATES: OptionRule = {
  wants: 'an object with a rate such as "5/min" for each scope, or null for no limit',
  fits: (value) => isPlain(value) && Object.values(value).every(RATE_OR_NULL.fits),
  problem(value) {
    for (const [scope, rate] of Object.entries(value as Readonly<Record<string, Rate | null>>)) {
      const problem = rate === null ? null : rateProblem(rate)
      if (problem !== null) return `of the scope "${scope}": ${problem}`
    }
    return null
  },
}

function listOf(rate: Rate): readonly string[] {
  return typeof rate === 'string' ? [rate] : rate
}
