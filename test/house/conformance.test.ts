// The gate of conformance/: no case is excluded, and every policy of the service is judged.
import { createHash } from 'node:crypto'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningServer, serve } from 'colophon/node'
import {
  type MockInstance,
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  test,
  vi,
} from 'vitest'
import {
  DATA,
  type Entry,
  type EntryConfig,
  readEntries,
  readWorld,
} from '../../conformance/data.ts'
import { type Case, loadCases, runCase } from '../../conformance/data/replay.mjs'
import { GLOBAL_KEYS } from '../../conformance/global.ts'
import {
  type Exceptions,
  type Judged,
  complaintsAbout,
  judge,
  readExceptions,
} from '../../conformance/judge.ts'
import { type Parts, partsOf } from '../../conformance/parts.ts'
import { type Composers, composers } from '../../conformance/parts/composers.ts'
import { configured, createService } from '../../conformance/service.ts'
import { type World, createWorld } from '../../conformance/world.ts'
import * as composition from '../../src/policies/permissions/composition.ts'
import { KEYS } from '../../src/core/settings/endpoint-settings.ts'
import * as order from '../../src/policies/versioning/schemes.ts'

const cases = loadCases([join(DATA, 'cases')])
const entries = readEntries(DATA)
const folder = mkdtempSync(join(tmpdir(), 'colophon-gate-'))
const databaseUrl = `sqlite:${join(folder, 'library.sqlite')}`
let world: World

beforeAll(async () => {
  world = await createWorld(configured({ DATABASE_URL: databaseUrl }), readWorld(DATA))
})
afterAll(async () => {
  await world.database.close()
  rmSync(folder, { recursive: true })
})

describe('the run', () => {
  const [first, second] = cases as [Case, Case, ...Case[]]
  const passed = (testCase: Case): Judged => ({ testCase, verdict: { outcome: 'passed' } })
  const ended = (testCase: Case, outcome: 'differs' | 'waiting'): Judged => ({
    testCase,
    verdict: { outcome } as Judged['verdict'],
  })
  const none: Exceptions = { waiting: [], differing: [] }
  const both = [passed(first), passed(second)]

  test.each<[string, readonly Judged[], Exceptions, string]>([
    ['a case is not judged', [passed(first)], none, 'was not judged'],
    ['a case is judged twice', [...both, passed(second)], none, '3 of 2 cases were judged'],
    ['a case that waits passes', both, { ...none, waiting: [first.id] }, 'does not wait'],
    ['a case waits that there is not', both, { ...none, waiting: ['gone'] }, 'does not wait'],
    ['a case differs', [passed(first), ended(second, 'differs')], none, 'is not in the list'],
    ['a case no longer differs', both, { ...none, differing: [first.id] }, 'does not differ'],
  ])('complains where %s', (_what, judged, exceptions, complaint) => {
    expect(complaintsAbout([first, second], judged, exceptions)).toContainEqual(
      expect.stringContaining(complaint),
    )
  })

  test('complains where no case was asked for', () => {
    expect(complaintsAbout([], [], none)).toHaveLength(1)
  })

  test('complains about nothing else', () => {
    expect(complaintsAbout([first, second], both, none)).toEqual([])
    const listed = [ended(first, 'waiting'), ended(second, 'differs')]
    const exceptions = { waiting: [first.id], differing: [second.id] }
    expect(complaintsAbout([first, second], listed, exceptions)).toEqual([])
  })

  // Never raise these numbers: a case that passed must go on passing.
  test('has 1,188 cases, of which none waits and ten differ', () => {
    const { waiting, differing } = readExceptions()
    expect(cases).toHaveLength(1188)
    expect(new Set(cases.map(({ id }) => id)).size).toBe(1188)
    expect(waiting.length).toBe(0)
    expect(differing?.length).toBeLessThanOrEqual(10)
  })

  // A copy of the published cases, which changes only with them, and as a whole.
  test('replays the cases as they were published', () => {
    const files = globSync('**/*.{json,mjs}', { cwd: DATA }).toSorted()
    const digest = createHash('sha256')
    for (const file of files) digest.update(`${file}\n`).update(readFileSync(join(DATA, file)))
    expect(digest.digest('hex')).toBe(
      '020132e5be14ac303e8941ee4dd41e6679b9d5a33a6453f970897ee7f6cabfe2',
    )
  })
})

