import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { UrlTable } from '../../../src/core/types/routes.ts'
import { CONVERTERS } from '../../../src/core/urls/converters.ts'
import { compileUrls } from '../../../src/core/urls/compile-urls.ts'
import { include } from '../../../src/core/urls/address-table.ts'
import { decodeSegments } from '../../../src/core/urls/encoding.ts'
import { type Segment, isRest, parsePattern } from '../../../src/core/urls/path-pattern.ts'
import { CHARACTER } from '../../setup/characters.ts'

const isWritable = (text: string) => text.isWellFormed() && !/^\.\.?$/.test(text)
const text = fc.string({ unit: CHARACTER, minLength: 1, maxLength: 8 })
const reserved = fc.string({
  unit: fc.constantFrom(...'/?#%&=+;:@ .~\\é\0'),
  minLength: 1,
  maxLength: 6,
})
const anyText = fc.oneof(text, reserved).filter(isWritable)
const slug = fc.string({ unit: fc.constantFrom(...'aZ09-_'), minLength: 1 })
const anyPath = fc.array(fc.oneof(anyText, fc.constant('')), { minLength: 1, maxLength: 4 })
const rest = anyPath
  .map((parts) => parts.join('/'))
  .filter((path) => path !== '' && path.split('/').every(isWritable))

const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  int: fc.maxSafeNat(),
  uuid: fc.uuid(),
  slug,
  str: anyText,
  path: rest,
  'v1|v2|é': fc.constantFrom('v1', 'v2', 'é'),
}

const literal = anyText
  .filter((part) => !part.includes('/') && !part.startsWith(':') && !part.includes('<'))
  .map((part) => ({ part, values: null }))
const parameter = fc.constantFrom(...Object.keys(VALUES).filter((key) => key !== 'path'))
const piece = fc.oneof(literal, fc.constant({ part: '', values: null }), parameter)
const ending = fc.constantFrom('', '/', 'path', 'path/')
const pathShape = fc.tuple(fc.array(piece, { maxLength: 4 }), ending)

/** A path whose first segment is its own, and values for its parameters. */
function toPath([pieces, end]: [unknown[], string], first: string) {
  const values: Record<string, fc.Arbitrary<unknown>> = {}
  const add = (converter: string) => {
    const name = `p${Object.keys(values).length}`
    values[name] = VALUES[converter]!
    return `:${name}<${converter}>`
  }
  const parts = pieces.map((it) =>
    typeof it === 'string' ? add(it) : (it as { part: string }).part,
  )
  const last = end.startsWith('path') ? [add('path') + end.slice(4)] : end === '/' ? [''] : []
  return { path: `/${[first, ...parts, ...last].join('/')}` as const, values: fc.record(values) }
}

test('the name and the parameters of an address that was built come back', () => {
  const tables = fc.array(pathShape, { minLength: 1, maxLength: 6 }).chain((shapes) => {
    const made = shapes.map((shape, index) => toPath(shape, `r${index}`))
    const [outer, inner] = [made.filter((_, n) => n % 2 === 0), made.filter((_, n) => n % 2 === 1)]
    const named = (list: typeof made) =>
      Object.fromEntries(list.map(({ path }, n) => [`n${n}`, path]))
    const table: UrlTable = {
      ...named(outer),
      v1: include('/in/:prefix<int>', { deep: include('/x y/', named(inner)) }),
    }
    const targets = [
      ...outer.map(({ values }, n) => values.map((params) => ({ name: `n${n}`, params }))),
      ...inner.map(({ values }, n) =>
        fc.tuple(values, fc.nat()).map(([params, prefix]) => ({
          name: `v1:deep:n${n}`,
          params: { ...params, prefix },
        })),
      ),
    ]
    return fc.tuple(fc.constant(table), fc.tuple(...targets))
  })
  fc.assert(
    fc.property(tables, ([table, targets]) => {
      const urls = compileUrls(table)
      for (const { name, params } of targets) {
        const path = urls.reverse(name, params)
        const match = urls.match(path)
        expect(match?.route.name).toBe(name)
        expect({ ...match?.params }).toEqual({ ...params })
        expect(new URL(path, 'http://host').pathname).toBe(path)
      }
    }),
    { numRuns: 300 },
  )
})

test('of several paths of a name that which takes what is given: parts may be left out', () => {
  const name = anyText.filter((value) => CONVERTERS.int.parse(value) === undefined)
  const values = fc.oneof(
    fc.constant({}),
    fc.record({ page: fc.maxSafeNat() }),
    fc.record({ name }),
    fc.record({ page: fc.maxSafeNat(), version: fc.constantFrom('v1', '2.0') }),
    fc.record({ version: fc.constantFrom('v1', '2.0') }),
    fc.record({ version: fc.constantFrom('v1', '2.0'), only: fc.constant('v1'), rest }),
  )
  const paths = [
    '/list/',
    '/list/:page<int>/',
    '/list/:name/',
    '/:version<v1|2.0>/list/',
    '/:version<v1|2.0>/list/:page<int>/',
    '/:version<v1|2.0>/list/:only<v1>/:rest<path>',
  ] as const
  const format = fc.option(fc.stringMatching(/^[a-z0-9]+$/), { nil: undefined })
  fc.assert(
    fc.property(
      fc.shuffledSubarray([...paths], { minLength: 6 }),
      values,
      format,
      (table, given, suffix) => {
        const urls = compileUrls({ list: table }, { formatSuffixes: suffix !== undefined })
        const params = suffix === undefined ? given : { ...given, format: suffix }
        const match = urls.match(urls.reverse('list', params))
        expect(match?.route.name).toBe('list')
        // A name that ends like a suffix is the name as it stands.
        if (suffix === undefined) expect({ ...match?.params }).toEqual(params)
      },
    ),
    { numRuns: 300 },
  )
})

