// Builds deploy/container/Containerfile with buildah, on a base that is made here, and starts what came of it: as root of Linux
// in namespaces of its own, with a root file system that is read-only. No registry of images is asked.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { readManifest } from '../../scripts/manifest.ts'
import { BUILDAH, pathOf } from '../../scripts/servers/programs.ts'
import { freePort } from '../../scripts/servers/run-server.ts'
import { startRegistry } from '../house/registry.ts'
import { packages } from '../house/tarball.ts'
import { lineOf } from '../tools/cli/colophon.ts'

const execute = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'colophon-image-'))
const app = join(folder, 'app')
const SECRET = 'for tests: tN4vQ0xJ8wYcR2mZ6kLpD1s'
afterAll(async () => {
  await buildah('umount', '--all')
  rmSync(folder, { recursive: true, force: true })
})

/** With images of its own. */
async function buildah(...args: readonly string[]): Promise<string> {
  const places = ['--root', join(folder, 'images'), '--runroot', join(folder, 'run')]
  const { stdout } = await execute(await pathOf(BUILDAH), [...places, ...args])
  return stdout.trim()
}

/** What the Containerfile asks of its base: Node, npm, a shell, `env` and their libraries, those of this machine. */
async function makeBase(name: string, registry: string): Promise<void> {
  const container = await buildah('from', 'scratch')
  const to = await buildah('mount', container)
  const copied = `set -e
    npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
    mkdir -p "$to"/bin "$to"/usr/bin "$to"/usr/local/bin "$to"/usr/local/lib "$to"/proc
    mkdir -m 1777 "$to"/tmp
    for file in /bin/sh /usr/bin/env "$node"; do
      cp -Lu --parents $(ldd "$file" | grep -o '/lib[^ ]*') "$to"
    done
    cp -L /bin/sh "$to"/bin
    cp -L /usr/bin/env "$to"/usr/bin
    cp -L "$node" "$to"/usr/local/bin/node
    cp -r "$npm" "$to"/usr/local/lib/npm
    printf '#!/bin/sh\\nexec node /usr/local/lib/npm/bin/npm-cli.js "$@"\\n' > "$to"/usr/local/bin/npm
    chmod 755 "$to"/usr/local/bin/npm`
  await execute('sh', ['-c', copied], { env: { ...process.env, to, node: process.execPath } })
  const env = [
    'PATH=/usr/local/bin:/usr/bin:/bin',
    'npm_config_cache=/npm',
    `npm_config_registry=${registry}`,
    'npm_config_replace_registry_host=never',
    // Optional parts of packages may be out of reach from here, and npm would ask again after ten seconds and after sixty.
    'npm_config_fetch_retry_mintimeout=100',
    'npm_config_fetch_retry_maxtimeout=1000',
  ]
  await buildah('config', ...env.flatMap((each) => ['--env', each]), container)
  await buildah('commit', '--quiet', '--rm', container, name)
}

const PROGRAM = `
import { defineApi, defineUrls } from 'colophon'
import { healthEndpoints, healthUrls } from 'colophon/operations'
import { openDatabase } from 'colophon/sql'
import { writeFileSync } from 'node:fs'
const written = () => {
  try {
    writeFileSync('written', '')
  } catch (error) {
    return error.code
  }
}
const api = defineApi({ urls: defineUrls({ ...healthUrls, me: '/me/' }), database: openDatabase() })
const me = api.endpoint('me').get(() => ({ user: process.getuid(), id: process.pid, write: written() }))
export default api.serve([me, ...healthEndpoints(api)])
`

/** An application as a person has it: its packages in a lock file, from a registry. Gives the folder of npm's tarballs. */
async function makeApplication(): Promise<string> {
  mkdirSync(app)
  const dependencies = { colophon: readManifest().version }
  writeFileSync(join(app, 'package.json'), JSON.stringify({ type: 'module', dependencies }))
  writeFileSync(join(app, 'app.ts'), PROGRAM)
  writeFileSync(join(app, '.containerignore'), 'node_modules\n')
  cpSync('deploy/container/Containerfile', join(app, 'Containerfile'))
  const { stdout } = await execute('npm', ['config', 'get', 'cache'])
  return stdout.trim()
}

test('the Containerfile becomes an image, which starts as no root, as process 1, and writes nothing', async () => {
  const { colophon } = await packages()
  const registry = await startRegistry([colophon], ['package-lock.json'])
  const cache = await makeApplication()
  const locking = ['install', '--package-lock-only', '--no-audit', '--no-fund', '--registry']
  await execute('npm', [...locking, registry.url, '--replace-registry-host', 'never'], { cwd: app })
  await makeBase('localhost/base', registry.url)
  const how = ['--isolation', 'chroot', '--network', 'host', '--volume', `${cache}:/npm`]
  const base = ['--pull=never', '--build-arg', 'BASE=localhost/base']
  await buildah('build', ...how, ...base, '--tag', 'localhost/api', app)
  await registry.close()
  const container = await buildah('from', '--pull=never', 'localhost/api')
  const inspected: unknown = JSON.parse(await buildah('inspect', container))
  const { OCIv1 } = inspected as { readonly OCIv1: { readonly config: Image } }
  const { child, inside, url } = await start(OCIv1.config, await buildah('mount', container))
  expect((await fetch(`${url}/livez`)).status).toBe(200)
  expect(await (await fetch(`${url}/me/`)).json()).toEqual({ user: 1000, id: 1, write: 'EROFS' })
  // What the platform sends to the process with the number 1 of the container.
  const gone = once(child, 'exit')
  process.kill(inside, 'SIGTERM')
  expect(await gone).toEqual([0, null])
})

/** What an image says of how it is started. */
interface Image {
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly WorkingDir: string
  readonly User: string
}

async function start(
  { Env, Entrypoint, WorkingDir, User }: Image,
  from: string,
): Promise<{ readonly child: ChildProcess; readonly inside: number; readonly url: string }> {
  const port = await freePort()
  const keys = [`SECRET_KEY=${SECRET}`, 'DATABASE_URL=sqlite:/tmp/app.sqlite']
  const hosts = ['COLOPHON_ALLOWED_HOSTS=["127.0.0.1"]', `COLOPHON_PORT=${port}`]
  const command = `set -e
    mount --bind "$0" "$0"
    mount -o remount,bind,ro "$0"
    mount -t tmpfs none "$0/tmp"
    mount -t proc none "$0/proc"
    exec chroot --userspec=${User} "$0" /usr/bin/env -i "$@"`
  const program = ['sh', '-c', `cd ${WorkingDir} && exec ${Entrypoint.join(' ')} serve`]
  const child = spawn('unshare', [
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    'sh',
    '-c',
    command,
    from,
    ...Env,
    ...keys,
    ...hosts,
    ...program,
  ])
  const [, url] = await lineOf(child, /Listening on (\S+)/)
  const inside = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8'))
  onTestFinished(() => void (child.exitCode === null && process.kill(inside, 'SIGKILL')))
  return { child, inside, url: url!.replace('0.0.0.0', '127.0.0.1') }
}
