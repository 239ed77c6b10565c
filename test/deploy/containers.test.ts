// The files of deploy/container, against what the service has: options, keys, addresses of probes, times. image.test.ts builds.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { pathOf } from '../../scripts/servers/programs.ts'
import { PYTHON, YAML } from '../../scripts/servers/python.ts'
import { healthUrls } from '../../src/operations.ts'

type Part = Readonly<Record<string, unknown>>

interface Program {
  readonly name: string
  readonly args: readonly string[]
  /** Seconds from SIGTERM to SIGKILL. */
  readonly patience: number
  readonly part: Part
}

const read = (file: string): string => readFileSync(join('deploy/container', file), 'utf8')
const READING = 'import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(sys.stdin))))'
const FILES = ['compose.sqlite.yaml', 'compose.yaml', 'kubernetes.yaml'] as const

const documents = new Map<string, readonly Part[]>()
beforeAll(async () => {
  await pathOf(YAML)
  for (const file of FILES) {
    const output = execFileSync(PYTHON, ['-c', READING], { input: read(file), encoding: 'utf8' })
    documents.set(file, JSON.parse(output) as Part[])
  }
})

/** What runs `colophon` in a file. */
function programsOf(file: string): readonly Program[] {
  const [first] = documents.get(file) as unknown as [
    { services?: Record<string, Part>; spec?: never },
  ]
  if (first.services === undefined) return podOf(first)
  return Object.entries(first.services).flatMap(([name, part]) => {
    const { command, stop_grace_period: patience = '10s' } = part
    return Array.isArray(command)
      ? [{ name, args: command, patience: parseInt(String(patience)), part }]
      : []
  })
}

interface Pod {
  readonly initContainers: readonly Part[]
  readonly containers: readonly Part[]
  readonly terminationGracePeriodSeconds: number
}

function podOf(deployment: unknown): readonly Program[] {
  const { template } = (deployment as { spec: { template: { spec: Pod } } }).spec
  const { initContainers, containers, terminationGracePeriodSeconds: patience } = template.spec
  return [...initContainers, ...containers].map((part) => {
    return { name: String(part['name']), args: part['args'] as string[], patience, part }
  })
}

test.each(FILES)('commands of %s are those of colophon, and have their time to stop', (file) => {
  const help = readFileSync('docs/command-line.md', 'utf8')
  const programs = programsOf(file)
  expect(programs.map(({ args: [command] }) => command)).toEqual(
    expect.arrayContaining(['migrate', 'serve']),
  )
  for (const { args, patience } of programs) {
    for (const option of args.filter((each) => each.startsWith('--')))
      expect(help).toContain(`\n  ${option} <`)
    const drain = Number(args[args.indexOf('--drain-period') + 1] ?? 0) || 0
    // The grace period, and five seconds until a worker is killed.
    if (args[0] === 'serve') expect(patience).toBeGreaterThan(drain + 10 + 5)
  }
})

test.each(FILES)('keys of %s are those of the settings', (file) => {
  const settings = readFileSync('docs/settings.md', 'utf8')
  const keys = [...read(file).matchAll(/\bCOLOPHON_([A-Z_]+)/g)].map(([, key]) => key)
  expect(keys).toContain('ALLOWED_HOSTS')
  for (const key of keys) expect(settings).toMatch(new RegExp(`^\\| \`${key}\`( \\\\\\*)? `, 'm'))
})

test('no program may write outside of its data, or become another user', () => {
  for (const file of ['compose.sqlite.yaml', 'compose.yaml'])
    for (const { part } of programsOf(file))
      expect(part).toMatchObject({ read_only: true, cap_drop: ['ALL'], tmpfs: ['/tmp'] })
  const own = { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false }
  for (const { part } of programsOf('kubernetes.yaml'))
    expect(part).toMatchObject({ securityContext: own })
  expect(programsOf('kubernetes.yaml').at(-1)!.part).toMatchObject({
    volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
  })
  expect(read('kubernetes.yaml')).toContain('runAsNonRoot: true')
  const last = read('Containerfile')
    .split(/^FROM /m)
    .at(-1)!
  expect(last).toMatch(/^USER 1000:1000$/m)
})

test('each probe asks its address, and a pod is taken out before it stops to answer', () => {
  const { args, part } = programsOf('kubernetes.yaml').at(-1)!
  const probe = (name: string) =>
    part[name] as { httpGet: { path: string }; periodSeconds: number; failureThreshold: number }
  const paths = ['livenessProbe', 'readinessProbe', 'startupProbe'].map(
    (name) => probe(name).httpGet.path,
  )
  expect(paths).toEqual([healthUrls.livez, healthUrls.readyz, healthUrls.startupz])
  const { periodSeconds, failureThreshold } = probe('readinessProbe')
  expect(Number(args.at(-1))).toBeGreaterThan(periodSeconds * failureThreshold)
})

test('pods and services that share rates count them in one place', () => {
  for (const file of ['compose.yaml', 'kubernetes.yaml'])
    expect(read(file)).toContain('COLOPHON_THROTTLE_STORE: database')
  const { bin } = JSON.parse(readFileSync('package.json', 'utf8')) as { bin: object }
  expect(read('Containerfile')).toContain(`ENTRYPOINT ["node_modules/.bin/${Object.keys(bin)[0]}"]`)
})
