// `npm run hosts [NAME …]`: runs every table of behaviour through other servers, and on other runtimes.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { examples } from '../test/behaviour/hosts.ts'
import { installed } from '../test/house/tarball.ts'
import { NEEDS } from './needs.ts'
import { root, run, summary } from './run.ts'

/** Titles of tests, their only known failure, and its reason; docs/recipes/beside.md tells users of it. */
interface Known {
  readonly tests: RegExp
  readonly fails: RegExp | ((message: string) => boolean)
  readonly reason: string
}

/** The printed answers differ only by `Content-Length`, which the first lacks because it is sent in chunks. */
function lacksLength(message: string): boolean {
  const [, found = '', wanted = ''] =
    /expected ([^]+?) to deeply equal ([^]+?)(?:\n|$)/.exec(message) ?? []
  const bare = (text: string) =>
    text
      .replaceAll(/'(?:content-length|transfer-encoding)'(?:: (?:null|'\d+'))?,? ?/g, '')
      .replaceAll(', }', ' }')
  return wanted.includes('content-length') && bare(found) === bare(wanted)
}

const PATHS =
  /empty: 404|a slash too many|malformed: 400|escape|no UTF-8|broken path|of 400|cannot be read/
const HOSTS: Readonly<Record<string, readonly Known[]>> = {
  express: [],
  fastify: [],
  hono: [
    {
      tests:
        /19-uploads.*(?:that does not say so|that is refused|taker that fails|10,000|no stated)/,
      fails: /socket hang up|ECONNRESET/,
      reason:
        'a connection is ended half a second after a refused upload, and the next request on it is lost',
    },
  ],
  nest: [],
  'nest-fastify': [],
  next: [
    {
      tests: /download\.test|HEAD|without a policy/,
      fails: (message) => lacksLength(message) || /Property failed/.test(message),
      reason: 'answers have no Content-Length',
    },
    { tests: PATHS, fails: /status: 308/, reason: 'repeated slashes are redirected' },
    { tests: PATHS, fails: /status: 500/, reason: 'a path that is no UTF-8 is its own 500' },
    {
      tests: / method/,
      fails: /status: 400/,
      reason: 'methods that it does not know are its own 400',
    },
    {
      tests: /19-uploads/,
      fails: /ECONNRESET|socket hang up|EPIPE/,
      reason: 'a connection is ended before a refused upload was read',
    },
  ],
}

const BREAKS: Omit<Known, 'fails'> = {
  tests: /a stream that breaks/,
  reason: 'fetch, the client of the test, has another text for a broken connection',
}

const RUNTIMES: Readonly<Record<string, readonly [command: string, known: readonly Known[]]>> = {
  bun: [
    '@oven/bun-linux-x64/bin/bun --bun',
    [
      {
        tests: /cannot be sent: a Request refuses TRACE/,
        fails: /instead of rejecting/,
        reason: 'its Request takes TRACE',
      },
      {
        tests: /node door the asterisk of OPTIONS/,
        fails: /status: 400/,
        reason: 'its node:http answers OPTIONS * by itself, 400',
      },
      {
        tests: /parameters within an answer/,
        fails: /expected \[ 200,/,
        reason: 'its URLSearchParams have toJSON, so they are shown',
      },
      {
        tests: /pipelined answers have bytes/,
        fails: /expected \[ 6, 7, \+?0, \+?0, 46 \]/,
        reason: 'its sockets count no bytes of heads, so observers see those of the body alone',
      },
      { tests: /leaks\.test/, fails: /gc is not defined/, reason: 'its memory is not measured so' },
      { ...BREAKS, fails: /ECONNRESET/ },
    ],
  ],
  deno: [
    '@deno/linux-x64-glibc/deno run -A --node-modules-dir=manual',
    [
      { ...BREAKS, fails: /error reading a body from connection/ },
      {
        tests: /what cannot be removed/,
        fails: /expected \[\] to deeply equal/,
        reason: 'its fs.rm removes an empty directory',
      },
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

/** Runs the page's `server.ts` unchanged, with its application. */
async function tellServed(command: string): Promise<void> {
  const home = mkdtempSync(join(folder, 'server-'))
  mkdirSync(join(home, 'node_modules'))
  symlinkSync(root, join(home, 'node_modules/colophon'))
  const { 'app.ts': app = '', 'server.ts': server = '' } = examples()
  const program = { 'package.json': '{ "type": "module" }', 'app.ts': app, 'server.ts': server }
  for (const [path, text] of Object.entries(program)) writeFileSync(join(home, path), text)
  const [file = '', ...options] = command.split(' ')
  const child = spawn(file, [...options, 'server.ts'], {
    cwd: home,
    env: { ...process.env, PORT: '0' },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output += String(text)))
  const ended = once(child, 'exit')
  const listening = once(child.stdout, 'data')
  await Promise.race([ended, listening])
  const [, url = ''] = /Listening on (\S+)/.exec(output) ?? []
  const found = await fetch(`${url}/api/hello/`).then((answer) => answer.text(), String)
  child.kill()
  await ended
  const isRight = found === JSON.stringify({ url: `${url}/api/hello/` })
  console.log(
    isRight ? 'server.ts of the page serves' : `✗ server.ts of the page: ${found} ${output}`,
  )
  if (isRight) total.passed++
  else total.failed++
}

/** The report of vitest about each file. */
interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
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
    if (program !== '') await tellServed(command)
  } catch (error) {
    console.log(output, error)
    total.failed++
  }
}

function tell({ testResults }: Report, known: readonly Known[]): void {
  const titled = (file: string, name = '') => `${file.slice(root.length)} ${name}`
  const rows = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status, failureMessages: [message = ''] }) => ({
      title: titled(name, fullName),
      status,
      message,
    })),
  )
  const broken = testResults
    .filter(({ assertionResults }) => assertionResults.length === 0)
    .map(({ name, message }) => ({ title: titled(name), message }))
  const failed = [...rows.filter(({ status }) => status === 'failed'), ...broken]
  const seen = new Set<Known>()
  let surprises = 0
  for (const { title, message } of failed) {
    const expected = known.find((each) => each.tests.test(title) && isSuch(each, message))
    if (expected === undefined) surprises++
    else seen.add(expected)
    console.log(`✗ ${title}: ${expected?.reason ?? message.split('\n    at ')[0]}`)
  }
  const gone = known.filter((each) => !seen.has(each))
  for (const { reason } of gone) console.log(`✗ It differs no longer, so take it out: ${reason}`)
  const passed = rows.filter(({ status }) => status === 'passed').length
  console.log(
    `${passed} rows passed, ${failed.length - surprises} fail as is known, ${surprises + gone.length} others`,
  )
  total.passed += passed
  total.failed += surprises + gone.length
}

function isSuch({ fails }: Known, message: string): boolean {
  return typeof fails === 'function' ? fails(message) : fails.test(message)
}
