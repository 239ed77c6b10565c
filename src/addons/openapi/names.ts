// The names in a document, which stay the same when the service grows.
import type { OperationFacts } from '../../core/types/documents.ts'
import type { DocumentedOperation, Placed } from './endpoint-versions.ts'

/** `v1:city-list` in version v1 → `city-list`: the same in each version. */
export function nameIn({ endpoint: { name }, version }: Placed): string {
  const parts = name.split(':')
  return parts.filter((part, at) => at === parts.length - 1 || part !== version).join(':')
}

/** The subject of each name: `city` for `city-list`, `city-detail`, and for `city-close` beside one of these. */
export function nounsOf(names: readonly string[]): ReadonlyMap<string, string> {
  const bases = new Set(names.flatMap((name) => STANDARD.exec(name)?.[1] ?? []))
  return new Map(names.map((name) => [name, longestAmong(bases, name) ?? name]))
}

/** The longest of these beginnings of the name that ends at a hyphen. */
function longestAmong(bases: ReadonlySet<string>, name: string): string | null {
  for (let at = name.lastIndexOf('-'); at > 0; at = name.lastIndexOf('-', at - 1))
    if (bases.has(name.slice(0, at))) return name.slice(0, at)
  return null
}

const STANDARD = /^(.+)-(?:list|detail)$/

export function operationIdOf({ verb, placed }: DocumentedOperation): string {
  return `${verb}${pascalCase(nameIn(placed))}`
}

/** `library:city-list` → `LibraryCityList`. */
export function pascalCase(name: string): string {
  return name.replace(/(?:^|[^\p{L}\p{M}\p{N}]+)([\p{L}\p{N}]?)/gu, (_, first: string) =>
    first.toUpperCase(),
  )
}

export function tagOf(noun: string): string {
  return noun.replaceAll(/[:_-]+/g, ' ')
}

export function summaryOf(
  { placed, verb, noun }: DocumentedOperation,
  { kind }: OperationFacts,
): string {
  const about = tagOf(noun)
  if (kind !== undefined) return WORDS[kind].replace('…', about)
  const { title } = placed.endpoint
  return verb === 'get' ? title : `${title} (${verb.toUpperCase()})`
}

export function descriptionOf(
  summary: string,
  { noun }: DocumentedOperation,
  { kind }: OperationFacts,
): string {
  return kind === undefined ? `${summary}.` : SENTENCES[kind].replace('…', tagOf(noun))
}

type OfKinds = Readonly<Record<NonNullable<OperationFacts['kind']>, string>>

const SENTENCES: OfKinds = {
  list: 'The … objects that the client may see.',
  create: 'Makes one … object of the body.',
  retrieve: 'The … object that the address names.',
  update: 'Replaces all members of the … object that clients may write.',
  partialUpdate: 'Changes the members of the … object that the body has, and no others.',
  destroy: 'Deletes the … object that the address names.',
}

const WORDS: OfKinds = {
  list: 'List … objects',
  create: 'Create one … object',
  retrieve: 'Show one … object',
  update: 'Replace one … object',
  partialUpdate: 'Change one … object',
  destroy: 'Delete one … object',
}
