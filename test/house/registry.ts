// A registry of npm with our packages from their tarballs, and with all packages that they and the templates need, in the
// versions of the lock files. `npm ci` has put those tarballs into npm's cache.
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The facts that npm reads about a version of a package. */
interface Release {
  readonly name: string
  readonly version: string
  readonly dist: { readonly tarball: string; readonly integrity: string }
}

/** A package of a lock file, with its dependencies. */
interface Locked {
  readonly name?: string
  readonly version: string
  readonly integrity?: string
}

export interface Registry {
  readonly url: string
  close(): Promise<void>
}

/** Starts the registry; `locks` and `tarballs` are paths. */
export async function startRegistry(
  tarballs: readonly string[],
  locks: readonly string[],
): Promise<Registry> {
  let packages = new Map<string, readonly Release[]>()
  const server = createServer(({ url = '' }, response) => {
    const name = decodeURIComponent(url.slice(1))
    const tarball = tarballs.find((path) => path.endsWith(`/${name}`))
    const releases = packages.get(name)
    // npm's cache must not keep the answers.
    response.setHeader('Cache-Control', 'no-store')
    if (tarball !== undefined) response.end(readFileSync(tarball))
    else if (releases !== undefined) response.end(JSON.stringify(documentOf(name, releases)))
    else response.writeHead(404).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const releases = [
    ...tarballs.map((path) => packed(path, url)),
    ...locks.flatMap((path) => locked(path)),
  ]
  packages = Map.groupBy(releases, ({ name }) => name)
  return {
    url,
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function documentOf(name: string, releases: readonly Release[]): object {
  const versions = Object.fromEntries(releases.map((release) => [release.version, release]))
  return { name, 'dist-tags': { latest: releases[0]!.version }, versions }
}

/** The manifest of a packed package. */
export function manifestIn(path: string): object {
  const text = execFileSync('tar', ['-xOzf', path, 'package/package.json'], { encoding: 'utf8' })
  return JSON.parse(text) as object
}

function packed(path: string, url: string): Release {
  const integrity = `sha512-${hash('sha512', readFileSync(path), 'base64')}`
  return {
    ...(manifestIn(path) as Release),
    dist: { tarball: `${url}/${path.split('/').at(-1)}`, integrity },
  }
}

/** The packages of a lock file. Those at the top come first, because people ask for them by name. */
function locked(path: string): Release[] {
  const { packages } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>
  }
  return Object.entries(packages)
    .toSorted(([one], [other]) => one.split('/').length - other.split('/').length)
    .flatMap(([place, { integrity, ...release }]) => {
      if (integrity === undefined) return []
      const name = release.name ?? place.split('node_modules/').at(-1)!
      const file = `${name.split('/').at(-1)}-${release.version}.tgz`
      const tarball = `https://registry.npmjs.org/${name}/-/${file}`
      return [{ ...release, name, dist: { tarball, integrity } }]
    })
}
