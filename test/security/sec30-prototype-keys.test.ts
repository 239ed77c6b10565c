// SEC30: no name in a body, a form or a query reaches a prototype, and depth and width have their limits.
// Extra members are ignored (the document's default). More: test/core/parsing/, test/core/std/http/form.test.ts.
import { expect, test } from 'vitest'
import { ALICES_TOKEN, attacked } from './service.ts'

const { get, post } = await attacked()
const json = (body: string) =>
  post('/notes/', { headers: { ...ALICES_TOKEN, 'content-type': 'application/json' }, body })

const members = (): readonly string[] =>
  [Object.prototype, Array.prototype, Function.prototype].flatMap((prototype) =>
    Object.getOwnPropertyNames(prototype),
  )
const before = members()

test.each([
  '{"__proto__":{"text":"x","polluted":1}}',
  '{"__proto__":null}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"text":{"__proto__":{"polluted":1}}}',
  '{"text":{"toString":"x"}}',
  '[{"__proto__":{"polluted":1}}]',
  '{"__defineGetter__":"x","hasOwnProperty":1,"valueOf":2}',
])('%s has no text, and no effect', async (body) => {
  const answer = await json(body)
  expect(answer.status).toBe(400)
  expect(members()).toEqual(before)
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
})

test.each([
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  '__proto__[polluted]',
  'a[__proto__][b]',
])('a form and a query with %s', async (name) => {
  const form = { [name]: 'polluted' }
  expect((await post('/notes/', { headers: ALICES_TOKEN, form })).status).toBe(400)
  expect(
    (await get(`/notes/?${encodeURIComponent(name)}=1`, { headers: ALICES_TOKEN })).status,
  ).toBe(200)
  expect(members()).toEqual(before)
})

test.each([
  ['100,000 arrays in each other', '['.repeat(100_000) + ']'.repeat(100_000)],
  ['100,000 objects in each other', '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)],
  ['500,000 items', `[${'1,'.repeat(500_000)}1]`],
  ['200,000 members', `{${Array.from({ length: 200_000 }, (_, i) => `"${i}":1`).join(',')}}`],
])('%s are refused', async (_, body) => {
  expect((await json(body)).status).toBe(400)
})
