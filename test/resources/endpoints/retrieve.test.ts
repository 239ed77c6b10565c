import { describe, expect, test } from 'vitest'
import { NotFound, defineApi, found, retrieve } from '../../../src/index.ts'
import { client } from '../../../src/testing.ts'
import { quiet } from '../../behaviour/fixtures.ts'

const cities = [{ id: 1, name: 'Bergen' }]
const byId = (id: number) => cities.find((city) => city.id === id)
const short = { represent: ({ name }: { name: string }) => ({ name }) }
const address = {
  represent: ({ name }: { name: string }, { path }: { path: string }) => ({ name, path }),
}
const api = defineApi({
  urls: {
    plain: '/plain/:id<int>/',
    short: '/short/:id<int>/',
    chosen: '/chosen/:id<int>/',
    later: '/later/:id<int>/',
    null: '/null/',
    undefined: '/undefined/',
    falsy: '/falsy/',
  },
})
const app = api.serve(
  [
    api.endpoint('plain').get(retrieve({ find: ({ params }) => byId(params.id) })),
    api
      .endpoint('short')
      .get(retrieve({ find: ({ params }) => byId(params.id), serializer: short })),
    api.endpoint('chosen').get(
      retrieve({
        find: ({ params }) => byId(params.id),
        serializer: ({ query }) => (query.get('full') === '1' ? address : short),
      }),
    ),
    api
      .endpoint('later')
      .get(retrieve({ find: async ({ params }) => byId(params.id), serializer: address })),
    api.endpoint('null').get(retrieve({ find: () => null })),
    api.endpoint('undefined').get(retrieve({ find: async () => undefined })),
    api.endpoint('falsy').get(retrieve({ find: () => 0 })),
  ],
  quiet,
)

describe('one object', () => {
  test.each<[string, string, number, unknown]>([
    ['as it is', '/plain/1/', 200, { id: 1, name: 'Bergen' }],
    ['as a serializer shows it', '/short/1/', 200, { name: 'Bergen' }],
    ['chosen by the request', '/chosen/1/?full=1', 200, { name: 'Bergen', path: '/chosen/1/' }],
    ['or otherwise', '/chosen/1/', 200, { name: 'Bergen' }],
    ['found later', '/later/1/', 200, { name: 'Bergen', path: '/later/1/' }],
    ['none', '/plain/2/', 404, { detail: NotFound.detail }],
    ['none, found out later', '/later/2/', 404, { detail: NotFound.detail }],
    ['null is none', '/null/', 404, { detail: NotFound.detail }],
    ['undefined is none', '/undefined/', 404, { detail: NotFound.detail }],
    ['0 is something', '/falsy/', 200, 0],
  ])('%s', async (_, path, status, data) => {
    const answer = await client(app).get(path)
    expect([answer.status, answer.data]).toEqual([status, data])
  })
})

describe('found', () => {
  const checking = (checked: unknown[], wait: boolean) =>
    ({
      checkObjectPermissions: (target: unknown) => {
        checked.push(target)
        return wait ? Promise.resolve() : undefined
      },
    }) as never

  test('gives the row at once where nothing waits', () => {
    const checked: unknown[] = []
    expect(found(checking(checked, false), 'row')).toBe('row')
    expect(checked).toEqual(['row'])
  })
  test('after the permissions, where they wait', async () => {
    const row = found(checking([], true), 'row')
    expect(row).toBeInstanceOf(Promise)
    expect(await row).toBe('row')
  })
  test('and asks none about nothing', () => {
    const checked: unknown[] = []
    expect(() => found(checking(checked, false), null)).toThrow(NotFound)
    expect(checked).toEqual([])
  })
})
