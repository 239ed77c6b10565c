import { basename } from 'node:path'
import type { Case, Failure } from './data/replay.mjs'
import type { Judged, Verdict } from './judge.ts'

type Outcome = Verdict['outcome']

export const count = (judged: readonly Judged[], ...outcomes: readonly Outcome[]): number =>
  judged.filter(({ verdict }) => outcomes.includes(verdict.outcome)).length

/** What to say about a case while it runs; `null`: nothing. */
export function lineOf({ testCase, verdict }: Judged): string | null {
  const { id, reason = '' } = testCase
  if (verdict.outcome === 'better') return `BETTER ${id} (than the reference)`
  if (verdict.outcome === 'differs') return `DIFFERS ${id} (allowed: ${reason})`
  if (verdict.outcome === 'waiting') return `WAITING ${id}`
  return verdict.outcome === 'failed' ? failureOf(testCase, verdict.failure) : null
}

function failureOf({ id, rule }: Case, { step, what, problems, response }: Failure): string {
  const seen = problems
    .slice(0, 8)
    .flatMap(({ at, expected, actual }) => [
      `     at ${at}:`,
      `       - expected ${show(expected)}`,
      `       + actual   ${show(actual)}`,
    ])
  const answer =
    response === undefined ? [] : [`     answer: ${response.status} ${clip(response.text)}`]
  return [
    `FAIL ${id}`,
    `     rule: ${rule}`,
    `     step ${step}: ${what}`,
    ...seen,
    ...answer,
  ].join('\n')
}

const show = (value: unknown): string =>
  value === undefined ? '(absent)' : clip(JSON.stringify(value))
const clip = (text: string): string => (text.length > 400 ? `${text.slice(0, 400)}…` : text)

/** One line a file: what passed, failed, waits, and differs where it may. */
export function tableOf(judged: readonly Judged[]): string[] {
  const files = Map.groupBy(judged, ({ testCase }) => basename(testCase.file, '.json'))
  return [row('', 'passed', 'failed', 'waiting', 'differs'), ...[...files].map(rowOfFile)]
}

function rowOfFile([file, judged]: readonly [string, readonly Judged[]]): string {
  return row(
    file,
    count(judged, 'passed', 'better'),
    count(judged, 'failed'),
    count(judged, 'waiting'),
    count(judged, 'differs'),
  )
}

function row(file: string, ...cells: readonly (string | number)[]): string {
  return file.padEnd(24) + cells.map((cell) => String(cell).padStart(9)).join('')
}
