import { globSync, readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import * as colophon from '../../src/index.ts'
import { CONVERTERS } from '../../src/links/converters.ts'
import { complaintAbout } from './growth.ts'
import { INPUTS } from './growth-inputs.ts'
import { forgetValues } from './growth-values.ts'

afterAll(forgetValues)

/** What makes an exported class one that reads what clients send, and what it is called in the registry. */
const KINDS = {
  parser: 'parse',
  filter: 'filter',
  paginator: 'paginate',
  scheme: 'authenticate',
  versioning: 'determineVersion',
  renderer: 'render',
} as const

const policies = Object.entries(KINDS).flatMap(([kind, method]) =>
  Object.entries(colophon)
    .filter(([, value]) => typeof value === 'function' && method in (value.prototype ?? {}))
    .map(([name]) => `${kind} ${name}`),
)
const fields = Object.keys(colophon.field).map((kind) => `field ${kind}`)
const converters = [...Object.keys(CONVERTERS), 'choices'].map((name) => `converter ${name}`)

/** Every header that is asked for by name somewhere; those of servers in front are named by their ending. */
const headers = new Set(
  globSync('src/**/*.ts').flatMap((file) => {
    const text = readFileSync(file, 'utf8').replace(/\/\*[^]*?\*\//g, '')
    const names = [...text.matchAll(/(?<!query\.)\b(?:header|peek)\('([a-z-]+)'\)/g)].map(
      ([, name]) => name!,
    )
    const endings = [...text.matchAll(/\blist\('([a-z]+)'\)/g)].map(
      ([, end]) => `x-forwarded-${end!}`,
    )
    return [...names, ...endings].map((name) => `header ${name}`)
  }),
)

describe('the registry of growth', () => {
  test.each([...policies, ...fields, ...converters, ...headers])('knows %s', (name) => {
    expect(Object.keys(INPUTS)).toContain(name)
  })

  test('holds a mistake: something quadratic is found out', async () => {
    const quadratic = (size: number) => () => {
      let sum = 0
      for (let one = 0; one < size; one++) for (let other = 0; other < size; other++) sum += other
      return sum
    }
    const input = { name: 'two loops', limit: 100_000, prepare: quadratic }
    expect(await complaintAbout(input)).toMatch(/^two loops: [\d.]+ ms for /)
  })
})

describe('Work is bounded before it is done: what four times as much input costs', () => {
  test.each(Object.entries(INPUTS))(
    '%s',
    async (_, inputs) => {
      const complaints = []
      for (const input of await inputs()) complaints.push(await complaintAbout(input))
      expect(complaints.filter((complaint) => complaint !== null)).toEqual([])
      expect(complaints.length).toBeGreaterThan(0)
    },
    60_000,
  )
})
