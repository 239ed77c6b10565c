// The first five minutes: `npm create colophon` in an empty folder, with the published packages, from a registry that has them.
// Every line is typed as in the documents.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { buildCreator } from '../../scripts/build.ts'
import { readManifest, toPublished } from '../../scripts/manifest.ts'
import { type Finished, lineOf } from '../tools/cli/colophon.ts'
import { emptyDatabaseUrl } from '../setup/databases.ts'
import { REPOSITORY } from '../setup/packages.ts'
import { type Registry, manifestIn, startRegistry } from './registry.ts'
import { THRIFTY } from '../../scripts/run.ts'
import { freePort } from '../../scripts/servers/run-server.ts'
import { own, ownCompiler, ownPeers, packages, unpack } from './tarball.ts'

/** A slow line downloads this in a second. */
const MOST_BYTES = 1_200_000

const ground = mkdtempSync(join(tmpdir(), 'colophon-create-'))
const cache = join(ground, 'cache')
let tarballs: readonly string[] = []
let registry: Registry

beforeAll(async () => {
  mkdirSync(cache)
  // The cache has earlier downloads, but no facts about these packages.
  symlinkSync(join(await cacheOfNpm(), '_cacache'), join(cache, '_cacache'))
  writeFileSync(join(ground, 'npmrc'), '')
  const { creator, colophon } = await packages()
  tarballs = [creator, colophon]
  registry = await startRegistry(tarballs, [
    'package-lock.json',
    'test/house/peers/package-lock.json',
  ])
})
afterAll(async () => {
  await registry.close()
  rmSync(ground, { recursive: true, force: true })
})

const POSTGRES = { DATABASE_URL: () => emptyDatabaseUrl('postgres') }

describe.each([
  { typed: '', first: { notes: '/notes/' }, files: ['tables.ts', '.gitignore', 'Dockerfile'] },
  { typed: ' -- --template minimal', first: { hello: '/hello/world/' }, files: ['app.ts'] },
  { typed: ' -- --template beside-express', first: null, files: ['web.ts', 'tables.ts'] },
  {
    typed: ' -- --database postgres',
    first: { notes: '/notes/' },
    files: ['compose.yaml', '.env', '.env.example'],
    more: POSTGRES,
  },
])('npm create colophon@latest notes$typed', ({ typed, first, files, more }) => {
  test.concurrent('is a service that passes its tests and answers', async () => {
    const folder = mkdtempSync(join(ground, 'empty-'))
    const environment = more && { DATABASE_URL: await more.DATABASE_URL() }
    const type = (line: string, cwd = join(folder, 'notes')) => typeIn(line, cwd, environment)
    const created = await type(`npm create colophon@latest notes${typed}`, folder)
    expect(created.complaint).not.toContain('Error')
    expect(readdirSync(join(folder, 'notes'))).toEqual(expect.arrayContaining(files))
    // The registry and the requested versions are the same in each case, so one real installation is enough.
    if (typed === '') await type('npm install')
    else await link(join(folder, 'notes'))
    const tested = await type('npm test')
    expect(tested.output).toMatch(/^ℹ pass [1-9]$[^]*^ℹ fail 0$/m)
    // The output has results, and no lines of the log between them.
    expect(tested.output + tested.complaint).not.toMatch(/"level"|event:|"event"/)
    await type('npm run types')
    const { url, output } = await start(join(folder, 'notes'), environment)
    expect(output).toContain('Listening on')
    await expectFirstPage(url, first)
  })
})

/** Does the work of `npm install`, with packages of this machine. */
async function link(project: string): Promise<void> {
  const text = readFileSync(join(project, 'package.json'), 'utf8')
  const { dependencies, devDependencies } = JSON.parse(text) as Record<string, object>
  const modules = join(project, 'node_modules')
  await unpack((await packages()).colophon, project)
  await ownPeers(modules)
  for (const name of Object.keys({ ...dependencies, ...devDependencies }))
    if (!existsSync(join(modules, name))) own(name, modules)
  ownCompiler(modules)
}

/** Expects the first page, for programs and for browsers. */
async function expectFirstPage(
  url: string,
  first: Readonly<Record<string, string>> | null,
): Promise<void> {
  const page = await fetch(url, { headers: { accept: 'text/html' } })
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toContain('text/html')
  const html = await page.text()
  if (first === null) return expect(html).toContain('href="/api/notes/"')
  const answer: unknown = await (await fetch(url)).json()
  for (const [name, path] of Object.entries(first)) {
    expect(answer).toEqual({ [name]: `${url}${path}` })
    expect(html).toContain(path)
    expect((await fetch(`${url}${path}`)).status).toBe(200)
  }
}

