// The package as it is installed from its tarball, in a folder outside of the repository.
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

/** The packages as they are published, which all tests of a run share. */
export function packages(): Promise<Omit<Packages, 'stop'>> {
  return addressesOf('packages')
}

/** Makes a folder a project that has installed the package, with the types of Node. */
export async function makeProject(folder: string): Promise<void> {
  await unpack((await packages()).colophon, folder)
  own('@types/node', join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
}

/** Does what `npm install TARBALL` does, without a registry: what it depends on is linked from the repository. */
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
  // Another package may have brought it along.
  if (!existsSync(path)) symlinkSync(join(from, name), path)
}

/** Puts the compiler of the repository there, with one checker: each of several would read the package anew. */
export function ownCompiler(modules: string): void {
  const program = join(modules, '.bin', 'tsc')
  mkdirSync(dirname(program), { recursive: true })
  const compiler = join(root, 'node_modules/.bin/tsc')
  writeFileSync(program, `#!/bin/sh\nexec '${compiler}' "$@" --checkers 1\n`, { mode: 0o755 })
}

const LIST = join(root, 'test/house/peers')

/**
 * Links the packages that recipes stand beside, such as Express. They are no dependencies of the repository: npm
 * installs them when they are first asked for, and they stay in the cache of node_modules.
 */
export async function ownPeers(modules: string): Promise<void> {
  const kept = await installed(LIST)
  const { dependencies } = JSON.parse(readFileSync(join(LIST, 'package.json'), 'utf8')) as Manifest
  for (const name of Object.keys(dependencies).filter((each) => !existsSync(join(modules, each))))
    own(name, modules, join(kept, 'node_modules'))
}

/** The folder in which the packages of a list are; npm puts them there when they are first asked for. */
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
  /** Of its tarball, where it has one. */
  readonly integrity?: string
  readonly optional?: boolean
  /** The platforms that it is for. */
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
}

/**
 * Does what `npm ci` does where npm has all tarballs of a lock file in its cache, for a fifth of the processor time: one
 * shell unpacks them. False: some are not there, and nothing was done.
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

/** What npm leaves out: it is for other platforms, or for no platform and optional, as is what only such packages need. */
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

/** The tarball with such a digest in the cache of npm, as it was published; `null`: it is not there. */
function cached(integrity = ''): string | null {
  const digest = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex')
  const parts = [digest.slice(0, 2), digest.slice(2, 4), digest.slice(4)]
  const path = join(CACHE, '_cacache/content-v2/sha512', ...parts)
  if (digest.length !== 128 || !existsSync(path)) return null
  return hash('sha512', readFileSync(path)) === digest ? path : null
}
