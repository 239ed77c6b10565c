import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pack, packCreator } from '../../scripts/build.ts'
import type { Running } from '../../scripts/servers/run-server.ts'
import { unpack } from '../house/tarball.ts'

/** Paths of tarballs as they are published. */
export interface Packages extends Running {
  readonly colophon: string
  readonly creator: string
  /** Where the first is installed: programs in a folder beside `node_modules` find it. */
  readonly home: string
}

/** An address that they could be published from. */
export const REPOSITORY = 'https://git.example.org/colophon/colophon'

/** Builds and packs both, which no two tests have to wait for. Whether the types fit is a step of `npm run check`. */
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