test('N5 with a suffix too, where the path as it stands cannot take it', () => {
  const values = fc.record({
    id: fc.maxSafeNat(),
    name: anyText,
    rest,
    format: fc.stringMatching(/^[a-z0-9]+$/),
  })
  const urls = compileUrls(
    { a: '/a/:id<int>/:name/', b: '/b/:id<int>/:rest<path>/' },
    { formatSuffixes: true },
  )
  fc.assert(
    fc.property(values, ({ id, name, rest: path, format }) => {
      const first = { id, name, format }
      expect({ ...urls.match(urls.reverse('a', first))?.params }).toEqual(first)
      const second = { id, rest: path, format }
      expect({ ...urls.match(urls.reverse('b', second))?.params }).toEqual(second)
    }),
    { numRuns: 300 },
  )
})

test('a rest at the root comes back, and is never read as a host', () => {
  const urls = compileUrls({ page: '/:rest<path>' })
  fc.assert(
    fc.property(rest, (value) => {
      const path = urls.reverse('page', { rest: value })
      expect(urls.match(path)?.params['rest']).toBe(value)
      expect(new URL(path, 'http://host').host).toBe('host')
    }),
    { numRuns: 300 },
  )
})

describe('the matcher finds what a plain search finds', () => {
  const part = fc.constantFrom('', 'a', '1', 'x', ':p', ':p<int>', ':p<slug>', ':p<a|1>', ':p<x|y>')
  const shape = fc.tuple(
    fc.array(part, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', ':q<path>', ':q<path>/'),
  )
  const tables = fc.uniqueArray(
    shape.map(([parts, end]) => {
      let count = 0
      const named = parts.map((it) => it.replace(':p', () => `:p${count++}`))
      return `/${[...named, ...(end ? [end] : [])].join('/')}` as const
    }),
    { minLength: 1, maxLength: 12, selector: shapeOf },
  )
  const request = fc
    .array(fc.constantFrom('', 'a', '1', 'x', '2', 'b!', '%61', '%2F'), {
      minLength: 1,
      maxLength: 5,
    })
    .map((parts) => `/${parts.join('/')}`)

  test('for tables and paths that overlap', () => {
    fc.assert(
      fc.property(tables, fc.array(request, { minLength: 5, maxLength: 20 }), (paths, requests) => {
        const urls = compileUrls(Object.fromEntries(paths.map((path, n) => [`n${n}`, path])))
        for (const path of requests) {
          expect(urls.match(path)?.route.path ?? null).toBe(search(paths, decodeSegments(path)))
        }
      }),
      { numRuns: 500 },
    )
  })

  function shapeOf(path: string): string {
    return path.replace(/:p\d+/g, ':p').replaceAll(':q', ':p')
  }

  /** Every path that fits, the best by comparing from the left. */
  function search(paths: readonly string[], segments: readonly string[]): string | null {
    const fitting = paths.filter((path) => fits(parsePattern('x', path), segments))
    const order = (path: string) => {
      const pattern = parsePattern('x', path)
      return pattern.map((it, at) => widthOf(it, at < pattern.length - 1))
    }
    return fitting.toSorted((a, b) => compare(order(a), order(b)))[0] ?? null
  }

  function fits(pattern: readonly Segment[], segments: readonly string[]): boolean {
    const at = pattern.findIndex(isRest)
    if (at < 0) {
      return pattern.length === segments.length && pattern.every((it, n) => takes(it, segments[n]!))
    }
    const slash = pattern.length > at + 1
    const tail = segments.slice(at, slash ? -1 : undefined).join('/')
    return (
      pattern.slice(0, at).every((it, n) => n < segments.length && takes(it, segments[n]!)) &&
      tail !== '' &&
      (!slash || segments.at(-1) === '')
    )
  }

  function takes(segment: Segment, value: string): boolean {
    return typeof segment === 'string'
      ? segment === value
      : segment.converter.parse(value) !== undefined
  }

  function widthOf(segment: Segment, followed: boolean): number {
    if (typeof segment === 'string') return -100
    if (segment.converter === CONVERTERS.path) return followed ? 99 : 100
    return segment.converter.width
  }

  function compare(a: readonly number[], b: readonly number[]): number {
    const differs = a.findIndex((width, at) => width !== b[at])
    return differs < 0 ? 0 : a[differs]! - b[differs]!
  }
})
