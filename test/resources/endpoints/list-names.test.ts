// Lists are searched, ordered and filtered by the names that a version of the serializer shows.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type ApiRequest,
  ConfigurationError,
  CursorPagination,
  FieldFilter,
  OrderingFilter,
  QueryParameterVersioning,
  SearchFilter,
  arraySource,
  byVersion,
  configurationOf,
  defineApi,
  field,
  list,
  omit,
  resource,
  serializer,
} from '../../../src/index.ts'
import type { FilteredFields } from '../../../src/types.ts'
import { client } from '../../../src/testing.ts'
import { notebook } from '../../behaviour/fixtures.ts'

interface Row {
  readonly id: number
  readonly title: string
  readonly status: string
  readonly closed_at: string | null
  readonly organisation_id: number
  readonly secret: string
}
const rows: readonly Row[] = [
  ['Printer', 'open', null, 1],
  ['Paper', 'closed', '2024-05-01', 1],
  ['Screen', 'closed', '2024-04-01', 2],
  ['Paint', 'waiting', null, 2],
].map(([title, status, closed_at, organisation_id], at) => ({
  ...({ title, status, closed_at, organisation_id } as Omit<Row, 'id' | 'secret'>),
  id: at + 1,
  secret: 'abcd'[at]!,
}))
const source = arraySource(rows, { key: 'id' })

const ticket = serializer({
  id: field.integer({ readOnly: true }),
  subject: field.text({ source: 'title', until: 'v2', required: false }),
  title: field.text({ since: 'v2', required: false }),
  state: field.choice(['open', 'waiting', 'closed'], { source: 'status' }),
  closedAt: field.text({ source: 'closed_at', nullable: true }),
  password: field.text({ source: 'secret', writeOnly: true }),
  age: field.computed(({ id }: Row) => id * 2),
  owner: field.nested(serializer({ id: field.integer() }), {
    readOnly: true,
    source: 'organisation_id' as never,
  }),
  deep: field.text({ source: 'author.name', readOnly: true } as never),
  tags: field.list(field.text(), { readOnly: true, source: 'title' as never }),
})
const ids = { represent: ({ id }: Row) => id }

const DECLARED = {
  searchFields: ['subject', '^title', { column: 'secret', lookup: 'exact' }],
  orderingFields: [
    'id',
    'subject',
    'title',
    'closedAt',
    { name: 'org', column: 'organisation_id' },
  ],
  ordering: '-id',
  filterFields: [
    'subject',
    'title',
    'title__istartswith',
    'state',
    'state__in',
    'state__icontains',
    'closedAt__gte',
    { name: 'org', column: 'organisation_id' },
    { name: 'closedBefore', column: 'closed_at', lookup: 'lt' },
  ],
} as const satisfies FilteredFields

const filters = [new SearchFilter(), new OrderingFilter(), new FieldFilter()]
const SECRET_KEY = 'a secret that is long enough for cursors'

function serve(spec: object) {
  const api = defineApi({
    urls: { tickets: '/tickets/' },
    versioning: new QueryParameterVersioning(),
    allowedVersions: ['v1', 'v2'],
    defaultVersion: 'v2',
    filters,
    logger: notebook(),
  })
  const tickets = list({ source, serializer: ticket, ...spec } as never)
  return client(
    api.serve([api.endpoint('tickets').get(tickets)], {
      configuration: configurationOf({ SECRET_KEY }),
    }),
  )
}

const FAILED = { status: 500 }
const idsOf = (data: unknown) => (data as { id: number }[]).map(({ id }) => id)

async function ask(query: string, spec: object = DECLARED) {
  const { status, data } = await serve(spec).get(`/tickets/?${query}`)
  return status === 200 ? idsOf(data) : { status, data }
}

