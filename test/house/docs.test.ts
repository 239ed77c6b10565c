import { execFile } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  blocksOf,
  brokenLinks,
  citedIn,
  linksToDocs,
  pages,
  resolves,
  stepsBefore,
  stepsOf,
  type Block,
} from './docs.ts'
import { violations } from './wings.ts'
import { commandsIn, follow, looksLike } from './session.ts'
import { generatePrisma } from '../storage/prisma/clients.ts'
import { makeProject, own, ownCompiler, ownPeers, packages, unpack } from './tarball.ts'

const execute = promisify(execFile)
const read = (file: string): string => readFileSync(file, 'utf8')
const blocks = pages().flatMap((file) => blocksOf(file, read(file), stepsBefore(file, read)))
const sessions = pages()
  // The last page of the tutorial includes all pages before it.
  .filter((file) => !file.startsWith('docs/tutorial/') || file === 'docs/tutorial/6-production.md')
  // This page needs a database server and a proxy: test/deploy/growing.test.ts follows it.
  .filter((file) => file !== 'docs/operations/growing.md')
  .map((file) => ({ file, steps: [...stepsBefore(file, read), ...stepsOf(read(file))] }))
  .filter(({ steps }) => steps.some(({ path }) => path === null))

/** The compiler settings of the quickstart, and those that the compiler writes itself. */
const PROJECTS = ['tsconfig.json', 'tsconfig.init.json']

describe('with the package as it is installed from its tarball', () => {
  /** The folder of all files that these tests make. */
  const ground = mkdtempSync(join(tmpdir(), 'colophon-docs-'))
  const folder = join(ground, 'blocks')
  const running = blocks.filter(({ runs }) => runs)
  let complaints: readonly string[] = []
  let together: Promise<readonly string[]>
  beforeAll(async () => {
    await prepare(folder)
    lay(folder, blocks)
    together = run(running, folder)
    const found = await Promise.all(PROJECTS.map((project) => typeCheck(folder, project)))
    complaints = [...new Set(found.flat())]
  })
  afterAll(() => rmSync(ground, { recursive: true, force: true }))

  for (const block of blocks) {
    test.concurrent(`${block.file}:${block.line} ${block.runs ? 'runs' : 'compiles'}`, async () => {
      expect(complaintsAbout(block, complaints)).toEqual([])
      expect(violations({ [block.file]: block.code })).toEqual([])
      // A block runs alone only if running all together failed: this finds the cause.
      if (block.runs && (await together).length !== running.length)
        expect(await run([block], folder)).toEqual([nameOf(block)])
    })
  }

  test('those that run end by themselves, and well, one after the other in one process', async () => {
    expect(running.length).toBeGreaterThan(100)
    expect(await together).toEqual(running.map(nameOf))
  })

  for (const { file, steps } of sessions) {
    test.concurrent(`${file} works when it is followed in an empty folder`, async () => {
      const differing = await follow(steps, install)
      expect(differing).toEqual([])
    })
  }

  test('a block that does not compile is found, with its line in the page', async () => {
    const block = { file: 'docs/a.md', line: 7, code: 'let a = 1\na = "one"\n', runs: false }
    const other = join(ground, 'wrong')
    await prepare(other)
    lay(other, [block, { ...block, line: 20, code: 'export const b = await 1\n' }])
    const wrong = await typeCheck(other, PROJECTS[0]!)
    expect(complaintsAbout(block, wrong)).toEqual([
      `docs/a.md:9 error TS2322: Type 'string' is not assignable to type 'number'.`,
    ])
    expect(wrong).toHaveLength(1)
  })

  test('its pages are in it, and their links lead somewhere', () => {
    const home = join(folder, 'node_modules', 'colophon')
    // Links of templates belong to the projects that they become.
    const inside = globSync('**/*.md', { cwd: home, exclude: ['projects/**'] })
    expect(inside).toEqual(expect.arrayContaining(['README.md', 'docs/index.md']))
    const broken = inside.flatMap((page) =>
      brokenLinks(join(home, page), read(join(home, page))).map((link) => `${page}: ${link}`),
    )
    expect(broken).toEqual([])
  })

  test('its declarations cite no numbers of rules, which readers of a hint do not have', () => {
    const home = join(folder, 'node_modules', 'colophon')
    const citing = globSync('**/*.d.ts', { cwd: home }).filter(
      (file) => citedIn(read(join(home, file))).length > 0,
    )
    expect(citing).toEqual([])
  })

  test('it names no place of the machine that made it, in its source maps either', () => {
    const home = join(folder, 'node_modules', 'colophon')
    const files = globSync('**/*.{js,ts,json,map}', { cwd: home })
    expect(files.filter((file) => file.endsWith('.map'))).not.toEqual([])
    const telling = files.filter((file) => read(join(home, file)).includes(resolve('.')))
    expect(telling).toEqual([])
  })
})

