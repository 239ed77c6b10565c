// `npm run hosts [NAME …]`: every table of behaviour through servers of others, and on other runtimes.
import { globSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installed } from '../test/house/tarball.ts'
import { NEEDS } from './needs.ts'
import { root, run, summary } from './run.ts'

/** A name of a test, and why the host or the runtime fails it; docs/recipes/beside.md tells it to users. */
type Known = readonly [test: RegExp, reason: string]

const TRACE: Known = [/cannot be sent: a Request refuses TRACE/, 'its Request takes TRACE']
const CLOSED =
  'a connection is ended half a second after a refused upload, and the next request on it is lost'

const HOSTS: Readonly<Record<string, readonly Known[]>> = {
  express: [],
  fastify: [],
  hono: [
    [
      /19-uploads.*(?:that does not say so|that is refused|taker that fails|10,000|no stated)/,
      CLOSED,
    ],
  ],
  nest: [],
  next: [
    [/download\.test|HEAD|without a policy/, 'answers have no Content-Length'],
    [/empty: 404|a slash too many/, 'repeated slashes are redirected'],
    [
      /malformed: 400|escape|no UTF-8|broken path|of 400|cannot be read/,
      'a path that is no UTF-8 is its own 500',
    ],
    [/ method/, 'methods that it does not know are its own 405'],
    [/19-uploads/, 'a connection is ended before a refused upload was read'],
  ],
}

const CLIENT = 'fetch, the client of the test, has another text for a broken connection'

const RUNTIMES: Readonly<Record<string, readonly [command: string, known: readonly Known[]]>> = {
  bun: [
    '@oven/bun-linux-x64/bin/bun --bun',
    [
      TRACE,
      [/node door the asterisk of OPTIONS/, 'its node:http answers OPTIONS * by itself, 400'],
      [/parameters within an answer/, 'its URLSearchParams have toJSON, so they are shown'],
      [/a stream that breaks/, CLIENT],
    ],
  ],
  deno: [
    '@deno/linux-x64-glibc/deno run -A --node-modules-dir=manual',
    [
      [/a stream that breaks/, CLIENT],
      [/what cannot be removed/, 'its fs.rm removes an empty directory'],
    ],
  ],
  node22: ['node-22/bin/node', []],
}

const names = process.argv.slice(2)
const chosen = names.length > 0 ? names : [...Object.keys(HOSTS), ...Object.keys(RUNTIMES)]
const files = globSync('test/**/*.test.ts', { cwd: root }).filter(
  (file) =>
    !file.endsWith('behaviour/hosts.test.ts') &&
    /from '\.[^']*\/(?:doors|databases)\.ts'/.test(readFileSync(join(root, file), 'utf8')),
)
const EMBEDDED = ['processes of their own', 'Linux', 'npm and its registry']
const without = NEEDS.map(({ name }) => name).filter((name) => !EMBEDDED.includes(name))
const folder = mkdtempSync(join(tmpdir(), 'colophon-hosts-'))
const total = { passed: 0, failed: 0 }
for (const name of chosen) await runThrough(name)
process.exitCode = total.failed === 0 ? 0 : 1
console.log(summary(total))

/** What vitest writes about each file. */
interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

async function runThrough(name: string): Promise<void> {
  const [program, known] = RUNTIMES[name] ?? ['', HOSTS[name]]
  if (known === undefined) throw new Error(`${name} is none of ${chosen.join(', ')}.`)
  const command =
    program === '' ? 'node' : join(await installed('test/hosts'), 'node_modules', program)
  const report = join(folder, `${name}.json`)
  const env = { TESTS_WITHOUT: without.join(), HOST_OF_TESTS: name }
  const options = `--maxWorkers 2 --reporter json --outputFile ${report}`
  const { seconds, output } = await run(
    `${command} node_modules/vitest/vitest.mjs run ${options} ${files.join(' ')}`,
    { show: false, env },
  )
  console.log(`── ${name} (${seconds} s) ──`)
  try {
    tell(JSON.parse(readFileSync(report, 'utf8')) as Report, known)
  } catch (error) {
    console.log(output, error)
    total.failed++
  }
}

function tell({ testResults }: Report, known: readonly Known[]): void {
  const rows = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((row) => ({
      ...row,
      fullName: `${name.slice(root.length)} ${row.fullName}`,
    })),
  )
  const broken = testResults.filter(({ assertionResults }) => assertionResults.length === 0)
  const failed = rows.filter(({ status }) => status === 'failed')
  const expected = (title: string): Known | undefined => known.find(([test]) => test.test(title))
  for (const { fullName } of failed)
    console.log(`✗ ${fullName}: ${expected(fullName)?.[1] ?? 'unexpected'}`)
  for (const { name, message } of broken) console.log(`✗ ${name}: ${message}`)
  const surprises = failed.filter(({ fullName }) => expected(fullName) === undefined).length
  const passed = rows.filter(({ status }) => status === 'passed').length
  console.log(
    `${passed} rows passed, ${failed.length - surprises} fail as is known, ${surprises + broken.length} others`,
  )
  total.passed += passed
  total.failed += surprises + broken.length
}