describe('names of a version', () => {
  test.each([
    ['nothing', '', [4, 3, 2, 1]],
    ['the name of the newest', 'title=Paper', [2]],
    ['which the first does not have', 'version=v1&title=Paper', [4, 3, 2, 1]],
    ['it has another', 'version=v1&subject=Paper', [2]],
    ['that the newest does not have', 'subject=Paper', [4, 3, 2, 1]],
    ['with a lookup', 'title__istartswith=pa', [4, 2]],
    ['nor has the first one with it', 'version=v1&title__istartswith=pa', [4, 3, 2, 1]],
    ['a field of both', 'version=v1&closedAt__gte=2024-05-01', [2]],
    ['the name in the rows is none', 'closed_at__gte=2024-05-01&status=open', [4, 3, 2, 1]],
    ['a name of its own', 'org=1', [2, 1]],
    ['with a lookup of its own', 'closedBefore=2024-04-15', [3]],
    ['all together', 'org=2&state=closed', [3]],
    ['an order', 'ordering=title', [4, 2, 1, 3]],
    ['which the first calls otherwise', 'version=v1&ordering=-subject', [3, 1, 2, 4]],
    ['and does not know by this name', 'version=v1&ordering=title', [4, 3, 2, 1]],
    ['a name of its own for an order', 'ordering=org,title', [2, 1, 4, 3]],
    ['one field under two names, once', 'version=v1&ordering=subject,-title', [4, 2, 1, 3]],
    ['a search', 'search=pa', [4, 2]],
    ['a search in the first version, in what it shows', 'version=v1&search=pa', [4, 2]],
    ['what is searched by its name in the rows', 'search=c', [3]],
  ])('%s: ?%s', async (_, query, found) => {
    expect(await ask(query)).toEqual(found)
  })

  test('a search looks at a field that the version shows under another name, and at no other', async () => {
    const spec = { searchFields: ['title'] }
    expect(await ask('version=v1&search=pa', spec)).toEqual([2, 4])
    const later = serializer({ id: field.integer(), status: field.text({ since: 'v2' }) })
    const hidden = { serializer: later, searchFields: ['status'] }
    expect(await ask('search=open', hidden)).toEqual([1])
    expect(await ask('version=v1&search=open', hidden)).toEqual([1, 2, 3, 4])
  })

  test('an order of the list holds in each version, whatever the version calls it', async () => {
    const spec = { ordering: ['-title', { column: 'id', descending: true }] }
    expect(await ask('', spec)).toEqual([3, 1, 2, 4])
    expect(await ask('version=v1', spec)).toEqual([3, 1, 2, 4])
  })

  test.each([
    ['state=bogus', 'state', 'invalid_choice'],
    ['state__in=open,bogus', 'state__in', 'invalid_choice'],
    ['closedAt__gte=%00', 'closedAt__gte', 'null_characters_not_allowed'],
    ['org=x', 'org', 'invalid_value'],
  ])('?%s is 400 at the name that clients know', async (query, name) => {
    const refused = { status: 400, data: { [name]: [expect.any(String)] } }
    expect(await ask(query)).toEqual(refused)
    expect(await ask(`version=v1&${query}`)).toEqual(refused)
  })

  describe('what clients write in several forms is compared in the form of the rows', () => {
    const guids = ['3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'c56a4180-65aa-42ec-a945-5fd21dec0538']
    const forms = arraySource(
      guids.map((guid, at) => ({ id: at + 1, guid, at: `12:3${at}:00`, day: `2024-02-2${at}` })),
      { key: 'id' },
    )
    const spec = {
      source: forms,
      serializer: serializer({
        id: field.integer(),
        guid: field.uuid(),
        of: field.related(
          { key: field.uuid(), find: () => true },
          { source: 'guid' as never, readOnly: true },
        ),
        at: field.time(),
        day: field.date(),
      }),
      filterFields: [
        'guid',
        'guid__in',
        'guid__gt',
        'guid__icontains',
        'of',
        'at',
        'at__gt',
        'day',
      ],
    }
    test.each([
      ['guid=3F2504E0-4F89-41D3-9A0C-0305E82C3301', [1]],
      ['guid=3F2504E04F8941D39A0C0305E82C3301', [1]],
      ['guid__in=3F2504E04F8941D39A0C0305E82C3301,C56A4180-65aa-42ec-a945-5fd21dec0538', [1, 2]],
      ['guid__gt=3F2504E04F8941D39A0C0305E82C3301', [2]],
      ['guid__icontains=C56A', [2]],
      ['of=C56A418065AA42ECA9455FD21DEC0538', [2]],
      ['at=12:30', [1]],
      ['at__gt=12:30', [2]],
      ['day=2024-02-21', [2]],
    ])('?%s', async (query, found) => {
      expect(await ask(query, spec)).toEqual(found)
    })

    test.each([
      'guid=x',
      'guid__in=c56a4180-65aa-42ec-a945-5fd21dec0538,x',
      'of=1',
      'at=24:00:00',
      'day=2024-02-30',
    ])('?%s is 400', async (query) => {
      const data = { [query.split('=')[0]!]: [expect.any(String)] }
      expect(await ask(query, spec)).toEqual({ status: 400, data })
    })
  })

  test('choices are checked where the whole value is compared', async () => {
    expect(await ask('state__in=open,waiting')).toEqual([4, 1])
    expect(await ask('state__in=,')).toEqual([4, 3, 2, 1])
    expect(await ask('state__icontains=o')).toEqual([3, 2, 1])
  })

  test('the values that the schema of another library lists are choices, too', async () => {
    const listed = { type: 'string', enum: ['open', 'waiting'] }
    const validator = {
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: (value: unknown) => ({ value }),
        jsonSchema: { input: () => listed, output: () => listed },
      },
    }
    const spec = {
      serializer: serializer({
        id: field.integer(),
        state: field.schema(validator, { source: 'status' }),
      }),
      filterFields: ['state'],
    }
    expect(await ask('state=waiting', spec)).toEqual([4])
    expect(await ask('state=closed', spec)).toEqual({
      status: 400,
      data: { state: [expect.any(String)] },
    })
  })

  test('in every version, a name finds what the field of the source finds', async () => {
    const lookups = ['', '__exact', '__lt', '__gte', '__in', '__icontains', '__isnull']
    const fieldsFor = (names: Readonly<Record<string, string>>) => ({
      filterFields: lookups.flatMap((lookup) => Object.keys(names).map((name) => name + lookup)),
    })
    const NAMES = {
      v1: { subject: 'title', closedAt: 'closed_at' },
      v2: { title: 'title', closedAt: 'closed_at' },
    }
    const named = { v1: serve(fieldsFor(NAMES.v1)), v2: serve(fieldsFor(NAMES.v2)) }
    const plain = serve({
      ...fieldsFor({ title: '', closed_at: '' }),
      serializer: { represent: (row: Row) => row },
    })
    const value = fc.constantFrom(
      'Paper',
      'Pa',
      'Screen',
      '2024-05-01',
      '2024',
      'true',
      'Paint,Paper',
    )
    const cases = fc.record({
      version: fc.constantFrom('v1' as const, 'v2' as const),
      asked: fc.array(fc.tuple(fc.nat(1), fc.constantFrom(...lookups), value), { maxLength: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(cases, async ({ version, asked }) => {
        const names = Object.entries(NAMES[version])
        const query = (side: 0 | 1) =>
          asked.map(([at, lookup, text]) => `&${names[at]![side]}${lookup}=${text}`).join('')
        const [by, columns] = await Promise.all([
          named[version].get(`/tickets/?version=${version}${query(0)}`),
          plain.get(`/tickets/?version=${version}${query(1)}`),
        ])
        expect(by.status).toBe(columns.status)
        if (by.status === 200) expect(idsOf(by.data)).toEqual(idsOf(columns.data))
      }),
      { numRuns: 200 },
    )
  })
})

describe('cursors', () => {
  const pagination = new CursorPagination({ pageSize: 1, ordering: '-closedAt' })
  const spec = { ...DECLARED, ordering: null, pagination }
  interface Page {
    readonly next: string | null
    readonly results: { readonly id: number }[]
  }
  const walk = async (query: string) => {
    const { get } = serve(spec)
    const { data } = await get(`/tickets/?${query}`)
    return {
      get,
      page: data as Page,
      cursor: /cursor=([^&]*)/.exec((data as Page).next ?? '')?.[1],
    }
  }

  test('a style may name an order as the serializer does', async () => {
    const { get, page } = await walk('')
    expect(idsOf(page.results)).toEqual([2])
    expect(
      idsOf(((await get(page.next!.slice('http://localhost'.length))).data as Page).results),
    ).toEqual([3])
  })

  test('go on in another version, with the names of that one', async () => {
    const { get, cursor } = await walk(
      'version=v1&subject__x=1&ordering=-subject&closedBefore=2025',
    )
    const { data } = await get(`/tickets/?ordering=-title&closedBefore=2025&cursor=${cursor}`)
    expect(idsOf((data as Page).results)).toEqual([2])
    const other = await get(`/tickets/?ordering=title&closedBefore=2025&cursor=${cursor}`)
    expect(other.status).toBe(404)
  })

  test('are bound to what was filtered by, not to its name', async () => {
    const { get, cursor } = await walk('version=v1&state__in=open,waiting&org=2,')
    expect(cursor).toBeUndefined()
    const one = await walk('version=v1&state=closed')
    expect((await get(`/tickets/?state=closed&cursor=${one.cursor}`)).status).toBe(200)
    expect((await get(`/tickets/?state=open&cursor=${one.cursor}`)).status).toBe(404)
    const twins = arraySource(
      rows.map((row) => ({ ...row, title: 'same' })),
      { key: 'id' },
    )
    const same = serve({ ...spec, source: twins })
    const { data } = await same.get('/tickets/?version=v1&subject=same')
    const cursor2 = /cursor=([^&]*)/.exec((data as Page).next!)![1]
    expect((await same.get(`/tickets/?title=same&cursor=${cursor2}`)).status).toBe(200)
    expect((await same.get(`/tickets/?title=other&cursor=${cursor2}`)).status).toBe(404)
    expect((await same.get(`/tickets/?cursor=${cursor2}`)).status).toBe(404)
  })
})

describe('a choice of serializers', () => {
  const old = serializer({ id: field.integer(), subject: field.text({ source: 'title' }) })
  const now = serializer({ id: field.integer(), title: field.text() })
  const fields = {
    filterFields: ['subject', 'title'],
    orderingFields: ['subject', 'title'],
    ordering: '-title',
  } as const
  const choices = {
    'by version': byVersion({ v1: old, v2: now }),
    'by a function': ({ version }: ApiRequest) => (version === 'v1' ? old : now),
  }

  test.each(Object.entries(choices))('%s', async (name, chosen) => {
    const spec = { ...fields, serializer: chosen, ordering: 'id' }
    expect(await ask('title=Paper', spec)).toEqual([2])
    expect(await ask('version=v1&subject=Paper', spec)).toEqual([2])
    expect(await ask('ordering=title', spec)).toEqual([4, 2, 1, 3])
    expect(await ask('version=v1&ordering=subject', spec)).toEqual([4, 2, 1, 3])
    expect(await ask('subject=Paper', spec)).toEqual([1, 2, 3, 4])
    // the order of the list is the program's own, so another of the choices may name it
    const ordered = await ask('version=v1', { ...spec, ordering: '-title' })
    expect(ordered).toEqual(name === 'by version' ? [3, 1, 2, 4] : expect.objectContaining(FAILED))
  })

  test('one that is not made of fields is asked by the names of the rows', async () => {
    const spec = { serializer: byVersion({ v1: ids, v2: now }), filterFields: ['title'] }
    const { data } = await serve(spec).get('/tickets/?version=v1&title=Paper')
    expect(data).toEqual([2])
    expect(await ask('title=Paper', spec)).toEqual([2])
  })
})

describe('what a service does not start with', () => {
  test.each([
    [
      'filterFields',
      ['closed_at__gte'],
      /shows it as "closedAt": write that, or \{ name: "closed_at", column: "closed_at" \}/,
    ],
    [
      'orderingFields',
      ['organisation_id'],
      /no such field.* write \{ name: "organisation_id", column: "organisation_id" \}/,
    ],
    ['searchFields', ['^secrte'], /no such field.* write \{ column: "secrte" \}/],
    ['ordering', '-closed_at', /shows it as "closedAt": write that, or \{ column: "closed_at" \}/],
    ['filterFields', ['titel'], /mean "title"/],
    ['filterFields', ['password'], /is writeOnly/],
    ['orderingFields', ['password'], /is writeOnly.*\{ name: "password", column: "the_column" \}/],
    ['ordering', 'password', /is writeOnly/],
    ['searchFields', ['=password'], /is writeOnly.*\{ column: "the_column" \}/],
    ['orderingFields', ['age'], /worked out from the whole row/],
    ['filterFields', ['owner__in'], /an object of its own/],
    ['filterFields', ['tags'], /several values/],
    ['orderingFields', ['deep'], /no field "author.name"/],
    ['filterFields', [{ name: 'x', column: 'y' }], /no field "y"/],
    ['filterFields', ['comments.body'], /no field "comments.body"/],
  ])('%s: %j', (option, value, message) => {
    const start = () => serve({ [option]: value })
    expect(start).toThrow(ConfigurationError)
    expect(start).toThrow(/endpoint tickets/)
    expect(start).toThrow(message)
  })

  test.each([
    ['filterFields', [{ column: 'title' }]],
    ['filterFields', [{ name: 'x' }]],
    ['filterFields', [{ name: 'x', column: 'title', lookup: 'over' }]],
    ['orderingFields', [{ column: 'title' }]],
    ['searchFields', [{ name: 'title' }]],
    ['searchFields', [null]],
  ])('%s: %j is no list of names', (option, value) => {
    expect(() => serve({ [option]: value })).toThrow(/must be a list of field names/)
  })

  test('names of no serializer among several', () => {
    const old = serializer({ id: field.integer() })
    const spec = { serializer: byVersion({ v1: old, v2: ticket }), filterFields: ['titel'] }
    expect(() => serve(spec)).toThrow(/"titel".*mean "title"/)
  })

  test('nor where a function makes the source', () => {
    expect(() => serve({ source: () => source, filterFields: ['titel'] })).toThrow(/"titel"/)
  })
})

test('single objects are narrowed by the same names', async () => {
  const api = defineApi({
    urls: { 'ticket-list': '/tickets/', 'ticket-detail': '/tickets/:id<int>/' },
    filters,
  })
  const store = {
    key: 'id',
    source,
    find: (id: number) => rows.find((row) => row.id === id) ?? null,
    insert: () => rows[0]!,
    update: () => null,
    remove: () => false,
  }
  const tickets = resource(api, 'ticket', {
    store,
    serializer: omit(ticket, ['owner', 'deep', 'tags']),
    only: ['list', 'retrieve'],
    filterFields: ['state'],
  } as never)
  const { get } = client(api.serve([...tickets], { configuration: configurationOf() }))
  const statuses = ['open', 'closed', 'bogus'].map(
    async (state) => (await get(`/tickets/1/?state=${state}`)).status,
  )
  expect(await Promise.all(statuses)).toEqual([200, 404, 400])
})
