// The programs of test servers; missing ones are installed from Debian's packages.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A program, and the Debian packages that contain it. */
export interface Program {
  readonly name: string
  readonly packages: readonly string[]
  /** Folders beside PATH to search, the newest version last. */
  readonly folders?: string
}

/** Builds images of containers without a service. */
export const BUILDAH: Program = { name: 'buildah', packages: ['buildah'] }

/**
 * Installs what is missing of several programs at once: apt reads and unpacks them in half of the time that one after the other
 * takes.
 */
export async function bring(programs: readonly Program[]): Promise<void> {
  const missing = programs.filter((program) => find(program) === null)
  const packages = missing.flatMap((program) => program.packages)
  const name = missing.map((program) => program.name).join(', ')
  if (missing.length > 0) await install({ name, packages })
}

/** The path of a program, which is installed first if it is missing. */
export async function pathOf(program: Program): Promise<string> {
  const found = find(program)
  if (found !== null) return found
  await install(program)
  const installed = find(program)
  if (installed !== null) return installed
  throw new Error(`${program.packages.join(', ')} brought no program named ${program.name}.`)
}

function find({ name, folders }: Program): string | null {
  const own = folders === undefined ? [] : globSync(folders).toSorted(byVersion).toReversed()
  // Servers are in folders that the PATH of other users than root lacks.
  const path = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']
  const files = [...own, ...path].map((folder) => join(folder, name))
  return files.find((file) => existsSync(file)) ?? null
}

function byVersion(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

async function install({ name, packages }: Program): Promise<void> {
  if (process.getuid?.() !== 0) {
    throw new Error(`${name} is missing, and only root can install ${packages.join(', ')}`)
  }
  await inTurn(() =>
    withoutStarting(async () => {
      console.log(`Installing ${packages.join(', ')} for the tests.`)
      if (!isUpdated) await apt(['update'])
      isUpdated = true
      await apt(['install', '-y', '--no-install-recommends', ...packages])
    }),
  )
}

let isUpdated = false
let last: Promise<void> = Promise.resolve()

/** Servers may start at once, but apt does one thing at a time. */
function inTurn(work: () => Promise<void>): Promise<void> {
  return (last = last.then(work, work))
}

/** Runs apt, and waits while another process installs. */
async function apt(args: readonly string[]): Promise<void> {
  const child = spawn('apt-get', ['-o', 'DPkg::Lock::Timeout=300', '-qq', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (log += text))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`apt-get ${args.join(' ')} failed:\n${log}`)
}

/** Debian starts installed servers, unless this file forbids it (man invoke-rc.d). */
const POLICY = '/usr/sbin/policy-rc.d'

async function withoutStarting(work: () => Promise<void>): Promise<void> {
  if (existsSync(POLICY)) return work()
  writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    await work()
  } finally {
    rmSync(POLICY, { force: true })
  }
}
