// A program that runs statements of different texts, reads and writes, and prints by how many bytes the process grew.
import { setImmediate } from 'node:timers/promises'
import { openSqlite } from '../../src/storage/sqlite/open.ts'

const [path = '', texts = '0', length = '0'] = process.argv.slice(2)
const database = openSqlite({ path })
await database.write({ sql: 'create table word (id integer primary key)', parameters: [] })

const parameters = Array.from({ length: Number(length) }, (_, index) => index)
const list = parameters.map(() => '?').join(', ')
const before = process.memoryUsage.rss()
for (let text = 0; text < Number(texts); text++) {
  const where = `where id in (${list}) and ${text} = ${text}`
  database.rows({ sql: `select id from word ${where}`, parameters })
  await database.write({ sql: `delete from word ${where}`, parameters })
  await setImmediate()
}
process.stdout.write(String(process.memoryUsage.rss() - before))
database.close()
