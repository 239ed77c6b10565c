// Replays the cases against the service: --data DIR (conformance/data), --only REGEX, --documents: holds each answer
// to the OpenAPI document of its version.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DATA } from './data.ts'
import { type Recorded, hold, record } from './documents.ts'
import { loadCases } from './data/replay.mjs'
import { type Exceptions, type Judged, complaintsAbout, judge, readExceptions } from './judge.ts'
import { count, lineOf, tableOf } from './report.ts'
import { startService } from './service-process.ts'

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: DATA },
    only: { type: 'string', default: '' },
    documents: { type: 'boolean', default: false },
  },
})

const asked = new RegExp(values.only)
const cases = loadCases([join(values.data, 'cases')]).filter(({ id }) => asked.test(id))
const exceptions = exceptionsAmongAsked()
const recorded = values.documents ? record() : null
const service = await startService(values.data)
let tally: Tally
try {
  tally = report(await judgeAll(service.url))
} finally {
  await service.stop()
  recorded?.stop()
}
if (recorded !== null) tally = sum(tally, await reportDocuments(recorded))
console.log(`${tally.passed} passed, ${tally.failed} failed`)
process.exitCode = tally.failed === 0 ? 0 : 1

interface Tally {
  readonly passed: number
  readonly failed: number
}

function sum(one: Tally, other: Tally): Tally {
  return { passed: one.passed + other.passed, failed: one.failed + other.failed }
}

async function reportDocuments({ answers }: Recorded): Promise<Tally> {
  const { fits, schemas, notDescribed, crashes, complaints } = await hold(answers, values.data)
  for (const complaint of complaints) console.log(complaint)
  console.log(
    `${answers.length} answers: ${fits} fit the document of their version, ${schemas} of them a schema,`,
  )
  console.log(`${notDescribed} are of no operation, ${crashes} of handlers that crash on purpose.`)
  return { passed: fits, failed: complaints.length }
}

/** Our lists speak of our cases; of others, those may differ that say so. */
function exceptionsAmongAsked(): Exceptions {
  if (values.data !== DATA) return { waiting: [], differing: null }
  const { waiting, differing } = readExceptions()
  const isAsked = (id: string): boolean => asked.test(id)
  return { waiting: waiting.filter(isAsked), differing: differing?.filter(isAsked) ?? null }
}

async function judgeAll(url: string): Promise<readonly Judged[]> {
  const judged: Judged[] = []
  for (const testCase of cases) {
    // One after the other: all cases share one world.
    const verdict = await judge(url, testCase, exceptions)
    judged.push({ testCase, verdict })
    const line = lineOf({ testCase, verdict })
    if (line !== null) console.log(line)
  }
  return judged
}

function report(judged: readonly Judged[]): Tally {
  const complaints = complaintsAbout(cases, judged, exceptions)
  const passed = count(judged, 'passed', 'better')
  const failed = count(judged, 'failed') + complaints.length
  console.log(`\n${tableOf(judged).join('\n')}\n`)
  for (const complaint of complaints) console.log(complaint)
  console.log(
    `${judged.length} of ${cases.length} cases were judged, ${count(judged, 'waiting')} wait.`,
  )
  return { passed, failed }
}
