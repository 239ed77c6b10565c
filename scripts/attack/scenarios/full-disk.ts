import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Scenario } from '../scenario.ts'
import type { Service } from '../service.ts'
import { AUTHORIZED, type Stage, tally, told } from '../stage.ts'
import { ask } from '../tools/ask.ts'

const [SIZE, LEFT, WRITES] = [64_000_000, 400_000, 1500]

/** On a full disk, reading goes on and stored data stays whole. */
export const fullDisk: Scenario = {
  name: 'full-disk',
  sends: `POSTs until a tmpfs of ${SIZE / 1e6} MB is full, and some more`,
  async run(stage) {
    const disk = mkdtempSync(join(tmpdir(), 'colophon-attack-disk-'))
    try {
      // Only root may mount; a refusal is reported as a failure.
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', disk], { stdio: 'pipe' })
      await onDisk(stage, disk).finally(() => execFileSync('umount', [disk]))
    } finally {
      rmSync(disk, { recursive: true })
    }
  },
}

async function onDisk(stage: Stage, disk: string): Promise<void> {
  const path = await stage.world.sqliteFile(disk)
  const service = await stage.start(stage.world.keys(`sqlite:${path}`))
  const filler = join(disk, 'filler')
  const { bavail, bsize } = statfsSync(disk)
  await stage.measure(
    service,
    async () => {
      writeFileSync(filler, Buffer.alloc(bavail * bsize - LEFT))
      await fill(stage, service)
      rmSync(filler)
      const again = await write(service, 'again')
      stage.expect(`With room, writing works again (${again}).`, again === 201)
    },
    { probe: '/cities/1/', headers: AUTHORIZED },
  )
  await service.stop()
  const database = new DatabaseSync(path)
  const check = database.prepare('pragma integrity_check').get()
  database.close()
  stage.expect('The database is intact.', check?.['integrity_check'] === 'ok')
}

async function fill(stage: Stage, service: Service): Promise<void> {
  const statuses: number[] = []
  for (let i = 0; i < WRITES; i++) {
    statuses.push(await write(service, `note-${i}`))
    if (statuses.filter((status) => status !== 201).length >= 20) break
  }
  stage.note(`writes: ${told(tally(statuses))}`)
  stage.expect(
    'The disk is full at last.',
    statuses.some((status) => status !== 201),
  )
  stage.expect(
    'A full disk is 503.',
    statuses.every((status) => [201, 503].includes(status)),
  )
}

async function write({ url }: Service, slug: string): Promise<number> {
  const json = { slug, text: 'x'.repeat(1000) }
  return (await ask(`${url}/notes/`, { method: 'POST', headers: AUTHORIZED, json })).status
}
