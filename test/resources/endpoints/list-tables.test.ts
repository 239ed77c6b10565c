import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Portion, Rows } from '../../../src/core/ports/list-source.ts'
import type { CountedPage } from '../../../src/core/ports/policies/pagination.ts'
import {
  type ApiRequest,
  CursorPagination,
  HTMLRenderer,
  JSONRenderer,
  LimitOffsetPagination,
  PageNumberPagination,
  ValidationError,
  arraySource,
  configurationOf,
  defineApi,
  list,
  paginated,
  reply,
} from '../../../src/index.ts'
import type { Paginator, Renderer, Serializer } from '../../../src/types.ts'
import { portionOf } from '../../../src/core/std/row-objects.ts'
import { client } from '../../../src/testing.ts'
import { CHARACTER } from '../../setup/characters.ts'

type Value = string | number | null
interface Row {
  readonly id: number
  readonly title: Value
}

/** Rows of which each reading is a table, as a database gives it. */
function tableSource(rows: readonly Row[]) {
  const whole = arraySource(rows, { key: 'id' })
  const counts = { objects: 0 }
  const portion = (some: readonly Row[]): Portion<Row> => {
    const table = { columns: ['id', 'title'], values: some.map(({ id, title }) => [id, title]) }
    const found = portionOf<Row, Rows>(table)
    return {
      get rows() {
        counts.objects += 1
        return found.rows
      },
      get table() {
        return found.table
      },
    }
  }
  return {
    counts,
    count: () => rows.length,
    slice: (offset: number, limit: number) => portion(rows.slice(offset, offset + limit)).rows,
    cut: (offset: number, limit: number) => portion(rows.slice(offset, offset + limit)),
    page(at: (count: number) => { offset: number; limit: number }) {
      const { offset, limit } = at(rows.length)
      const found = portion(rows.slice(offset, offset + limit))
      return Object.assign(found, { count: rows.length })
    },
    seek(request: Parameters<typeof whole.seek>[0]) {
      const { rows: some, ...rest } = whole.seek(request)
      return Object.assign(portion(some), rest)
    },
  }
}

const represent = ({ id, title }: Row) => ({ at: id, title })

/** Shows the values of a table as `represent` shows the row. */
const fromTable: Serializer<Row>['fromTable'] = ({ columns, values }) =>
  values.map((row) => ({ at: row[columns.indexOf('id')], title: row[columns.indexOf('title')] }))
const showing = { represent, fromTable }

class Wrapping extends PageNumberPagination {
  override respond(page: CountedPage, results: readonly unknown[]) {
    return reply({ meta: { total: page.count }, data: results })
  }
}
class Doubling extends PageNumberPagination {
  override respond(page: CountedPage, results: readonly unknown[]) {
    return reply({ once: results, deep: { twice: [results, { results }] } })
  }
}
class Mapping extends PageNumberPagination {
  override respond(page: CountedPage, results: readonly unknown[]) {
    return reply({ sizes: results.length, all: results.map((each) => ({ each })).toReversed() })
  }
}
class Counting extends PageNumberPagination {
  override respond(page: CountedPage, results: readonly unknown[]) {
    return reply(results, { headers: { 'X-Total': String(page.count) } })
  }
}
/** Shows only rows with a title, as programs do that know nothing of tables. */
class Leaving extends PageNumberPagination {
  override async paginate(
    ...[source, request, view]: Parameters<PageNumberPagination['paginate']>
  ) {
    const page = await super.paginate(source, request, view)
    const rows = page?.rows as readonly Row[]
    return page && { ...page, rows: rows.filter(({ title }) => title !== null) }
  }
}
/** Changes the rows that it got. */
class Marking extends LimitOffsetPagination {
  override async paginate(
    ...[source, request, view]: Parameters<LimitOffsetPagination['paginate']>
  ) {
    const page = await super.paginate(source, request, view)
    for (const row of (page?.rows ?? []) as { title: Value }[]) row.title = 'marked'
    return page
  }
}

const pageSize = 3
const styles: Readonly<Record<string, Paginator | null>> = {
  numbers: new PageNumberPagination({ pageSize }),
  uncounted: new PageNumberPagination({ pageSize, count: 'none' }),
  offsets: new LimitOffsetPagination({ defaultLimit: pageSize }),
  cursors: new CursorPagination({ pageSize, ordering: ['title'] }) as unknown as Paginator,
  wrapping: new Wrapping({ pageSize }),
  doubling: new Doubling({ pageSize }),
  mapping: new Mapping({ pageSize }),
  counting: new Counting({ pageSize }),
  leaving: new Leaving({ pageSize }),
  marking: new Marking({ defaultLimit: pageSize }),
  none: null,
}
const lookingAtRows = ['doubling', 'mapping', 'leaving', 'marking']
const handingOn = Object.keys(styles).filter((name) => !lookingAtRows.includes(name))

