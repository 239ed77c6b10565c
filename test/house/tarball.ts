// The package as it is installed from its tarball, outside of the repository.
import { execFile, execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Manifest } from '../../scripts/manifest.ts'
import { root } from '../../scripts/run.ts'
import { addressesOf } from '../setup/addresses.ts'
import type { Packages } from '../setup/packages.ts'

const execute = promisify(execFile)

/** The published packages, which all tests of a run share. */
export function packages(): Promise<Omit<Packages, 'stop'>> {
  return addressesOf('packages')
}

/** Makes a folder a project with the package and the types of Node. */
export async function makeProject(folder: string): Promise<void> {
  await unpack((await packages()).colophon, folder)
  own('@types/node', join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
}

/** Does the work of `npm install TARBALL` without a registry: dependencies are links to those of the repository. */
export async function unpack(tarball: string, folder: string): Promise<void> {
  const modules = join(folder, 'node_modules')
  const home = join(modules, 'colophon')
  mkdirSync(home, { recursive: true })
  await execute('tar', ['-xzf', tarball, '-C', home, '--strip-components=1'])
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as Manifest
  const { dependencies, peerDependencies, bin } = manifest
  for (const name of Object.keys({ ...dependencies, ...peerDependencies })) own(name, modules)
  mkdirSync(join(modules, '.bin'), { recursive: true })
  for (const [name, file] of Object.entries(bin)) {
    chmodSync(join(home, file), 0o755)
    symlinkSync(join(home, file), join(modules, '.bin', name))
  }
}

/** Links a package of the repository. */
export function own(name: string, modules: string, from = join(root, 'node_modules')): void {
  const path = join(modules, name)
  mkdirSync(dirname(path), { recursive: true })
  // Another package may already have added it.
  if (!existsSync(path)) symlinkSync(join(from, name), path)
}

/** Links the compiler of the repository, with one checker: several would each read the package anew. */
export function ownCompiler(modules: string): void {
  const program = join(modules, '.bin', 'tsc')
  mkdirSync(dirname(program), { recursive: true })
  const compiler = join(root, 'node_modules/.bin/tsc')
  writeFileSync(program, `#!/bin/sh\nexec '${compiler}' "$@" --checkers 1\n`, { mode: 0o755 })
}

const LIST = join(root, 'test/house/peers')

/**
 * Links the packages that recipes need, such as Express. They are not dependencies of the repository: npm installs them on
 * first use, and they stay in the cache of node_modules.
 */
export async function ownPeers(modules: string): Promise<void> {
  const kept = await installed(LIST)
  const { dependencies } = JSON.parse(readFileSync(join(LIST, 'package.json'), 'utf8')) as Manifest
  for (const name of Object.keys(dependencies).filter((each) => !existsSync(join(modules, each))))
    own(name, modules, join(kept, 'node_modules'))
}

/** The folder with the packages of a list, which npm installs on first use. */
export async function installed(list: string): Promise<string> {
  const lock = readFileSync(join(list, 'package-lock.json'))
  const kept = join(root, 'node_modules/.cache', `peers-${hash('sha1', lock).slice(0, 12)}`)
  if (existsSync(kept)) return kept
  mkdirSync(dirname(kept), { recursive: true })
  const made = mkdtempSync(`${kept}-`)
  cpSync(list, made, { recursive: true })
  if (!layOut(String(lock), made))
    await execute('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: made })
  // Another test may have been faster.
  if (existsSync(kept)) rmSync(made, { recursive: true })
  else renameSync(made, kept)
  return kept
}

/** A package of a lock file. */
interface Locked {
  /** The digest of its tarball, if it has one. */
  readonly integrity?: string
  readonly optional?: boolean
  /** The platforms that it supports. */
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
}

/**
 * Does the work of `npm ci` in a fifth of the processor time, if npm's cache has all tarballs of a lock file: one shell unpacks
 * them. False: some are missing, and the folder is unchanged.
 */
function layOut(lock: string, folder: string): boolean {
  const locked = JSON.parse(lock) as { readonly packages: Readonly<Record<string, Locked>> }
  const found = Object.entries(locked.packages)
    .filter(([place]) => place !== '')
    .map(([place, each]) => [place, cached(each.integrity), each] as const)
    .filter(([, tarball, each]) => tarball !== null || !isForOthers(each))
  if (found.some(([, tarball]) => tarball === null)) return false
  for (const [place] of found) mkdirSync(join(folder, place), { recursive: true })
  const lines = found.map(
    ([place, tarball]) =>
      `tar -xzf '${tarball}' -C '${place}' --strip-components=1 --no-same-owner`,
  )
  const input = [...lines, 'chmod -R u+rwX node_modules'].join('\n')
  execFileSync('sh', ['-e'], { cwd: folder, input, stdio: ['pipe', 'ignore', 'pipe'] })
  return true
}

/** Does npm leave the package out? It is for another platform, or optional, like the packages that only it needs. */
function isForOthers({ optional = false, os, cpu, libc }: Locked): boolean {
  const here = [
    [os, process.platform],
    [cpu, process.arch],
    [libc, LIBC],
  ] as const
  const told = here.filter(([platforms]) => platforms !== undefined)
  return optional && !(told.length > 0 && told.every(([list, name]) => list!.includes(name)))
}

const { header } = process.report.getReport() as { readonly header: object }
const LIBC = 'glibcVersionRuntime' in header ? 'glibc' : 'musl'
const CACHE = process.env['npm_config_cache'] ?? join(homedir(), '.npm')

/** The tarball with this digest in the cache of npm; `null`: the cache does not have it. */
function cached(integrity = ''): string | null {
  const digest = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex')
  const parts = [digest.slice(0, 2), digest.slice(2, 4), digest.slice(4)]
  const path = join(CACHE, '_cacache/content-v2/sha512', ...parts)
  if (digest.length !== 128 || !existsSync(path)) return null
  return hash('sha512', readFileSync(path)) === digest ? path : null
}
