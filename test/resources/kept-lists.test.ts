import { expect, test } from 'vitest'
import { HTMLRenderer, JSONRenderer, defineApi, field, list, serializer } from '../../src/index.ts'
import { configurationOf } from '../../src/index.ts'
import { portionOf } from '../../src/core/std/row-objects.ts'

const TITLE = '<img src=x onerror=alert(1)>'
const rows = {
  columns: ['id', 'title'],
  values: [
    [1, TITLE],
    [2, 'b'],
  ],
}
const source = {
  count: () => 2,
  slice: () => portionOf(rows).rows,
  cut: () => portionOf(rows),
}

class CSV {
  readonly mediaType = 'text/csv'
  readonly format = 'csv'
  render({ data }: { readonly data: unknown }): string {
    return (data as { id: number; title: string }[])
      .map(({ id, title }) => `${id},${title}`)
      .join('\n')
  }
}

test('a list that was made for JSON and is kept is rendered as each request accepts it', async () => {
  let kept: unknown = null
  const api = defineApi({
    urls: { all: '/all' },
    pagination: null,
    around: (async (_: unknown, next: () => unknown) => (kept ??= await next())) as never,
    renderers: [new JSONRenderer(), new CSV(), new HTMLRenderer()],
  })
  const book = serializer({ id: field.integer(), title: field.text() })
  const app = api.serve(
    [api.endpoint('all').get(list({ source: source as never, serializer: book }))],
    {
      configuration: configurationOf(),
    },
  )
  const asked = async (accept: string): Promise<string> => {
    const request = new Request('http://localhost/all', { headers: { accept } })
    return (await app.fetch(request)).text()
  }
  expect(await asked('application/json')).toBe(`[{"id":1,"title":"${TITLE}"},{"id":2,"title":"b"}]`)
  expect(await asked('text/csv')).toBe(`1,${TITLE}\n2,b`)
  expect(await asked('application/json; indent=2')).toMatch(/^\[\n {2}\{\n/)
  const page = await asked('text/html')
  expect(page).toMatch(/^<!doctype html>/)
  expect(page).not.toContain(TITLE)
})
