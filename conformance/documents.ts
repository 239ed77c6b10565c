// Holds every answer of a run to the OpenAPI document of its version: `node conformance/run.ts --documents`.
import type { PlainRequest } from 'colophon/types'
import { type ContractJudge, contractJudge } from 'colophon/openapi'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEntries, readWorld } from './data.ts'
import { Client } from './data/replay.mjs'
import { configured, createService } from './service.ts'
import { createWorld } from './world.ts'

type Exchange = InstanceType<typeof Client>['exchange']
type Answer = Awaited<ReturnType<Exchange>>

interface Asked {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
}

/** What came of an answer; a text is what is wrong with it. */
type Finding = 'fits' | 'fits its schema' | 'not described' | 'crash' | { readonly wrong: string }

/** Whatever is sent until then. */
export interface Recorded {
  readonly answers: readonly (readonly [Asked, Answer])[]
  stop(): void
}

/** Listens to every exchange of the replay. */
export function record(): Recorded {
  const answers: (readonly [Asked, Answer])[] = []
  const send = Client.prototype.exchange
  const listening: Exchange = async function (this: InstanceType<typeof Client>, ...sent) {
    const answer = await send.apply(this, sent)
    const [method, target, headers] = sent
    answers.push([{ method, target, headers: headers as Asked['headers'] }, answer])
    return answer
  }
  Client.prototype.exchange = listening
  return { answers, stop: () => void (Client.prototype.exchange = send) }
}

/** How many answers fit, and what is wrong with the others, as sentences. */
export interface Report {
  readonly fits: number
  /** Of these, with a body whose schema asks for something. */
  readonly schemas: number
  readonly notDescribed: number
  readonly crashes: number
  readonly complaints: readonly string[]
}

/** Asks a service of its own which endpoint and version each request has; no handler is run. */
export async function hold(recorded: Recorded['answers'], data: string): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-documents-'))
  const configuration = configured({ DATABASE_URL: `sqlite:${join(folder, 'library.sqlite')}` })
  const world = await createWorld(configuration, readWorld(data))
  try {
    const app = createService({ entries: readEntries(data), world, configuration })
    const judge = await contractJudge(app)
    const findings: Finding[] = []
    for (const [asked, answer] of recorded) findings.push(await judged(judge, asked, answer))
    return summed(findings)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function summed(findings: readonly Finding[]): Report {
  const count = (wanted: Finding): number => findings.filter((each) => each === wanted).length
  const wrong = findings.flatMap((each) => (typeof each === 'object' ? each.wrong : []))
  return {
    fits: count('fits') + count('fits its schema'),
    schemas: count('fits its schema'),
    notDescribed: count('not described'),
    crashes: count('crash'),
    complaints: [...new Set(wrong)],
  }
}

async function judged(judge: ContractJudge, asked: Asked, answer: Answer): Promise<Finding> {
  const { status, text, headers } = answer
  const header = (name: string): string | null => textOf(headers[name.toLowerCase()])
  const verdict = await judge.judge(requestOf(asked), { status, text, header })
  const { method, target } = asked
  if (verdict.operation === null)
    return isMissed(asked, answer) ? { wrong: `${method} ${target} is missing` } : 'not described'
  if (status === 500) return 'crash'
  if (verdict.problem !== null) return { wrong: verdict.problem }
  return verdict.hasSchema ? 'fits its schema' : 'fits'
}

/** As far as it decides on endpoint and version. */
function requestOf({ method, target, headers }: Asked): PlainRequest {
  const all = new Map(Object.entries(headers).map(([name, text]) => [name.toLowerCase(), text]))
  const header = (name: string): string | null => all.get(name) ?? null
  const environ = { REMOTE_ADDR: '127.0.0.1' }
  return { method, target, scheme: 'http', environ, body: null, header }
}

function textOf(value: string | readonly string[] | null | undefined): string | null {
  return value === undefined || value === null ? null : String(value)
}

/** Pages for people, OPTIONS and what is refused stand in no document. */
function isMissed({ method }: Asked, { status, headers }: Answer): boolean {
  return (
    method !== 'OPTIONS' && status < 300 && !String(headers['content-type']).startsWith('text/html')
  )
}
