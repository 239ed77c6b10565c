import type { ApiRequest } from '../contract/request.ts'
import type { FieldInfo } from '../contract/serializer.ts'
import type { AnyField } from './declaration.ts'
import type { Member } from './member.ts'
import { isRequired } from './read-member.ts'

/** The fields as OPTIONS tells them (M3). */
export function describeMembers(
  members: readonly Member[],
  request: ApiRequest,
): Readonly<Record<string, FieldInfo>> {
  return Object.fromEntries(
    members.map(({ name, field }) => [name, describeField(field, request, labelOf(name))]),
  )
}

/** One field; `label` is its name for people where it has none of its own. */
export function describeField(field: AnyField, request: ApiRequest, label: string): FieldInfo {
  const { options, type, facts } = field
  return {
    type,
    required: isRequired(field),
    read_only: options.readOnly ?? false,
    label: options.label ?? label,
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
