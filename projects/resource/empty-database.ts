import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An empty database for one file of tests. */
export async function emptyDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'test-'))
  return {
    url: `sqlite:${join(folder, 'test.sqlite')}`,
    drop: () => rm(folder, { recursive: true }),
  }
}
