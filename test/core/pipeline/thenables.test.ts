// Query builders (Drizzle, Knex, Prisma) are promises of their own kind: what they give is waited for.
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import {
  BasicAuthentication,
  IsAuthenticated,
  allOf,
  arraySource,
  defineApi,
  list,
} from '../../../src/index.ts'
import { client } from '../../../src/testing.ts'
import { user } from '../../behaviour/fixtures.ts'

/** As a query builder: it runs when it is awaited, and is no `Promise`. */
function query<T>(value: T): Promise<T> {
  // oxlint-disable-next-line unicorn/no-thenable -- as theirs
  const builder = { then: (use: (value: T) => unknown) => queueMicrotask(() => use(value)) }
  return builder as unknown as Promise<T>
}

const jane = user('jane')
const users = {
  authenticate: (name: string, password: string) =>
    query(name === 'jane' && password === 'right' ? jane : null),
}
const basic = (password: string): Record<string, string> => ({
  authorization: `Basic ${btoa(`jane:${password}`)}`,
})

test('a handler returns a query', async () => {
  const api = defineApi({ urls: { books: '/books/' } })
  const { get } = client(api.serve([api.endpoint('books').get(() => query(['Emma']))]))
  expect(await get('/books/')).toMatchObject({ status: 200, data: ['Emma'] })
})

test.each<[object, RegExp]>([
  ...[false, 0, undefined, { wait: 5 }].flatMap((given): [object, RegExp][] => [
    [{ throttles: [{ admit: () => given }] }, /admit\(\) of Object must return/],
    [{ throttles: [{ admit: () => query(given) }] }, /admit\(\) of Object must return/],
  ]),
  ...[true, undefined, [jane, 'a'], jane].map((given): [object, RegExp] => [
    { authentication: [{ authenticate: () => given }] },
    /authenticate\(\) of Object must return/,
  ]),
  ...[1, {}, query(1)].map((given): [object, RegExp] => [
    { versioning: { determineVersion: () => given } },
    /determineVersion\(\) of Object must return/,
  ]),
  ...[1, Promise.resolve('Basic')].map((given): [object, RegExp] => [
    {
      authentication: [{ authenticate: () => null, authenticateHeader: () => given }],
      permissions: [new IsAuthenticated()],
    },
    /authenticateHeader\(\) of Object must return/,
  ]),
  ...[undefined, [1, 2]].map((given): [object, RegExp] => [
    { pagination: { paginate: () => given, respond: () => [] } },
    /paginate\(\) of Object must return/,
  ]),
])('a wrong answer of a policy is 500, and the log names it: %o', async (policies, message) => {
  const errors: unknown[] = []
  const logger = { info: () => {}, error: (...all: unknown[]) => void errors.push(all) }
  const api = defineApi({ urls: { me: '/me/' }, logger })
  const { get } = client(
    api.serve([api.endpoint('me', policies).get(list({ source: arraySource([1]) }))]),
  )
  expect((await get('/me/')).status).toBe(500)
  expect(inspect(errors, { depth: 9 })).toMatch(message)
})

test.each([
  ['right', 200],
  ['wrong', 401],
])('Basic asks a query for the password %s', async (password, status) => {
  const api = defineApi({
    urls: { me: '/me/' },
    authentication: [new BasicAuthentication({ users })],
  })
  const me = api.endpoint('me').get((request) => request.user?.isAuthenticated ?? false)
  const { get } = client(api.serve([me]))
  expect((await get('/me/', { headers: basic(password) })).status).toBe(status)
})

test.each([
  [true, 200],
  [false, 403],
  [undefined, 403],
])('permissions answer with a query of %s', async (opinion, status) => {
  let asked = 0
  const permission = {
    hasPermission: () => {
      asked++
      return query(opinion as boolean)
    },
  }
  const api = defineApi({ urls: { alone: '/alone/', together: '/together/' } })
  const { get } = client(
    api.serve([
      api.endpoint('alone', { permissions: [permission] }).get(() => null),
      api.endpoint('together', { permissions: [allOf(permission, permission)] }).get(() => null),
    ]),
  )
  expect((await get('/alone/')).status).toBe(status)
  expect((await get('/together/')).status).toBe(status)
  expect(asked).toBe(2)
})
