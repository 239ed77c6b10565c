import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pack, packCreator } from '../../scripts/build.ts'
import type { Running } from '../../scripts/servers/run-server.ts'

/** Paths of tarballs as they are published. */
export interface Packages extends Running {
  readonly colophon: string
  readonly creator: string
}

/** Builds and packs both: most of it is work of the compiler, which no two tests have to wait for. */
export async function makePackages(): Promise<Packages> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-packages-'))
  return {
    creator: await packCreator(folder),
    colophon: await pack(folder),
    stop: async () => rmSync(folder, { recursive: true }),
  }
}
