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

/** An address that they could be published from. */
export const REPOSITORY = 'https://git.example.org/colophon/colophon'

/** Builds and packs both, which no two tests have to wait for. Whether the types fit is a step of `npm run check`. */
export async function makePackages(): Promise<Packages> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-packages-'))
  return {
    creator: await packCreator(folder, REPOSITORY),
    colophon: await pack(folder, REPOSITORY, '--noCheck'),
    stop: async () => rmSync(folder, { recursive: true }),
  }
}