describe('a part that is not there', () => {
  let log: MockInstance<typeof console.error>

  beforeEach(() => {
    log = vi.spyOn(console, 'error').mockReturnValue()
  })
  afterEach(() => log.mockRestore())

  const kinds = Object.keys(partsOf({ accounts: {} as World['accounts'] })) as (keyof Parts)[]

  test.each(kinds)('of the %s answers 500 at every entry that names one', async (kind) => {
    const parts = partsOf(world)
    const names = Object.keys(parts[kind])
    await served({ ...parts, [kind]: {} }, {}, async (url) => {
      const naming = entries.filter((entry) => names.some((name) => isNamed(name, kind, entry)))
      expect(naming.length).toBeGreaterThan(0)
      const statuses = await Promise.all(
        naming
          .slice(0, 40)
          .map(async ({ path }) => (await fetch(url + path.replace(/<\w+>/g, '7'))).status),
      )
      expect(new Set(statuses)).toEqual(new Set([500]))
      expect(log).toHaveBeenCalledWith(expect.stringContaining('cannot be served. There is no '))
    })
  })

  test('is what the service here does not lack', async () => {
    await served(partsOf(world), {}, async (url) => {
      const some = cases.filter((_, index) => index % 12 === 0)
      expect(await firstFailure(url, some)).toBeNull()
    })
  })

  test('fails every case of its own', async () => {
    const parts = partsOf(world)
    const { CursorPagination: _, ...styles } = parts.styles
    const ofCursors = cases.filter(({ file }) => file.endsWith('/cursor.json'))
    await served({ ...parts, styles }, {}, async (url) => {
      const outcomes: string[] = []
      for (const each of ofCursors.slice(0, 20))
        outcomes.push((await judge(url, each, readExceptions())).outcome)
      expect(new Set(outcomes)).toEqual(new Set(['failed']))
    })
  })
})

/** Parts that do nothing. */
const IDLE: Readonly<Record<string, unknown>> = {
  schemes: { authenticate: () => null },
  policies: { hasPermission: () => true },
  throttles: () => ({ admit: () => ({ allowed: true }) }),
  styles: () => ({ paginate: () => null }),
  versionings: () => ({ determineVersion: () => null }),
  filters: { filter: (source: unknown) => source },
  parsers: { mediaType: 'x/none', parse: () => null },
  renderers: { mediaType: 'x/none', format: 'none', render: () => '' },
}

/** Exports of the package that no case needs, with the reason. */
const NOT_JUDGED: Readonly<Record<string, string>> = {
  AllowAny: 'does nothing, as no permission at all does',
  RateThrottle: 'what the three throttles of the document extend',
  TokenRateThrottle: 'DRF has no quota for each token',
  ConcurrencyThrottle: 'not in the document',
  TokenHasScope: 'not in the document',
  JWTAuthentication: 'not in the document',
  IntrospectionAuthentication: 'not in the document',
  HasRole: 'not in the document',
  IsRecentlyAuthenticated: 'not in the document',
  IsAdministrator: 'of the administration, which DRF has elsewhere',
  IsAccountOwner: "of the account's own pages, which DRF leaves to Django",
  FieldFilter: 'not in the document',
  FileParser: 'the cases have no endpoint with it',
  StaticHTMLRenderer: 'the cases have no endpoint with it',
  Users: 'keeps accounts: what `authenticate` means there is no scheme',
}

const exported = await exportedPolicies()
const used = usedPolicies()

describe('a policy that does nothing', () => {
  test.each([...used.keys()].filter((name) => !(name in NOT_JUDGED)))(
    'fails a case: %s',
    async (policy) => {
      const parts = partsOf(world)
      const idle = Object.groupBy(used.get(policy)!, ({ kind }) => kind)
      const without = Object.entries(idle).map(([kind, named]) => [
        kind,
        {
          ...parts[kind as keyof Parts],
          ...Object.fromEntries(named!.map(({ name }) => [name, IDLE[kind]])),
        },
      ])
      await served(
        { ...parts, ...Object.fromEntries(without) },
        keysWithout(policy),
        async (url) => {
          expect(await firstFailure(url, casesAbout(policy))).not.toBeNull()
        },
      )
    },
  )
})

test('every policy that the package exports is used by the service, or not judged for a reason', () => {
  const known = [...used.keys(), ...Object.keys(NOT_JUDGED)]
  expect([...exported].filter((name) => !known.includes(name))).toEqual([])
  expect(Object.keys(NOT_JUDGED).filter((name) => !exported.has(name))).toEqual([])
})

/** Replacements of each function that makes one policy of several, by a function that makes another one. */
const WRONG: readonly (readonly [string, Composers])[] = [
  ['allOf, of which one is enough', { ...composers, allOf: composers.anyOf as never }],
  ['anyOf, of which all are asked for', { ...composers, anyOf: composers.allOf as never }],
  ['not, which says what is inside', { ...composers, not: (permission) => permission }],
  ['firstOf, which asks only the first', { ...composers, firstOf: ([first]) => first as never }],
  ['firstOf, which asks only the last', { ...composers, firstOf: (all) => all.at(-1) as never }],
]

describe('a composition of policies that decides otherwise', () => {
  const composed = [
    { kind: 'policies', name: 'DenyAll' },
    { kind: 'policies', name: 'IsSelf' },
    { kind: 'versionings', name: 'HeaderOrParamVersioning' },
  ]
  const customs = cases.filter(isAbout(composed))

  test.each(WRONG)('fails a case: %s', async (_, wrong) => {
    await served(partsOf(world, wrong), {}, async (url) => {
      expect(await firstFailure(url, customs)).not.toBeNull()
    })
  })

  test('is tried for every function that the package has for it', () => {
    const made = [composition, order].flatMap((module) => Object.keys(module))
    // A choice by version composes no policies.
    const published = made.filter((name) => /^[a-z]/.test(name) && name !== 'byVersion')
    expect(published.toSorted()).toEqual(Object.keys(composers).toSorted())
    for (const name of published)
      expect(WRONG.some(([what]) => what.startsWith(`${name},`))).toBe(true)
  })

  test('and as it is fails none', async () => {
    await served(partsOf(world), {}, async (url) => {
      expect(await firstFailure(url, customs)).toBeNull()
    })
  })
})

