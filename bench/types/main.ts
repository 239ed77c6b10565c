// The cost of large applications for the compiler, with the declarations of the package. Fails above a budget. Times are
// printed but not judged, as they depend on the machine. `--if-changed`: measures nothing if declarations, programs and
// compiler are those of the last run within its budgets.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emitDeclarations } from '../../scripts/inferred.ts'
import { root } from '../../scripts/run.ts'
import { type Files, size, writeApplication, writeClient } from './application.ts'
import { writeDesk, writeDeskClient } from './desk.ts'
import { size as inEditions, writeNamespaces, writePaths } from './editions.ts'

interface Program {
  readonly name: string
  readonly files: Files
  /** Thousands of type instantiations, including those of the library. */
  readonly budget: number
  /** In megabytes. @default 1024 */
  readonly memory?: number
}

interface Cost {
  readonly instantiations: number
  /** In megabytes. */
  readonly memory: number
  readonly seconds: number
}

const MOST_MEMORY = 1024
// Each run has its own folder, because two may run at once.
const folder = join(root, '.types-budget', String(process.pid))
const KEPT = join(root, 'node_modules', '.cache', 'types-budget')
const editions = `${inEditions.routes.toLocaleString('en')} routes × ${inEditions.versions} versions`

const programs: readonly Program[] = [
  {
    name: `${size.routes} routes, ${size.endpoints} endpoints`,
    files: writeApplication(),
    budget: 150,
  },
  { name: `${size.endpoints} calls of a client, with that`, files: writeClient(), budget: 150 },
  { name: 'a support desk of 330 lines', files: writeDesk(), budget: 200, memory: 250 },
  { name: '48 calls of a client, with that', files: writeDeskClient(), budget: 210, memory: 250 },
  { name: `${editions} in namespaces`, files: writeNamespaces(), budget: 3200 },
  { name: `${editions} in the path`, files: writePaths(), budget: 350 },
]
// Applications compile against these declarations, and not against the sources.
const library = join(folder, 'library')
await emitDeclarations(library, '--noCheck')
const state = stateOf()
if (
  process.argv.includes('--if-changed') &&
  existsSync(KEPT) &&
  readFileSync(KEPT, 'utf8') === state
)
  console.log('nothing has changed since all programs were within their budgets')
else measure()
rmSync(folder, { recursive: true, force: true })

function measure(): void {
  for (const { name, files, budget, memory = MOST_MEMORY } of programs) {
    const cost = costOf(files)
    console.log(`${name}: ${figuresOf(cost)} (budget ${budget}k)`)
    if (cost.instantiations > budget * 1000 || cost.memory > memory) process.exitCode = 1
  }
  if (process.exitCode === undefined) writeFileSync(KEPT, state)
}

/** A text of all that the figures depend on. */
function stateOf(): string {
  const files = globSync('**/*.d.ts', { cwd: library }).toSorted()
  const texts = files.map((file) => `${file}\n${readFileSync(join(library, file), 'utf8')}`)
  const settings = ['tsconfig.base.json', 'package-lock.json'].map((file) =>
    readFileSync(join(root, file), 'utf8'),
  )
  return createHash('sha256')
    .update([...texts, ...settings, JSON.stringify(programs)].join('\n'))
    .digest('hex')
}

function figuresOf({ instantiations, memory, seconds }: Cost): string {
  const thousands = (instantiations / 1000).toFixed(0)
  return `${thousands}k instantiations, ${memory.toFixed(0)} MB, ${seconds.toFixed(1)} s`
}

function costOf(files: Files): Cost {
  const program = write(files)
  const report = compile(program)
  return {
    instantiations: figure(report, 'Instantiations'),
    memory: figure(report, 'Memory used') / 1024,
    seconds: figure(report, 'Total time'),
  }
}

function write(files: Files): string {
  const program = join(folder, 'program')
  rmSync(program, { recursive: true, force: true })
  mkdirSync(program, { recursive: true })
  const compilerOptions = {
    paths: {
      colophon: [join(library, 'index.d.ts')],
      'colophon/*': [join(library, '*.d.ts')],
    },
  }
  const project = { extends: '../../../tsconfig.base.json', compilerOptions, include: ['*.ts'] }
  writeFileSync(join(program, 'tsconfig.json'), JSON.stringify(project))
  for (const [file, text] of Object.entries(files)) writeFileSync(join(program, file), text)
  return program
}

/**
 * Runs the compiler with one checker, as several would each count the shared types. If an application does not compile, the
 * bench ends with the compiler's first words.
 */
function compile(program: string): string {
  return tsc('-p', program, '--singleThreaded', '--extendedDiagnostics')
}

function tsc(...options: readonly string[]): string {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { status, stdout } = spawnSync(
    process.execPath,
    [compiler, ...options, '--pretty', 'false'],
    // Garbage is collected as usual, so that the memory is what the compiler needs.
    { encoding: 'utf8', maxBuffer: 100_000_000, env: { ...process.env, GOGC: '100' } },
  )
  if (status === 0) return stdout
  throw new Error(`It does not compile:\n${stdout.slice(0, 2000)}`)
}

/** A number from the compiler's final report: kilobytes, seconds or a count. */
function figure(diagnostics: string, name: string): number {
  const found = new RegExp(`^${name}:\\s*([\\d.]+)`, 'm').exec(diagnostics)?.[1]
  if (found === undefined) throw new Error(`The compiler did not say "${name}".`)
  return Number(found)
}
