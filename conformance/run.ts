// Replays the cases against the service: --data DIR (conformance/data), --only REGEX.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DATA } from './data.ts'
import { type Case, loadCases } from './data/replay.mjs'
import { judge } from './judge.ts'
import { type Judged, count, lineOf, tableOf } from './report.ts'
import { startService } from './service-process.ts'
import { type IsWaiting, waitingAt } from './waiting.ts'

const { values } = parseArgs({
  options: { data: { type: 'string', default: DATA }, only: { type: 'string', default: '' } },
})

const service = await startService(values.data)
try {
  report(await judgeAll(service.url, await waitingAt(service.url)))
} finally {
  await service.stop()
}

async function judgeAll(url: string, isWaiting: IsWaiting): Promise<readonly Judged[]> {
  const judged: Judged[] = []
  for (const testCase of casesAskedFor()) {
    // One after the other: all cases share one world.
    const verdict = isWaiting(testCase)
      ? ({ outcome: 'waiting' } as const)
      : await judge(url, testCase)
    judged.push({ testCase, verdict })
    const line = lineOf({ testCase, verdict })
    if (line !== null) console.log(line)
  }
  return judged
}

function casesAskedFor(): readonly Case[] {
  const only = new RegExp(values.only)
  return loadCases([join(values.data, 'cases')]).filter(({ id }) => only.test(id))
}

function report(judged: readonly Judged[]): void {
  const passed = count(judged, 'passed') + count(judged, 'better')
  const failed = count(judged, 'failed')
  console.log(`\n${tableOf(judged).join('\n')}\n`)
  const waiting = count(judged, 'waiting')
  console.log(`${waiting} cases wait for parts that are missing.`)
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed + waiting > 0 || passed === 0 ? 1 : 0
}
