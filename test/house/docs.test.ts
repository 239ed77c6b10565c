import { execFile } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { install } from '../../scripts/install.ts'
import { blocksOf, brokenLinks, linksToDocs, pages, resolves, type Block } from './docs.ts'
import { violations } from './floors.ts'

/** Where the blocks run, beside those that the compiler reads. */
const INSTALLED = 'installed'
const execute = promisify(execFile)
const read = (file: string): string => readFileSync(file, 'utf8')
const blocks = pages().flatMap((file) => blocksOf(file, read(file)))

if (blocks.length > 0) {
  describe('code in the documents', () => {
    let folder = ''
    let complaints: readonly string[] = []
    beforeAll(async () => {
      folder = lay(blocks)
      complaints = await typeCheck(folder)
      await install(join(folder, INSTALLED))
    }, 120_000)
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    for (const block of blocks) {
      test.concurrent(`${block.file}:${block.line} ${block.runs ? 'runs' : 'compiles'}`, async () => {
        expect(complaintsAbout(block, complaints)).toEqual([])
        expect(violations({ [block.file]: block.code })).toEqual([])
        if (block.runs) await runBlock(folder, block)
      })
    }
  })
}

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

  test('finds the links that lead nowhere', () => {
    const folder = mkdtempSync(join(ground(), 'pages-'))
    for (const name of ['a.md', 'b.md']) writeFileSync(join(folder, name), page)
    const broken = brokenLinks(join(folder, 'a.md'), page)
    rmSync(folder, { recursive: true })
    expect(broken).toEqual(['lost.md', '#nowhere', './also-lost.md'])
  })

  test('finds what the source says about docs/', () => {
    const comment = `/** See docs/pagination.md#cursor. */\n'more in docs/urls.md'`
    expect(linksToDocs(comment)).toEqual(['docs/pagination.md#cursor', 'docs/urls.md'])
  })

  test('a block that does not compile is found, with its line in the page', async () => {
    const block = { file: 'docs/a.md', line: 7, code: 'let a = 1\na = "one"\n', runs: false }
    const folder = lay([block, { ...block, line: 20, code: 'export const b = await 1\n' }])
    const complaints = await typeCheck(folder)
    rmSync(folder, { recursive: true })
    expect(complaintsAbout(block, complaints)).toEqual([
      `docs/a.md:9 error TS2322: Type 'string' is not assignable to type 'number'.`,
    ])
    expect(complaints).toHaveLength(1)
  }, 60_000)
})

/** A folder inside the repository, so that blocks find `colophon` as every user does. */
function ground(): string {
  const folder = resolve('.docs-check')
  mkdirSync(folder, { recursive: true })
  return folder
}

function nameOf({ file, line }: Block): string {
  return `${file.replaceAll('/', '_')}.${line}.ts`
}

/** Writes each block to a file of its own, as a project; returns its folder. */
function lay(list: readonly Block[]): string {
  const folder = mkdtempSync(join(ground(), 'blocks-'))
  const project = {
    extends: '../../tsconfig.base.json',
    compilerOptions: { moduleDetection: 'force' },
    include: ['*.ts'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
  for (const block of list) writeFileSync(join(folder, nameOf(block)), block.code)
  return folder
}

/** One run of the compiler over all blocks: its complaints, a line each. */
async function typeCheck(folder: string): Promise<readonly string[]> {
  const tsc = resolve('node_modules/typescript/bin/tsc')
  const check = execute(process.execPath, [tsc, '-p', '.', '--pretty', 'false'], { cwd: folder })
  const { stdout } = await check.catch((error: unknown) => error as { stdout: string })
  const lines = stdout.split('\n').filter((line) => line.includes('error TS'))
  const own = lines.filter((line) => !line.startsWith('..'))
  if (own.some((line) => !/^[^(]+\.\d+\.ts\(\d/.test(line))) throw new Error(stdout)
  return own
}

/** Runs it with the package as it is installed. It has to end by itself, and well; what does not is ended. */
async function runBlock(folder: string, block: Block): Promise<void> {
  const cwd = join(folder, INSTALLED)
  writeFileSync(join(cwd, nameOf(block)), block.code)
  await execute(process.execPath, [nameOf(block)], { cwd, timeout: 15_000 })
}

/** The compiler's messages about a block, with lines of the page. */
function complaintsAbout(block: Block, complaints: readonly string[]): string[] {
  const prefix = `${nameOf(block)}(`
  return complaints
    .filter((line) => line.startsWith(prefix))
    .map((line) => {
      const [, at = '', message = ''] = /^(\d+),\d+\): (.*)$/.exec(line.slice(prefix.length)) ?? []
      return `${block.file}:${block.line + Number(at)} ${message}`
    })
}