describe('a session', () => {
  test('has commands with what they print', () => {
    const text = 'cd a\nnpx b  # one\n# two\ncurl c \\\n  -d e\n# three\n'
    expect(commandsIn(text)).toEqual([
      { line: 'cd a', shown: null },
      { line: 'npx b', shown: 'one\ntwo' },
      { line: 'curl c    -d e', shown: 'three' },
    ])
  })

  test('shows an output whole, or parts of it', () => {
    expect(looksLike('{"a":1}\n', '{"a":1}')).toBe(true)
    expect(looksLike('{"a":12}', '{"a":1}')).toBe(false)
    expect(looksLike('HTTP/1.1 200 OK\r\nA: b', 'HTTP/1.1 200 OK…')).toBe(true)
    expect(looksLike('Token 9f3c of user bob', 'Token … of user alice')).toBe(false)
  })

  test('complains of a command that fails or prints something else', async () => {
    const text = 'echo one\necho two  # 2\nfalse\ncat a.txt  # three\n'
    const steps = [
      { line: 1, path: 'a.txt', text: 'three' },
      { line: 2, path: null, text },
    ]
    expect(await follow(steps, async () => {})).toEqual([
      '$ echo two\ntwo\n(status 0)',
      '$ false\n(status 1)',
    ])
  })
})

describe('links', () => {
  for (const file of pages()) {
    test(`${file} links to what is there`, () => {
      expect(brokenLinks(file, read(file))).toEqual([])
    })
  }

  test('the source sends nobody to a page that is not there', () => {
    const links = globSync('src/**/*.ts').flatMap((file) =>
      linksToDocs(read(file)).map((link) => ({ file, link })),
    )
    expect(links.filter(({ link }) => !resolves('README.md', link))).toEqual([])
  })
})

describe('the reader of documents', () => {
  const page = [
    '# A page: its `title`!',
    '[here](#a-page-its-title) [there](./b.md) <!-- [x] -->',
    '```sh',
    'npm test',
    '```',
    '- a list',
    '  ```ts run',
    '  const text = `[no](link)`',
    '  ```',
    '````ts',
    '```',
    '````',
    '```typescript',
    '```',
    '[lost](lost.md) [web](https://example.com/) ![sign](#nowhere "title")',
    '[ref]: ./also-lost.md',
  ].join('\n')

  test('finds the blocks of TypeScript, and those that run', () => {
    expect(blocksOf('docs/a.md', page)).toEqual([
      { file: 'docs/a.md', line: 7, code: 'const text = `[no](link)`\n', runs: true },
      { file: 'docs/a.md', line: 10, code: '```\n', runs: false },
    ])
  })

  test('finds the files that a page has its reader write, and the commands', () => {
    const session =
      '```ts src/a.ts\n1\n```\n```sh\nls\n```\n```json b.json\n{}\n```\n```ts src/a.ts\n2\n```\n'
    expect(stepsOf(session).map(({ path, text }) => [path, text])).toEqual([
      ['src/a.ts', '1\n'],
      [null, 'ls\n'],
      ['b.json', '{}\n'],
      ['src/a.ts', '2\n'],
    ])
    expect(blocksOf('a.md', session).map(({ stage }) => stage)).toEqual([
      { 'src/a.ts': '1\n' },
      { 'b.json': '{}\n', 'src/a.ts': '2\n' },
    ])
    expect(stepsOf(page)).toEqual([])
  })

  test('finds the links that lead nowhere', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pages-'))
    for (const name of ['a.md', 'b.md']) writeFileSync(join(folder, name), page)
    const broken = brokenLinks(join(folder, 'a.md'), page)
    rmSync(folder, { recursive: true })
    expect(broken).toEqual(['lost.md', '#nowhere', './also-lost.md'])
  })

  test('finds what the source says about docs/', () => {
    const comment = `/** See docs/pagination.md#cursor. */\n'more in docs/urls.md'`
    expect(linksToDocs(comment)).toEqual(['docs/pagination.md#cursor', 'docs/urls.md'])
  })
})

