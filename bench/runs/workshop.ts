// Sets the independent bench up: a copy below the system's temporary folder, which later runs use again, with the built package
// of this repository as its peer.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pack } from '../../scripts/build.ts'
import { root } from '../../scripts/run.ts'
import { type Figure, type Rounds, figuresOf } from './figures.ts'

/** The port of the bench's PostgreSQL, from `db/pg.sh`. */
const PORT = 54_329

/** The working folder of the bench. */
const workshop = join(tmpdir(), 'colophon-independent-bench')

/** Installs missing programs, makes the databases, and adds the package of this repository as the peer. */
export async function setUp(): Promise<void> {
  refuseForeignCluster()
  mkdirSync(workshop, { recursive: true })
  await bash(join(root, 'bench/independent'), 'setup.sh', workshop)
  const packed = join(workshop, '.packed')
  rmSync(packed, { recursive: true, force: true })
  mkdirSync(packed)
  await bash(workshop, 'peers/colophon/setup.sh', await pack(packed))
  // The bench keeps the cursors that it has reached; those of an earlier package may have another form.
  for (const file of globSync('.data/cursors-colophon-*.json', { cwd: workshop }))
    rmSync(join(workshop, file))
}

/** Measures `works` and `databases`, in the form of `run.sh`, and gives its output. */
export function measure(
  works: string,
  databases: string,
  options: readonly string[],
): Promise<string> {
  return bash(workshop, 'run.sh', works, databases, ...options)
}

/** The last measurements, without the work `cold`, which the bench only prints. */
export function figuresIn(databases: readonly string[], works: readonly string[]): Figure[] {
  const measured = works.filter((work) => work !== 'cold')
  return databases.flatMap((database) =>
    measured.flatMap((work) => {
      const text = readFileSync(join(workshop, `.data/results/${database}-${work}.json`), 'utf8')
      return figuresOf(database, work, (JSON.parse(text) as { readonly rows: Rounds }).rows)
    }),
  )
}

/** The programs of the bench beside Node, with their versions. */
export function software(): string[] {
  const printed = execFileSync('psql', ['--version'], { encoding: 'utf8' })
  const { dependencies } = JSON.parse(readFileSync(join(workshop, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
  return [`PostgreSQL ${/\d+\.\d+/.exec(printed)?.[0]}`, `Fastify ${dependencies['fastify']}`]
}

/** Stops the PostgreSQL of this folder only. */
export async function tidyUp(): Promise<void> {
  if (clusterAt(PORT) === join(workshop, '.data/pg')) await bash(workshop, 'db/pg.sh', 'stop')
}

/** @throws Error the PostgreSQL of another folder uses the port */
function refuseForeignCluster(): void {
  const folder = clusterAt(PORT)
  if (folder === null || folder === join(workshop, '.data/pg')) return
  throw new Error(
    `The PostgreSQL of ${folder} listens at port ${PORT}, which the bench needs. It is not of this bench, so it ` +
      `stays: stop it, for example with \`bash ${resolve(folder, '../..')}/db/pg.sh stop\`, and run this again.`,
  )
}

/** The data folder of the PostgreSQL on a port; a postmaster works in its folder. */
function clusterAt(port: number): string | null {
  const folders = globSync('/proc/[0-9]*').flatMap(folderOf)
  return folders.find((folder) => portOf(folder) === port) ?? null
}

function folderOf(process: string): string[] {
  try {
    const [program = ''] = readFileSync(`${process}/cmdline`, 'utf8').split('\0')
    return /(?:^|\/)postgres$/.test(program) ? [readlinkSync(`${process}/cwd`)] : []
  } catch {
    // The process has ended meanwhile.
    return []
  }
}

/** The port, which is the fourth line of this file. */
function portOf(folder: string): number | null {
  try {
    return Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[3])
  } catch {
    return null
  }
}

/** Runs a script of the bench, and shows and returns its output. @throws Error it failed */
async function bash(folder: string, script: string, ...args: readonly string[]): Promise<string> {
  const child = spawn('bash', [script, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    process.stdout.write(text)
  })
  const [code] = await once(child, 'close')
  if (code === 0) return output
  throw new Error(`${script} ended with ${code}.`)
}
