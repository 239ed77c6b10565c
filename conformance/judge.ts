import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Case, type Failure, runCase } from './data/replay.mjs'

/** How a case ended. `better` counts as passed; one that `differs` may (SERVICE §8.6). */
export type Verdict =
  | { readonly outcome: 'passed' | 'better' | 'differs' }
  | { readonly outcome: 'failed' | 'waiting'; readonly failure: Failure }

export interface Judged {
  readonly testCase: Case
  readonly verdict: Verdict
}

/** Cases that need not pass, by their identifiers. */
export interface Exceptions {
  /** Those of what is not built yet. */
  readonly waiting: readonly string[]
  /** Those that differ, of those that may. `null`: any of them. */
  readonly differing: readonly string[] | null
}

/** The lists in the repository. No line is ever added to them (test/house/conformance.test.ts). */
export function readExceptions(): Exceptions {
  return JSON.parse(
    readFileSync(join(import.meta.dirname, 'exceptions.json'), 'utf8'),
  ) as Exceptions
}

/** Replays one case. */
export async function judge(
  url: string,
  testCase: Case,
  { waiting }: Exceptions,
): Promise<Verdict> {
  const failure = await runCase(url, testCase)
  if (failure === null) return { outcome: 'passed' }
  const { better, differs_ok: mayDiffer, id } = testCase
  if (better !== undefined && (await runCase(url, { ...testCase, steps: better })) === null) {
    return { outcome: 'better' }
  }
  if (mayDiffer) return { outcome: 'differs' }
  return { outcome: waiting.includes(id) ? 'waiting' : 'failed', failure }
}

/** What is wrong with a run beside the cases that failed, as sentences. */
export function complaintsAbout(
  cases: readonly Case[],
  judged: readonly Judged[],
  { waiting, differing }: Exceptions,
): string[] {
  const outcomes = new Map(judged.map(({ testCase, verdict }) => [testCase.id, verdict.outcome]))
  const differ = [...outcomes].filter(([, outcome]) => outcome === 'differs').map(([id]) => id)
  return [
    ...(cases.length === 0 ? ['No case was asked for.'] : []),
    ...cases.filter(({ id }) => !outcomes.has(id)).map(({ id }) => `${id} was not judged.`),
    ...(judged.length === cases.length
      ? []
      : [`${judged.length} of ${cases.length} cases were judged.`]),
    ...differ
      .filter((id) => differing?.includes(id) === false)
      .map((id) => `${id} differs, and is not in the list of those that do.`),
    ...waiting
      .filter((id) => outcomes.get(id) !== 'waiting')
      .map((id) => `${id} does not wait: take it out of exceptions.json.`),
    ...(differing ?? [])
      .filter((id) => outcomes.get(id) !== 'differs')
      .map((id) => `${id} does not differ: take it out of exceptions.json.`),
  ]
}
