// The programs that test files need beside Node, by their imports: a run leaves out files whose needs are missing.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { root } from './run.ts'

/** A program or a service beside Node. */
export interface Need {
  readonly name: string
  /** A test that imports one of these files or modules needs it. */
  readonly files: readonly string[]
}

export const NEEDS: readonly Need[] = [
  {
    name: 'PostgreSQL',
    files: ['scripts/servers/postgres.ts', 'test/setup/databases.ts'],
  },
  {
    name: 'MariaDB',
    files: ['scripts/servers/mariadb.ts', 'test/setup/databases.ts'],
  },
  {
    name: 'Redis',
    files: ['scripts/servers/redis.ts', 'test/setup/redis.ts'],
  },
  { name: 'PgBouncer', files: ['scripts/servers/pgbouncer.ts'] },
  { name: 'nginx', files: ['scripts/servers/nginx.ts'] },
  { name: 'HAProxy', files: ['scripts/servers/haproxy.ts'] },
  { name: 'Prometheus', files: ['scripts/servers/prometheus.ts'] },
  { name: 'buildah', files: ['test/deploy/image.test.ts'] },
  { name: 'Chromium', files: ['scripts/servers/chromium.ts'] },
  { name: 'cryptography of Python', files: ['scripts/servers/python.ts'] },
  { name: 'YAML of Python', files: ['test/deploy/containers.test.ts'] },
  {
    name: 'npm and its registry',
    files: ['test/house/registry.ts', 'test/house/tarball.ts', 'test/setup/packages.ts'],
  },
  {
    name: 'Linux',
    files: ['test/house/session.ts', 'test/setup/linux.ts', 'test/tools/cli/pseudo-terminal.ts'],
  },
  // These tests take half of the time.
  { name: 'processes of their own', files: ['node:child_process'] },
]

/** These files leave out missing programs themselves. */
const CHOOSERS = ['test/behaviour/databases.ts']

/** The test files that need one of these, by the names of the needs. */
export function filesThatNeed(names: readonly string[]): readonly string[] {
  const needed = NEEDS.filter(({ name }) => names.includes(name)).flatMap(({ files }) => files)
  if (needed.length === 0) return []
  const importsOf = memorized(importsIn)
  return globSync('test/**/*.test.ts', { cwd: root }).filter((file) =>
    reachedBy(file, importsOf).some((each) => needed.includes(each)),
  )
}

function reachedBy(
  file: string,
  importsOf: (file: string) => readonly string[],
): readonly string[] {
  const reached = new Set([file])
  // The loop also reaches the elements that are added meanwhile.
  for (const each of reached)
    if (!CHOOSERS.includes(each)) for (const next of importsOf(each)) reached.add(next)
  return [...reached]
}

/** Imports of values. */
const IMPORT = /^(?:import|export)\s(?!type\s)(?:[^'";]*?\sfrom\s)?'([^']+)'/gm

/** The imports of a file: files by their path from the root without sources, and other modules by their name. */
function importsIn(file: string): readonly string[] {
  if (!existsSync(join(root, file))) return []
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(IMPORT)]
    .map(([, name = '']) => (name.startsWith('.') ? normalize(join(dirname(file), name)) : name))
    .filter((each) => !each.startsWith('src/'))
}

function memorized<Value>(work: (name: string) => Value): (name: string) => Value {
  const known = new Map<string, Value>()
  return (name) => {
    const value = known.get(name) ?? work(name)
    known.set(name, value)
    return value
  }
}