/** Makes a folder a project with the package and the packages of recipes. */
async function prepare(folder: string): Promise<void> {
  await makeProject(folder)
  for (const name of ['@types/pg', '@opentelemetry/api', '@opentelemetry/sdk-trace-node'])
    own(name, join(folder, 'node_modules'))
  await ownPeers(join(folder, 'node_modules'))
  await generatePrisma(folder)
  const given = stepsOf(read('docs/quickstart.md')).find(({ path }) => path === 'tsconfig.json')!
  writeFileSync(join(folder, 'tsconfig.json'), given.text)
}

/** Does the work of `npm install`. */
async function install(names: readonly string[], folder: string): Promise<void> {
  for (const name of names) {
    if (name.endsWith('.tgz')) await unpack((await packages()).colophon, folder)
    else if (existsSync(join('node_modules', name))) own(name, join(folder, 'node_modules'))
    else await ownPeers(join(folder, 'node_modules'))
  }
  if (names.includes('typescript')) ownCompiler(join(folder, 'node_modules'))
}

/** The name of a block's file, in the folder of all blocks. */
function nameOf({ file, line, stage }: Block): string {
  const name = `${file.replaceAll('/', '_')}.${line}`
  return stage === undefined ? `${name}.ts` : join(name, Object.keys(stage).at(-1)!)
}

/** Writes each block to its own file; a block of a session gets the files that exist by then. */
function lay(folder: string, list: readonly Block[]): void {
  for (const block of list) {
    if (block.stage === undefined) writeFileSync(join(folder, nameOf(block)), block.code)
    for (const [name, text] of Object.entries(block.stage ?? {})) {
      const file = join(folder, nameOf({ ...block, stage: { [name]: '' } }))
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
  }
}

/** Runs blocks in one process; gives the names of those that ended, or the reason why the process failed. */
async function run(list: readonly Block[], folder: string): Promise<readonly string[]> {
  const args = ['--input-type=module', '--eval', IN_TURNS, ...list.map(nameOf)]
  // A block with a server handles the usual signal itself.
  const options = { cwd: folder, timeout: 240_000, killSignal: 'SIGKILL' } as const
  try {
    const { stdout } = await execute(process.execPath, args, options)
    return [...stdout.matchAll(/^came to its end: (.+)$/gm)].map(([, file]) => file!)
  } catch (error) {
    return [(error as Error).message]
  }
}

const IN_TURNS = `
for (const file of process.argv.slice(1)) {
  await import(process.cwd() + '/' + file)
  console.log('came to its end: ' + file)
}`

/** The lines of complaints from one run of the compiler over all blocks. */
async function typeCheck(folder: string, project: string): Promise<readonly string[]> {
  const tsc = resolve('node_modules/typescript/bin/tsc')
  if (project === 'tsconfig.init.json') await writeInitial(folder, project, tsc)
  // Several checkers would each read the package anew.
  const options = ['--allowImportingTsExtensions', '--checkers', '1', '--pretty', 'false']
  const check = execute(process.execPath, [tsc, '-p', project, '--noEmit', ...options], {
    cwd: folder,
  })
  const { stdout } = await check.catch((error: unknown) => error as { stdout: string })
  const lines = stdout.split('\n').filter((line) => line.includes('error TS'))
  if (lines.some((line) => !/^[^(]+\.\d+(?:\.ts|\/[^(]+)\(\d/.test(line))) throw new Error(stdout)
  return lines
}

/** Writes the file of `tsc --init`, with the types of Node, as its text advises. */
async function writeInitial(folder: string, project: string, tsc: string): Promise<void> {
  const elsewhere = mkdtempSync(join(folder, 'init-'))
  await execute(process.execPath, [tsc, '--init'], { cwd: elsewhere })
  const text = read(join(elsewhere, 'tsconfig.json'))
  writeFileSync(join(folder, project), text.replace('"types": []', '"types": ["node"]'))
  rmSync(elsewhere, { recursive: true })
}

/** The compiler's messages about a block, with line numbers of the page. */
function complaintsAbout(block: Block, complaints: readonly string[]): string[] {
  const prefix = `${nameOf(block)}(`
  return complaints
    .filter((line) => line.startsWith(prefix))
    .map((line) => {
      const [, at = '', message = ''] = /^(\d+),\d+\): (.*)$/.exec(line.slice(prefix.length)) ?? []
      return `${block.file}:${block.line + Number(at)} ${message}`
    })
}