function serve(
  rows: readonly Row[],
  pagination: Paginator | null,
  serializer: Serializer<Row> = showing,
  renderers: readonly Renderer[] = [new JSONRenderer(), new HTMLRenderer()],
) {
  const source = tableSource(rows)
  const logged: unknown[] = []
  const logger = { error: (record: object) => logged.push(record) }
  const shown = { represent: serializer.represent }
  const api = defineApi({
    urls: { tables: '/rows/', objects: '/plain/', changed: '/changed/' },
    pagination,
    renderers,
    logger,
  })
  const app = api.serve(
    [
      api.endpoint('tables').get(list({ source, serializer })),
      api.endpoint('objects').get(list({ source, serializer: shown })),
      api.endpoint('changed').get(async (request) => {
        const { data } = (await paginated(request, source, showing)) as { data: { results: Row[] } }
        data.results.push({ id: -1, title: 'more' })
        return data
      }),
    ],
    { configuration: configurationOf({ SECRET_KEY: 'a secret key of many characters' }) },
  )
  return { source, logged, http: client(app) }
}

/** Of two endpoints, cursors differ, and the rest must not. */
const comparable = (text: string, path: string) =>
  text.replaceAll(/cursor=[^"]*/g, 'cursor').replaceAll(path, '/')

const rows = fc.uniqueArray(
  fc.record({
    id: fc.integer(),
    title: fc.oneof(fc.string({ unit: CHARACTER }), fc.constantFrom(null, '\u2028', 'é', 'a"b')),
  }),
  { selector: ({ id }) => id, maxLength: 12 },
)

describe.each(Object.keys(styles))('a list in the style %s', (name) => {
  test('N40 gives the same bytes, from a table and from objects', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.nat(3), async (some, at) => {
        const { http } = serve(some, styles[name]!)
        const query = `?page=${at + 1}&offset=${at}`
        const tables = await http.get(`/rows/${query}`)
        const objects = await http.get(`/plain/${query}`)
        expect(comparable(tables.text, '/rows/')).toBe(comparable(objects.text, '/plain/'))
        expect(tables.status).toBe(objects.status)
      }),
      { numRuns: 40 },
    )
  })
})

const HTML = { headers: { Accept: 'text/html' } }

describe('rows of a table', () => {
  const one = [{ id: 1, title: 'a' }]
  const style = styles['numbers']!

  test.each(handingOn)('need no objects in the style %s', async (name) => {
    const { http, source } = serve(one, styles[name]!)
    const { status, text } = await http.get('/rows/')
    expect([status, source.counts.objects]).toEqual([200, 0])
    expect(text).toContain('[{"at":1,"title":"a"}]')
  })

  test('may be changed by a handler', async () => {
    const { data } = await serve(one, style).http.get('/changed/')
    expect(data).toMatchObject({ count: 1, results: [{ at: 1, title: 'a' }, { id: -1 }] })
  })

  test('are shown to renderers of all kinds', async () => {
    class Own extends JSONRenderer {
      override render(...[answer, context]: Parameters<JSONRenderer['render']>) {
        const { results } = answer.data as { results: readonly object[] }
        return super.render({ ...answer, data: results.map((row) => ({ row })) }, context)
      }
    }
    const renderers = [new Own(), new HTMLRenderer()]
    const { http, source } = serve(one, style, showing, renderers)
    expect((await http.get('/rows/')).data).toEqual([{ row: { at: 1, title: 'a' } }])
    const page = await http.get('/rows/', HTML)
    expect([page.status, page.text.includes('<b>"at"</b>: <u>1</u>')]).toEqual([200, true])
    expect(source.counts.objects).toBe(0)
  })

  test('are what a page is made of, where its data are', async () => {
    const { http, source } = serve(one, style)
    const page = await http.get('/rows/', HTML)
    expect(page.text).toContain('\n            <b>"at"</b>: <u>1</u>,\n')
    expect(source.counts.objects).toBe(0)
  })

  test('become objects where the serializer cannot show the table', async () => {
    const { data } = await serve(one, style, { represent, fromTable: () => null }).http.get(
      '/rows/',
    )
    expect(data).toMatchObject({ results: [{ at: 1, title: 'a' }] })
  })

  test('have no body in the answer to HEAD', async () => {
    const { http, source } = serve(one, style)
    const [got, head] = [await http.get('/rows/'), await http.head('/rows/')]
    expect([head.status, head.text, source.counts.objects]).toEqual([200, '', 0])
    expect(head.header('content-type')).toBe(got.header('content-type'))
  })

  test.each([
    ['an answer', new ValidationError({ title: ['none'] }), 400, 0],
    ['a failure', new RangeError('broken'), 500, 1],
  ])('fail as objects do: %s', async (_, error, status, lines) => {
    const fail = () => {
      throw error
    }
    const { http, logged } = serve(one, style, { represent: fail, fromTable: fail })
    const answers = [await http.get('/rows/'), await http.get('/plain/')]
    expect(answers.map((answer) => answer.status)).toEqual([status, status])
    expect(logged).toHaveLength(2 * lines)
    expect(answers.map((answer) => answer.header('vary'))).toEqual(['Accept', 'Accept'])
  })

  test('vary by what their serializer reads of the request', async () => {
    const read = (request: ApiRequest) => request.header('x-unit') ?? 'none'
    const { http } = serve(one, style, {
      represent: (row, request) => ({ ...represent(row), title: read(request) }),
      fromTable: (_, request) => [{ at: 1, title: read(request) }],
    })
    const answers = [await http.get('/rows/'), await http.get('/plain/')]
    const [tables, objects] = answers.map((answer) => [answer.header('vary'), answer.data])
    expect(tables?.[0]).toContain('X-Unit')
    expect(tables).toEqual(objects)
  })
})
