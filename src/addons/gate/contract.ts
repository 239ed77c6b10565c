// The contract of a service: a document for each version, in files, and the log of their changes.
import { type Change, changeOf } from './change.ts'
import { compareDocuments } from './documents.ts'
import { momentIn } from './operations.ts'
import { type Json, fitsPattern, isJsonObject } from './view.ts'

/** Documents by the names of their versions; '' is that of a service without versions. */
export type Documents = ReadonlyMap<string, Json>

export interface VersionChanges {
  readonly version: string
  /** A version whose announced end has come may change and go. */
  readonly living: boolean
  readonly changes: readonly Change[]
}

/** The changes between the saved contract and that of the running service, by version. */
export function changesOf(
  saved: Documents,
  running: Documents,
  now: Date,
): readonly VersionChanges[] {
  const versions = [...new Set([...saved.keys(), ...running.keys()])]
  return versions.map((version) => {
    const [before, after] = [saved.get(version), running.get(version)]
    const living = before === undefined || !hasEnded(before, version, now)
    return { version, living, changes: changesBetween(version, before, after, living, now) }
  })
}

function changesBetween(
  version: string,
  before: Json | undefined,
  after: Json | undefined,
  living: boolean,
  now: Date,
): readonly Change[] {
  const whole = (code: string): readonly Change[] => [changeOf(code, placeOf(version))]
  if (before === undefined) return whole('version-added')
  if (after !== undefined) return compareDocuments(before, after, { now })
  return whole(living ? 'version-removed' : 'version-retired')
}

const placeOf = (version: string): string => (version === '' ? 'service' : `version ${version}`)

/** Has the announced sunset passed? The running service may have a newer one. */
function hasEnded(document: Json, version: string, now: Date): boolean {
  const lives = document['x-versions']
  const own = (Array.isArray(lives) ? (lives as unknown[]) : []).find(
    (each): each is Json => isJsonObject(each) && each['version'] === version,
  )
  const end = momentIn(own?.['sunsetAt'])
  return end !== null && end <= now.getTime()
}

/** The changes that clients of a living version do not survive. */
export function breakingIn({ living, changes }: VersionChanges): readonly Change[] {
  return living ? changes.filter((change) => change.class === 'breaking') : []
}

/** The name under which a change is accepted: `response-property-removed at GET /cities/ answer 200 name`. */
export const nameOf = ({ code, at }: Change): string => `${code} at ${at}`

/** Does a pattern name this change? `*` stands for any text. */
export function isNamed(change: Change, pattern: string): boolean {
  return fitsPattern(nameOf(change), pattern)
}

/** A line of the log. */
export interface LogEntry {
  /** `2026-11-23`, in UTC. */
  readonly date: string
  readonly version: string
  readonly class: Change['class']
  readonly code: string
  readonly at: string
  readonly sentence: string
  /** Why a breaking change was accepted. */
  readonly reason?: string
}

/** The lines of changes; words for people change too often to be worth one. */
export function entriesOf(
  all: readonly VersionChanges[],
  now: Date,
  reason: string | null,
): readonly LogEntry[] {
  const date = now.toISOString().slice(0, 10)
  return all.flatMap((each) => {
    const accepted = new Set(breakingIn(each))
    return each.changes
      .filter((change) => change.class !== 'documentation')
      .map((change) => {
        const { code, at, sentence } = change
        const facts = { date, version: each.version, class: change.class, code, at, sentence }
        return accepted.has(change) && reason !== null ? { ...facts, reason } : facts
      })
  })
}

/** The log as Markdown, newest first. */
export function changelogOf(entries: readonly LogEntry[]): string {
  const days = Map.groupBy(entries, ({ date }) => date)
  const newestFirst = [...days.keys()].toSorted().toReversed()
  const parts = newestFirst.flatMap((date) => [`## ${date}`, ...versionsIn(days.get(date)!)])
  return ['# Changelog of the API', ...(parts.length > 0 ? parts : ['Nothing has changed.'])].join(
    '\n\n',
  )
}

function versionsIn(entries: readonly LogEntry[]): readonly string[] {
  return [...Map.groupBy(entries, ({ version }) => version)].flatMap(([version, some]) => [
    ...(version === '' ? [] : [`### ${version}`]),
    some.map(lineOf).join('\n'),
  ])
}

function lineOf({ class: kind, at, sentence, reason }: LogEntry): string {
  const head = kind === 'breaking' ? '**Breaking:** ' : ''
  return `- ${head}\`${at}\`: ${sentence}${reason === undefined ? '' : ` Accepted: ${reason}`}`
}

/** A document as the text of its file: keys in the order of the alphabet, so that a review shows what changed. */
export function textOfContract(document: Json): string {
  return `${JSON.stringify(sorted(document), null, 2)}\n`
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isJsonObject(value)) return value
  const names = Object.keys(value).toSorted()
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]))
}
