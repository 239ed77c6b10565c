import { describe, expect, test } from 'vitest'
import {
  type ApiRequest,
  ConfigurationError,
  IsAdminUser,
  IsAuthenticated,
  IsAuthenticatedOrReadOnly,
  TokenHasScope,
  allOf,
  anyOf,
  not,
} from '../../../src/index.ts'
import type { Opinion, Permission } from '../../../src/types.ts'

const request = {} as ApiRequest
const says = (opinion: Opinion, words: Pick<Permission, 'message' | 'code'> = {}): Permission => ({
  ...words,
  hasPermission: () => opinion,
})
const saysOf = (object: Opinion, of?: Opinion): Permission => ({
  hasObjectPermission: () => object,
  ...(of === undefined ? {} : { hasPermission: () => of }),
})
const [yes, no, mute] = [says(true), says(false), says(null)]
const silent = { allowed: false } as const

const ofRequest = (permission: Permission) => permission.hasPermission?.(request) ?? null
const ofObject = (permission: Permission) => permission.hasObjectPermission?.(request, {}) ?? null

describe('Z20, I14 the request', () => {
  test.each<[string, Permission, Opinion]>([
    ['all agree', allOf(yes, yes), true],
    ['one refuses', allOf(yes, no), silent],
    ['one has no opinion: it is open', allOf(yes, mute), null],
    ['one refuses, one has no opinion', allOf(mute, no), silent],
    ['any agrees', anyOf(no, yes), true],
    ['none agrees', anyOf(no, no), silent],
    ['none agrees, one has no opinion: it is open', anyOf(no, mute), null],
    ['one agrees, one has no opinion', anyOf(mute, yes), true],
    ['not yes', not(yes), silent],
    ['not no', not(no), true],
    ['D21 no opinion has no opposite', not(mute), null],
    ['not not', not(not(yes)), true],
    ['not, in words of its own', not(yes, { message: 'x' }), { allowed: false, message: 'x' }],
    [
      'not all, in words of its own',
      not(allOf(yes, yes), { message: 'y' }),
      { allowed: false, message: 'y' },
    ],
    ['one alone', allOf(no), silent],
    ['nested', anyOf(allOf(yes, no), not(anyOf(no, no))), true],
    ['De Morgan: not all', not(allOf(yes, no)), true],
    ['De Morgan: not any', not(anyOf(no, yes)), silent],
    ['a no with words is a no', not(says({ allowed: false, message: 'x' })), true],
  ])('%s', (_, permission, opinion) => {
    expect(ofRequest(permission)).toEqual(opinion)
  })
})

describe('a document asks', () => {
  const [user, writer] = [new IsAuthenticated(), new IsAuthenticatedOrReadOnly()]
  const [read, write] = [
    new TokenHasScope({ scopes: ['read'] }),
    new TokenHasScope({ scopes: ['write'] }),
  ]

  test.each<[string, Permission, boolean, boolean]>([
    ['one alone', allOf(writer), false, true],
    ['a scope', read, true, true],
    ['all of them, of which one needs a user', allOf(yes, user), true, true],
    ['all of them, of which none does', allOf(yes, mute), false, false],
    ['any of them, of which one does not', anyOf(user, yes), false, false],
    ['any of them, of which each does', anyOf(user, writer), false, true],
    ['the opposite, of which nothing is known', not(user), false, false],
    ['nested', allOf(anyOf(user, yes), anyOf(writer, user)), false, true],
  ])('whether a user is needed by %s', (_, permission, toRead, toWrite) => {
    expect(['GET', 'POST'].map((method) => permission.needsUser!(method))).toEqual([
      toRead,
      toWrite,
    ])
  })

  test.each<[string, Permission, readonly string[]]>([
    ['all of them', allOf(read, write, yes), ['read', 'write']],
    ['any of them: none alone', anyOf(read, write), []],
    ['the opposite', allOf(not(read), write), ['write']],
    ['nested', allOf(read, anyOf(write, yes)), ['read']],
  ])('which scopes are needed by %s', (_, { scopes }, names) => {
    expect(scopes).toEqual(names)
  })
})

