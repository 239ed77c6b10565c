import { openMysql } from 'colophon/mysql'
import { openPostgres } from 'colophon/postgres'
import type { Migrations, SqlDatabase } from 'colophon/sql'
import { openSqlite } from 'colophon/sqlite'
import type { DialectName } from '../../../setup/dialects.ts'

export function opened(name: DialectName, where: string, migrations?: Migrations): SqlDatabase {
  const own = migrations === undefined ? {} : { migrations }
  if (name === 'sqlite') return openSqlite({ path: where, ...own })
  return { postgres: openPostgres, mysql: openMysql }[name]({ url: where, ...own })
}