/** Classes with an operation of a policy, from every entry point of the package. */
async function exportedPolicies(): Promise<ReadonlySet<string>> {
  const operations = Object.values(KEYS).flatMap(({ can = [] }) => can)
  const isPolicy = (value: unknown): boolean =>
    typeof value === 'function' &&
    operations.some((name) => typeof value.prototype?.[name] === 'function')
  const root = join(import.meta.dirname, '..', '..')
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string>>
  }
  const doors = await Promise.all(
    Object.values(exports).map((file) => import(join(root, file)) as Promise<object>),
  )
  const named = doors.flatMap((door) => Object.entries(door))
  return new Set(named.filter(([, value]) => isPolicy(value)).map(([name]) => name))
}

/** The parts of the service, by the exported policy that they are made of, or extend. */
function usedPolicies() {
  const found = new Map<string, { kind: string; name: string }[]>()
  const add = (policy: string, part?: { kind: string; name: string }) =>
    found.set(policy, [...(found.get(policy) ?? []), ...(part ? [part] : [])])
  for (const name of Object.values(GLOBAL_KEYS).flat())
    if (exported.has(name as string)) add(name as string)
  for (const [kind, table] of Object.entries(partsOf({ accounts: {} as World['accounts'] })))
    for (const [name, part] of Object.entries(table as object)) {
      const policy = kind in IDLE ? policyOf(typeof part === 'function' ? part({}) : part) : null
      if (policy !== null) add(policy, { kind, name })
    }
  return found
}

/** The nearest exported class; `null`: the service has its own. */
function policyOf(part: unknown): string | null {
  for (let at = Object.getPrototypeOf(part); at !== null; at = Object.getPrototypeOf(at))
    if (exported.has(at.constructor.name)) return at.constructor.name
  return null
}

/** The configuration keys without a policy in their values. */
function keysWithout(policy: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(GLOBAL_KEYS)
      .filter(([, value]) => value === policy || (Array.isArray(value) && value.includes(policy)))
      .map(([key, value]) => [
        key,
        Array.isArray(value) ? value.filter((each) => each !== policy) : null,
      ]),
  )
}

/** The members of entries that name parts of each kind. */
const PLACES: Readonly<Record<string, keyof EntryConfig>> = {
  schemes: 'authentication_classes',
  policies: 'permission_classes',
  throttles: 'throttle_classes',
  styles: 'pagination_class',
  paginators: 'pagination_class',
  envelopes: 'pagination_class',
  versionings: 'versioning_class',
  filters: 'filter_backends',
  parsers: 'parser_classes',
  renderers: 'renderer_classes',
}

function isNamed(name: string, kind: string, { view, config = {} }: Entry): boolean {
  if (kind === 'kinds') return view === name
  return JSON.stringify(config[PLACES[kind]!] ?? null).includes(`"${name}"`)
}

/** The cases that ask for an entry with the policy's name first; then the others, mixed from all files. */
function casesAbout(policy: string): readonly Case[] {
  const asks = isAbout(used.get(policy)!)
  const rest = cases.filter((each) => !asks(each))
  const mixed = Map.groupBy(rest, (_, index) => index % 29)
  return [...cases.filter(asks), ...[...mixed.values()].flat()]
}

/** Does a case ask for an entry that names one of these parts? */
function isAbout(parts: readonly { kind: string; name: string }[]): (each: Case) => boolean {
  const naming = entries.filter((entry) =>
    parts.some(({ kind, name }) => isNamed(name, kind, entry)),
  )
  const paths = new Set(naming.map(({ path }) => path))
  return ({ steps }) =>
    steps.some(({ request, walk }) => fits(request?.path ?? walk?.path ?? '', paths))
}

/** `/books/7/?page=2` is an address of `/books/<id>/`. */
function fits(path: string, patterns: ReadonlySet<string>): boolean {
  const plain = path.replace(/[?#].*$/s, '')
  return patterns.has(plain) || patterns.has(plain.replace(/\d+(?=\/$)/, '<id>'))
}

async function firstFailure(url: string, among: readonly Case[]): Promise<string | null> {
  for (const each of among) {
    if (each.differs_ok || each.better !== undefined) continue
    if ((await runCase(url, each)) !== null) return each.id
  }
  return null
}

/** Serves a variant of the service. */
async function served(
  parts: Parts,
  keys: Readonly<Record<string, unknown>>,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const configuration = configured({ DATABASE_URL: databaseUrl, ...keys })
  const server: RunningServer = await serve(
    createService({ entries, world, configuration, parts }),
    {
      port: 0,
    },
  )
  try {
    await use(server.url)
  } finally {
    await server.close()
  }
}