describe('Z21–Z23, I14 the object', () => {
  test.each<[string, Permission, Opinion]>([
    ['all: each counts', allOf(saysOf(true), saysOf(false)), silent],
    ['all: what refused the request counts', allOf(saysOf(true, false), saysOf(true)), silent],
    ['any: one is enough', anyOf(saysOf(false), saysOf(true)), true],
    [
      'Z22 any: not one that refused the request',
      anyOf(saysOf(true, false), saysOf(false)),
      silent,
    ],
    ['Z22 any: one that agreed to the request', anyOf(yes, saysOf(false)), true],
    ['Z22 any: nor one without object rules that refused', anyOf(no, saysOf(false)), silent],
    ['Z22 any: one without object rules decides by the request', anyOf(no, saysOf(true)), true],
    ['Z22 all inside of any', anyOf(allOf(no, saysOf(true)), saysOf(false)), silent],
    ['not: the object', not(saysOf(true)), silent],
    ['not: the contrary', not(saysOf(false)), true],
    ['not: one no is enough', not(saysOf(true, false)), silent],
    ['D21 not: no opinion about the object', not(saysOf(null)), null],
    ['D21 not, without object rules, refuses no object', allOf(not(no), saysOf(true)), true],
    ['not all: an owner who is logged in', not(allOf(yes, saysOf(true))), silent],
    ['not all: somebody else who is logged in', not(allOf(yes, saysOf(false))), true],
    ['not any: an owner', not(anyOf(no, saysOf(true))), silent],
    ['not any: nobody of them', not(anyOf(no, saysOf(false))), true],
    ['no opinion anywhere', anyOf(saysOf(null), no), null],
  ])('%s', (_, permission, opinion) => {
    expect(ofObject(permission)).toEqual(opinion)
  })

  test('what an object rule may still decide is left open at the request', () => {
    expect(ofRequest(anyOf(no, saysOf(false)))).toBeNull()
    expect(ofRequest(not(allOf(yes, saysOf(true))))).toBeNull()
  })
})

describe('the levels that nobody has rules for are not asked', () => {
  test('about the request', () => {
    const composed = anyOf(saysOf(true), not(saysOf(false)))
    expect(composed.hasPermission).toBeUndefined()
    expect(composed.hasObjectPermission).toBeTypeOf('function')
  })
  test('about the object', () => {
    const composed = allOf(new IsAuthenticated(), not(new IsAdminUser()))
    expect(composed.hasPermission).toBeTypeOf('function')
    expect(composed.hasObjectPermission).toBeUndefined()
  })
})

describe('instead of Z24: what a refusal says', () => {
  const a = says(false, { message: 'a', code: 'ca' })
  const b = says(false, { message: ['b'] })
  const coded = says(false, { code: 'cc' })
  test.each<[string, Permission, object]>([
    ['all: the first that refuses', allOf(yes, a, b), { message: 'a', code: 'ca' }],
    ['all: though it says nothing', allOf(no, a), {}],
    ['any: the first that says something', anyOf(no, b, a), { message: ['b'] }],
    ['any: a code is something', anyOf(no, coded, a), { code: 'cc' }],
    ['any: nobody says anything', anyOf(no, no), {}],
    ['nested', anyOf(no, allOf(yes, anyOf(no, a))), { message: 'a', code: 'ca' }],
    ['not: the words inside would say the contrary', not(says(true, { message: 'x' })), {}],
    ['not: its own', not(yes, { message: 'n', code: 'cn' }), { message: 'n', code: 'cn' }],
    ['not of all: its own', not(allOf(yes, yes), { message: 'n' }), { message: 'n' }],
    ['not of any: its own', not(anyOf(yes, a), { message: 'n' }), { message: 'n' }],
    [
      'not not: those of the permission',
      not(not(a, { message: 'n' })),
      { message: 'a', code: 'ca' },
    ],
    ['not not, with its own', not(not(a), { message: 'nn' }), { message: 'nn', code: 'ca' }],
    ['words of the moment', says({ allowed: false, message: 'now' }), { message: 'now' }],
    [
      'words of the moment go before those of the permission',
      allOf({
        message: 'ever',
        code: 'ce',
        hasPermission: () => ({ allowed: false, message: 'now' }),
      }),
      { message: 'now', code: 'ce' },
    ],
  ])('%s', (_, permission, words) => {
    expect(ofRequest(permission)).toEqual({ allowed: false, ...words })
  })

  test('about an object: of the level that refused', () => {
    const owner: Permission = { message: 'not yours', hasObjectPermission: () => false }
    expect(ofObject(anyOf(no, owner))).toEqual({ allowed: false, message: 'not yours' })
  })
})

