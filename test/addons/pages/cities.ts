import {
  type App,
  FieldFilter,
  OrderingFilter,
  PageNumberPagination,
  SearchFilter,
  defineApi,
  field,
  list,
  serializer,
} from '../../../src/index.ts'
import { type SqlDatabase, type Statement, sqlSource } from '../../../src/sql.ts'
import { noting } from '../../behaviour/filter-sources.ts'

interface City {
  readonly id: number
  readonly name: string
  readonly country: string
  readonly population: number
}

/** A list of cities, and the statements that it has sent since it was asked last. */
export async function cities(
  database: SqlDatabase,
): Promise<{ readonly app: App; readonly sent: () => readonly string[] }> {
  const run = (sql: string) => database.write({ sql, parameters: [] })
  await run(
    'create table city (id integer primary key, name text, country text, population integer)',
  )
  await run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000) insert into city select i, 'City ' || i, 'Country ' || (i % 50), i * 1000 from n`,
  )
  const statements: Statement[] = []
  const source = sqlSource({
    database: noting(database, (statement) => statements.push(statement)),
    query: database
      .kysely<{ city: City }>()
      .selectFrom('city')
      .select(['id', 'name', 'country', 'population']),
    key: 'id',
  })
  const api = defineApi({
    urls: { cities: '/' },
    pagination: new PageNumberPagination({ pageSize: 100 }),
  })
  const city = serializer({
    id: field.integer(),
    name: field.text(),
    country: field.text(),
    population: field.integer(),
  })
  const filters = [new SearchFilter(), new OrderingFilter(), new FieldFilter()]
  const app = api.serve([
    api.endpoint('cities', { filters }).get(
      list({
        source,
        serializer: city,
        searchFields: ['name'],
        orderingFields: ['name', 'population'],
        filterFields: ['country', 'population__gte'],
      }),
    ),
  ])
  return { app, sent: () => statements.splice(0).map(({ sql }) => sql) }
}
