// Serves the conformance service: PORT (8000), DATABASE_URL (a temporary file), MESSAGES (JSON), --data DIR (conformance/data).
import { serve } from 'colophon/node'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DATA, readEntries, readWorld } from './data.ts'
import { configured, createService } from './service.ts'
import { createWorld } from './world.ts'

const { values } = parseArgs({ options: { data: { type: 'string', default: DATA } } })
const { PORT = '8000', DATABASE_URL, MESSAGES } = process.env

const configuration = configured({
  DATABASE_URL: DATABASE_URL || temporaryDatabase(),
  MESSAGES: MESSAGES ? JSON.parse(MESSAGES) : null,
})
const world = await createWorld(configuration, readWorld(values.data))
const app = createService({ entries: readEntries(values.data), world, configuration })
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