describe('D22 how often they are asked', () => {
  const counting = (of: Opinion, object: Opinion, later = false) => {
    const counts = { request: 0, object: 0 }
    const answer = (opinion: Opinion) => (later ? Promise.resolve(opinion) : opinion)
    const permission: Permission = {
      hasPermission: () => ((counts.request += 1), answer(of)),
      hasObjectPermission: () => ((counts.object += 1), answer(object)),
    }
    return { permission, counts }
  }

  test('the request: once, also for several objects, also where a permission stands twice', async () => {
    for (const later of [false, true]) {
      const [a, b] = [counting(false, true, later), counting(true, true, later)]
      const composed = anyOf(allOf(a.permission, b.permission), not(a.permission), b.permission)
      const one = {} as ApiRequest
      await composed.hasPermission!(one)
      await composed.hasObjectPermission!(one, 'first')
      expect([a.counts, b.counts]).toEqual([
        { request: 1, object: 1 },
        { request: 1, object: 1 },
      ])
      await composed.hasObjectPermission!(one, 'second')
      expect([a.counts, b.counts]).toEqual([
        { request: 1, object: 2 },
        { request: 1, object: 2 },
      ])
      await composed.hasPermission!({} as ApiRequest)
      expect([a.counts.request, b.counts.request]).toEqual([2, 1])
    }
  })

  test('Z21, Z22 no more than are needed', () => {
    const [a, b] = [counting(false, true), counting(true, true)]
    void allOf(a.permission, b.permission).hasPermission!(request)
    expect([a.counts.request, b.counts.request]).toEqual([1, 0])
    void anyOf(b.permission, a.permission).hasPermission!({} as ApiRequest)
    expect([a.counts.request, b.counts.request]).toEqual([1, 1])
  })

  test('Z22 what refused the request is not asked about the object', () => {
    const { permission, counts } = counting(false, true)
    const composed = anyOf(permission, saysOf(false))
    expect(composed.hasObjectPermission!({} as ApiRequest, {})).toEqual(silent)
    expect(counts).toEqual({ request: 1, object: 0 })
  })

  test('what was not needed at the request is asked at the object', () => {
    const [a, b] = [counting(true, false), counting(true, true)]
    const composed = anyOf(a.permission, b.permission)
    const one = {} as ApiRequest
    expect(composed.hasPermission!(one)).toBe(true)
    expect(b.counts.request).toBe(0)
    expect(composed.hasObjectPermission!(one, {})).toBe(true)
    expect([a.counts, b.counts]).toEqual([
      { request: 1, object: 1 },
      { request: 1, object: 1 },
    ])
  })
})

describe('sync stays sync', () => {
  test('without a promise nothing waits', () => {
    expect(anyOf(no, not(allOf(yes, no))).hasPermission!(request)).toBe(true)
  })
  test('a promise is waited for', async () => {
    const later: Permission = { hasPermission: async () => false, message: 'later' }
    const opinion = allOf(yes, later).hasPermission!(request)
    expect(opinion).toBeInstanceOf(Promise)
    expect(await opinion).toEqual({ allowed: false, message: 'later' })
  })
  test('but not one that is not needed', () => {
    const later: Permission = { hasPermission: async () => true }
    expect(anyOf(yes, later).hasPermission!(request)).toBe(true)
  })
})

describe('what is neither yes nor no lets nobody in, negated or not', () => {
  test.each([[undefined], [0], [''], ['yes'], [1], [{}], [{ allowed: true }]])('%j', (value) => {
    const sloppy = says(value as unknown as Opinion)
    expect(ofRequest(allOf(sloppy))).toMatchObject(silent)
    expect(ofRequest(not(sloppy))).toMatchObject(silent)
  })
})

describe('Z5 what a permission raises goes through', () => {
  const raising: Permission = {
    hasPermission() {
      throw new RangeError('x')
    },
  }
  test('at once', () => {
    expect(() => anyOf(no, raising).hasPermission!(request)).toThrow(RangeError)
  })
  test('later', async () => {
    const later: Permission = { hasPermission: async () => Promise.reject(new RangeError('x')) }
    await expect(not(later).hasPermission!(request)).rejects.toThrow(RangeError)
  })
})

describe('refused where it is made', () => {
  test.each<[string, () => unknown, RegExp]>([
    ['all of nothing', () => allOf(), /allOf\(\) wants at least one/],
    ['any of nothing', () => anyOf(), /anyOf\(\) wants at least one/],
    ['a class', () => allOf(IsAuthenticated as never), /Give objects, not classes/],
    ['nothing at all', () => not(undefined as never), /not\(\) wants permissions/],
    ['something else', () => anyOf({ allow: true } as never), /anyOf\(\) wants permissions/],
  ])('%s', (_, compose, message) => {
    expect(compose).toThrow(ConfigurationError)
    expect(compose).toThrow(message)
  })
})