describe('what it refuses', () => {
  test('a folder that has such files, and changes nothing there', async () => {
    const folder = mkdtempSync(join(ground, 'full-'))
    writeFileSync(join(folder, 'app.ts'), 'mine')
    const { status, complaint } = await typeAny('npm create colophon@latest', folder)
    expect(status).toBe(1)
    expect(complaint).toContain('There is app.ts in')
    expect(readdirSync(folder)).toEqual(['app.ts'])
  })

  test.each(['--database postgres', '--template=minimal'])(
    '%s without the two hyphens, which npm keeps to itself',
    async (options) => {
      const folder = mkdtempSync(join(ground, 'kept-'))
      const { status, complaint } = await typeAny(
        `npm create colophon@latest notes ${options}`,
        folder,
      )
      expect(status).toBe(1)
      expect(complaint).toMatch(/npm took --\w+ for an option of its own\. Write -- before it/)
      expect(readdirSync(folder)).toEqual([])
    },
  )

  test('a Node that is too old: it says which one is needed', async () => {
    const made = () => globSync('_npx/*/node_modules/create-colophon/index.js', { cwd: cache })[0]
    if (made() === undefined)
      await typeIn('npm create colophon@latest notes', mkdtempSync(join(ground, 'new-')))
    const old = encodeURIComponent(
      `Object.defineProperty(process, "versions", { value: { node: "18.20.8" } })`,
    )
    const folder = mkdtempSync(join(ground, 'old-'))
    const line = `node --import 'data:text/javascript,${old}' ${join(cache, made()!)} notes`
    const { status, complaint } = await typeAny(line, folder)
    expect(status).toBe(1)
    expect(complaint).toMatch(/^colophon: This is Node 18\.20\.8\. Colophon needs 24\.15 or newer/)
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('as published, both packages', () => {
  test('have manifests without a fault', async () => {
    const complaints = await Promise.all(tarballs.map(complaintsOfPublint))
    expect(complaints).toEqual([[], []])
  })

  test('have types that lead where the programs lead, for every door', async () => {
    const found = await checkPackage(remembering(readFileSync(tarballs[1]!)))
    if (found.types === false) throw new Error('The package has no types.')
    // The package has only ES modules, which Node from 22.12 on lets CommonJS require.
    const problems = found.problems.filter(({ kind }) => kind !== 'CJSResolvesToESM')
    expect(problems).toEqual([])
    expect(Object.keys(found.entrypoints)).toEqual(expect.arrayContaining(['.', './sqlite']))
  })

  test('say which Node they need, run nothing when they are installed, and are published with provenance', () => {
    const manifests = tarballs.map((path) => manifestIn(path))
    for (const manifest of manifests) {
      const { version, engines } = readManifest()
      expect(manifest).toMatchObject({ version, engines, publishConfig: { provenance: true } })
      for (const key of ['private', 'scripts', 'devDependencies'])
        expect(manifest).not.toHaveProperty(key)
      expect(manifest).toMatchObject({
        author: expect.any(String),
        repository: { type: 'git', url: `git+${REPOSITORY}.git` },
        homepage: `${REPOSITORY}#readme`,
        bugs: `${REPOSITORY}/issues`,
      })
    }
    expect(manifests[0]).toMatchObject({ dependencies: { colophon: readManifest()['version'] } })
  })

  test('are not published where the address of their repository is not known', async () => {
    const publish = async (repository?: string) => {
      const folder = mkdtempSync(join(ground, 'publish-'))
      buildCreator(folder, repository)
      const token = `--${registry.url.replace('http:', '')}/:_authToken=none`
      return typeAny(`npm publish --force --provenance=false '${token}'`, folder)
    }
    expect((await publish()).complaint).toContain('EPRIVATE')
    expect((await publish(REPOSITORY)).status).toBe(0)
    expect(toPublished(readManifest())).toMatchObject({ private: true })
    expect(toPublished(readManifest(), REPOSITORY)).not.toHaveProperty('private')
  })

  test(`weigh ${MOST_BYTES} bytes at most, without pictures, whose places lead to the repository`, () => {
    const path = tarballs[1]!
    expect(statSync(path).size).toBeLessThan(MOST_BYTES)
    const tar = (...args: string[]) => execFileSync('tar', args, { encoding: 'utf8' })
    expect(tar('-tzf', path)).not.toMatch(/\.(?:webp|png|jpg)$/m)
    const readme = tar('-xOzf', path, 'package/README.md')
    const { version } = readManifest()
    expect(readme).toContain(
      `](${REPOSITORY}/blob/v${String(version)}/docs/pictures/page-list-light-1440.webp?raw=true)`,
    )
    expect(readme).toContain('](docs/browsable-api.md)')
  })
})

/** Remembers known folders: the checker asks for those of each file, and each time looks through all files. */
function remembering(tarball: Uint8Array): ReturnType<typeof createPackageFromTarballData> {
  const made = createPackageFromTarballData(tarball)
  const known = new Map<string, boolean>()
  const look = made.directoryExists.bind(made)
  made.directoryExists = (path) => {
    if (!known.has(path)) known.set(path, look(path))
    return known.get(path)!
  }
  return made
}

async function complaintsOfPublint(path: string): Promise<readonly string[]> {
  const tarball = new Uint8Array(readFileSync(path)).buffer
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true })
  return messages.map((message) => formatMessage(message, pkg)!)
}

test('README and quickstart have the lines that were typed', () => {
  const lines = 'npm create colophon@latest notes\ncd notes\nnpm install\nnpm test\nnpm start'
  const pages = ['README.md', 'docs/quickstart.md', 'create-colophon/README.md']
  const text = (page: string) => readFileSync(page, 'utf8').replaceAll(/ +#.*$/gm, '')
  expect(pages.filter((page) => !text(page).includes(lines))).toEqual([])
})

test('the templates ask for the versions that are tested here', () => {
  const wanted = globSync('projects/*/manifest.json').flatMap((file) => {
    const part = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, string>>
    return Object.entries({ ...part['dependencies'], ...part['devDependencies'] })
  })
  const tested = ['package.json', 'test/house/peers/package.json'].map(
    (file) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, string>>,
  )
  const versions = Object.assign(
    {},
    ...tested.flatMap(({ dependencies, devDependencies }) => [dependencies, devDependencies]),
  ) as Record<string, string>
  expect(wanted.length).toBeGreaterThan(3)
  expect(wanted).toEqual(wanted.map(([name]) => [name, `^${versions[name]}`]))
})

/** Types a line, which must succeed. */
async function typeIn(line: string, cwd: string, environment?: Environment): Promise<Finished> {
  const finished = await typeAny(line, cwd, environment)
  if (finished.status !== 0) throw new Error(`$ ${line}\n${finished.output}${finished.complaint}`)
  return finished
}

async function typeAny(line: string, cwd: string, environment?: Environment): Promise<Finished> {
  const child = spawn('sh', ['-c', line], { cwd, env: environmentOf(environment) })
  child.stdin.end()
  const texts = { output: '', complaint: '' }
  child.stdout.on('data', (text) => (texts.output += String(text)))
  child.stderr.on('data', (text) => (texts.complaint += String(text)))
  const [status] = (await once(child, 'close')) as [number]
  return { status, ...texts }
}

/** Runs `npm start` until the end of the test. */
async function start(
  cwd: string,
  environment?: Environment,
): Promise<{ readonly url: string; readonly output: string }> {
  const env = environmentOf({ ...environment, PORT: String(await freePort()) })
  // A group of processes, as for Ctrl-C.
  const child = spawn('npm', ['start'], { cwd, env, detached: true })
  onTestFinished(async () => {
    const closed = once(child, 'close')
    process.kill(-child.pid!, 'SIGINT')
    await closed
  })
  const [output, url] = await lineOf(child, /Listening on (\S+)\n/)
  return { url: url!, output }
}

type Environment = Readonly<Record<string, string>>

/** The environment of a new terminal, with cheaper programs, and without variables of the tests or of npm. */
function environmentOf(environment: Environment = {}): Environment {
  return {
    ...THRIFTY,
    HOME: ground,
    PATH: `${resolve('node_modules/.bin')}${delimiter}${process.env['PATH']}`,
    npm_config_cache: cache,
    npm_config_registry: registry.url,
    npm_config_replace_registry_host: 'never',
    npm_config_userconfig: join(ground, 'npmrc'),
    ...environment,
  }
}

async function cacheOfNpm(): Promise<string> {
  const child = spawn('npm', ['config', 'get', 'cache'])
  const [, path] = await lineOf(child, /^(.+)\n/)
  return path!
}
