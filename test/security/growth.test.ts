import { globSync, readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import * as colophon from '../../src/index.ts'
import { CONVERTERS } from '../../src/core/urls/converters.ts'
import { Tenancy } from '../../src/resources/serializers/tenant-references.ts'
import { BODY, HEAD, complaintAbout } from './growth.ts'
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
    const input = { name: 'two loops', limit: HEAD / 2, prepare: quadratic }
    expect(await complaintAbout(input)).toMatch(/^two loops: \d{2,}\.\d times as much for 8 times/)
  })
})

describe('Work is bounded before it is done: what eight times as much input costs', () => {
  test.each(Object.entries(INPUTS))('%s', async (_, inputs) => {
    const complaints = []
    for (const input of await inputs()) complaints.push(await complaintAbout(input))
    expect(complaints.filter((complaint) => complaint !== null)).toEqual([])
    expect(complaints.length).toBeGreaterThan(0)
  })

  test('a list of foreign keys in a resource with tenants', async () => {
    const prepare = (size: number) => async () => {
      const body = new Tenancy({
        scope: {},
        above: {},
        keys: {},
        tenant: ['clinic'],
        row: null,
        isOpen: false,
      })
      const relation = { find: () => ({ clinic: 1 }), scope: undefined }
      const object = body.ofObject()
      const member = object.at('doctors')
      // Eight bytes of JSON name a key.
      for (let key = 0; key < size / 8; key++) await member.find(key, relation, {} as never)
      expect(object.strays({}, null)).toEqual([])
      expect(body.common).toEqual({ clinic: 1 })
    }
    expect(await complaintAbout({ name: 'keys', limit: BODY, prepare })).toBeNull()
  })
})
