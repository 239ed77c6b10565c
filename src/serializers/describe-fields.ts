import type { ApiRequest } from '../contract/request.ts'
import type { FieldInfo } from '../contract/serializer.ts'
import type { AnyField, FieldFacts } from './declaration.ts'
import type { Member } from './member.ts'
import { isRequired } from './read.ts'

/** The fields as OPTIONS shows them (M3). */
export function describeMembers(
  members: readonly Member[],
  request: ApiRequest,
): Readonly<Record<string, FieldInfo>> {
  return Object.fromEntries(
    members
      .filter(({ field }) => field.supply === undefined)
      .map(({ name, field }) => [name, describeField(field, request, labelOf(name))]),
  )
}

export function describeField(field: AnyField, request: ApiRequest, label: string): FieldInfo {
  const { options, type, facts } = field
  const name = options.label ?? label
  return {
    type,
    required: isRequired(field),
    read_only: options.readOnly ?? false,
    ...(name === '' ? {} : { label: name }),
    ...(options.helpText === undefined ? {} : { help_text: options.helpText }),
    ...facts?.(request),
  }
}

/** `author_name`, `authorName` → `Author name`. */
function labelOf(name: string): string {
  const words = name.replace(/(?<=[a-z\d])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  const text = words.replaceAll('_', ' ').trim()
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

const LIMITS = {
  maxDigits: 'max_digits',
  decimalPlaces: 'decimal_places',
  min: 'min_value',
  max: 'max_value',
  minLength: 'min_length',
  maxLength: 'max_length',
} as const

export function limitFacts(options: object): FieldFacts {
  const set = options as Readonly<Record<string, string | number | bigint | undefined>>
  return Object.fromEntries(
    Object.entries(LIMITS)
      .filter(([option]) => set[option] !== undefined)
      .map(([option, name]) => [name, toFact(set[option]!)]),
  )
}

/** OPTIONS is JSON for all kinds of clients: a number where it is exact, else its digits. */
function toFact(limit: string | number | bigint): string | number {
  if (typeof limit !== 'bigint') return limit
  return Number.isSafeInteger(Number(limit)) ? Number(limit) : String(limit)
}
