import { describe, expect, test } from 'vitest'
import { sqliteDialect } from '../../../src/storage/sqlite/open.ts'
import { prepare, queryBuilder } from '../../../src/storage/sql/prepared.ts'

const sessions = queryBuilder(sqliteDialect).deleteFrom('colophon_session')

describe('a prepared statement', () => {
  test('takes its values by name, whatever their order in the text', () => {
    const end = prepare((user: number, digest: string) =>
      sessions.where('digest', '=', digest).where('user_id', '=', user),
    )
    expect(end(1, 'd')).toEqual({
      sql: 'delete from "colophon_session" where "digest" = ? and "user_id" = ?',
      parameters: ['d', 1],
    })
  })

  test('may use a value twice', () => {
    const clear = prepare((at: number) =>
      sessions.where('created', '>', at).where('expires', '<=', at),
    )
    expect(clear(5).parameters).toEqual([5, 5])
  })

  test('has no value but those that are given', () => {
    expect(prepare(() => sessions.where('user_id', '=', 1))).toThrow(
      'Every value of this statement must be given by name: delete from "colophon_session"',
    )
  })
})
