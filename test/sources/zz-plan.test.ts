import { test } from 'vitest'
import { temporarySqlite } from '../contract/temporary.ts'
import { emptyDatabase } from '../setup/databases.ts'
import { sqlSource } from '../../src/sources/sql-source.ts'

for (const dialect of ['sqlite','postgres','mysql'] as const)
test(dialect, { timeout: 200_000 }, async () => {
  const d: any = dialect === 'sqlite' ? temporarySqlite() : await emptyDatabase(dialect)
  const w = async (sql: string) => { await d.write({sql, parameters: []}) }
  await w(`create table item (id bigint not null primary key, a int not null, n int, s varchar(20) not null)`)
  await w('create index item_a on item (a, id)'); await w('create index item_n on item (n, id)')
  const seq = dialect === 'sqlite' ? `with recursive s(i) as (select 1 union all select i+1 from s where i < 300000) select i, case when i <= 200000 then 5 else i end, case when i % 3 = 0 then null when i <= 200000 then 5 else i end, 'x' from s`
   : dialect === 'postgres' ? `select i, case when i <= 200000 then 5 else i end, case when i % 3 = 0 then null when i <= 200000 then 5 else i end, 'x' from generate_series(1,300000) i`
   : `select seq, case when seq <= 200000 then 5 else seq end, case when seq % 3 = 0 then null when seq <= 200000 then 5 else seq end, 'x' from seq_1_to_300000`
  await w(`insert into item ${seq}`)
  await w(dialect === 'mysql' ? 'analyze table item' : 'analyze item')
  let log = false
  const spy: any = { dialect, describe: (s: any) => d.describe(s), rows: async (s: any) => {
    if (log) {
      const p = s.parameters
      if (dialect === 'sqlite') console.log(s.sql.replace(/.*? (where|order)/, '$1'), JSON.stringify(p), '\n   ', d.rows({sql: 'explain query plan ' + s.sql, parameters: p}).values.map((r: any) => r[3]).join(' | '))
      if (dialect === 'postgres') console.log(s.sql.replace(/.*? (where|order)/, '$1'), JSON.stringify(p), '\n   ', (await d.rows({sql: 'explain (analyze, timing off) ' + s.sql, parameters: p})).values.map((r: any) => r[0]).filter((x: string) => !/Planning|Output/.test(x)).join('\n    '))
      if (dialect === 'mysql') console.log(s.sql.replace(/.*? (where|order)/, '$1'), JSON.stringify(p), '\n   ', JSON.stringify((await d.read({sql: 'explain ' + s.sql, parameters: p}))))
    }
    const t = performance.now(); const r = await d.rows(s); const e = performance.now() - t
    if (log) console.log('    ', e.toFixed(2), 'ms', r.values.length)
    return r
  }}
  const source: any = sqlSource({ database: spy, query: d.kysely().selectFrom('item').select(['id','a','n']), key: 'id' } as any)
  const seek = async (title: string, keys: any, position: any, reverse = false) => { await source.seek({keys, position, reverse, limit: 50}); console.log('###', dialect, title); log = true; await source.seek({keys, position, reverse, limit: 50}); log = false }
  const A = [{field:'a',descending:true,nulls:'last'}], AA = [{field:'a',descending:false,nulls:'first'}]
  const N = [{field:'n',descending:false,nulls:'first'}], ND = [{field:'n',descending:true,nulls:'last'}], NL = [{field:'n',descending:false,nulls:'last'}]
  await seek('a desc page 1', A, null)
  await seek('a desc deep in ties', A, [5, 100000])
  await seek('a asc deep in ties', AA, [5, 100000])
  await seek('a asc reverse deep in ties', AA, [5, 199000], true)
  await seek('n asc first, page 1', N, null)
  await seek('n asc first, behind null', N, [null, 150000])
  await seek('n asc first, behind 5', N, [5, 100000])
  await seek('n desc last, page1', ND, null)
  await seek('n desc last, near its end', ND, [5, 20])
  await seek('n asc last page1', NL, null)
  await seek('mixed', [...A, {field:'id',descending:false,nulls:'last'}], [5, 100000])
  await seek('three', [{field:'a',descending:false,nulls:'last'},{field:'n',descending:false,nulls:'first'}], [5, 5, 100000])
})
