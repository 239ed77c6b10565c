import { type Case, type Failure, runCase } from './data/replay.mjs'

/** How a case ended. `differs` is allowed (SERVICE §8.6), `better` counts as passed. */
export type Verdict =
  | { readonly outcome: 'passed' | 'better' | 'differs' | 'waiting' }
  | { readonly outcome: 'failed'; readonly failure: Failure }

/** Replays one case. */
export async function judge(url: string, testCase: Case): Promise<Verdict> {
  const failure = await runCase(url, testCase)
  if (failure === null) return { outcome: 'passed' }
  const { better, differs_ok: mayDiffer } = testCase
  if (better !== undefined && (await runCase(url, { ...testCase, steps: better })) === null) {
    return { outcome: 'better' }
  }
  return mayDiffer ? { outcome: 'differs' } : { outcome: 'failed', failure }
}
