import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pack, packCreator } from '../../scripts/build.ts'
import type { Running } from '../../scripts/servers/run-server.ts'
import { unpack } from '../house/tarball.ts'

/** Paths of the tarballs for publishing. */
export interface Packages extends Running {
  readonly colophon: string
  readonly creator: string
  /** The folder of the first one's installation: programs in folders beside `node_modules` find it. */
  readonly home: string
}

/** The address of a repository for publishing. */
export const REPOSITORY = 'https://git.example.org/colophon/colophon'

/** Builds and packs both packages once for all tests. `npm run check` checks the types. */
export async function makePackages(): Promise<Packages> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-packages-'))
  const creator = await packCreator(folder, REPOSITORY)
  const colophon = await pack(folder, REPOSITORY, '--noCheck')
  const project = join(folder, 'project')
  await unpack(colophon, project)
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  return {
    creator,
    colophon,
    home: join(project, 'node_modules/colophon'),
    stop: async () => rmSync(folder, { recursive: true }),
  }
}
