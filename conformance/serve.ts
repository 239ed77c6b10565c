// Serves the conformance service: PORT (8000), DATABASE_URL (a temporary file), MESSAGES (JSON), --data DIR (conformance/data).
import { serve } from 'colophon/node'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Waiting } from './assemble.ts'
import { DATA } from './data.ts'
import { createService } from './service.ts'

const { values } = parseArgs({ options: { data: { type: 'string', default: DATA } } })
const { PORT = '8000', DATABASE_URL, MESSAGES } = process.env

const databaseUrl = DATABASE_URL || temporaryDatabase()
const { app, total, registered, waiting } = await createService({
  data: values.data,
  databaseUrl,
  messages: MESSAGES ? JSON.parse(MESSAGES) : null,
})
console.log(`${registered} of ${total} endpoints are registered.`)
for (const line of summaryOf(waiting)) console.log(line)
const server = await serve(app, { port: Number(PORT) })
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop())
console.log(`Ready: ${server.url}`)

async function stop(): Promise<void> {
  await server.close()
  process.exit()
}

function temporaryDatabase(): string {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-conformance-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return `sqlite:${join(folder, 'library.sqlite')}`
}

/** How many paths wait for each part, most first. A path that waits for two is counted at both. */
function summaryOf(all: readonly Waiting[]): string[] {
  const parts = all.flatMap((each) => each.parts)
  const counts = [...Map.groupBy(parts, (part) => part)].map(([part, { length }]) => ({
    part,
    length,
  }))
  const most = counts.toSorted((a, b) => b.length - a.length)
  return most.map(({ part, length }) => `${String(length).padStart(5)} wait for ${part}`)
}
