import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyDatabaseUrl } from '../../setup/databases.ts'
import { PACKAGE, colophon } from './colophon.ts'

const folder = mkdtempSync(join(tmpdir(), 'colophon-migrate-'))

/** The application with these migrations, each the text of a list of steps by its name. */
function write(migrations: Readonly<Record<string, string>>): void {
  const list = Object.entries(migrations).map(([name, steps]) => `migration('${name}', [${steps}])`)
  writeFileSync(
    join(folder, 'app.ts'),
    `import { defineApi } from 'colophon'
     import { column, createTable, defineMigrations, migration, openDatabase, plainSql } from 'colophon/sql'
     const database = openDatabase({ migrations: defineMigrations([${list.join(', ')}]) })
     const api = defineApi({ urls: { home: '/' }, database })
     export default api.serve([api.endpoint('home').get(() => 'here')])`,
  )
}

const table = (name: string) => `createTable('${name}', { id: column.id() })`
const run = (...args: string[]) => colophon(args, { cwd: folder })

beforeAll(() => {
  mkdirSync(join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  symlinkSync(PACKAGE, join(folder, 'node_modules/colophon'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('colophon migrate', () => {
  test('one that fails is named in one line, exit 1, and nothing of the run is kept', async () => {
    write({ '1_a': table('a'), '2_b': `${table('b')}, plainSql('insert into nowhere values (1)')` })
    const { status, output, complaint } = await run('migrate')
    expect({ status, output }).toEqual({ status: 1, output: '' })
    expect(complaint).toBe(
      'colophon: The migration 2_b failed: no such table: nowhere. Nothing of this run was kept.\n',
    )
    expect((await run('migrate', '--status')).output).toMatch(/^1_a\tapplication\tpending/m)
  })

  test('the status has late, changed and unknown ones, and its exit status says whether all is well', async () => {
    write({ '1_a': table('a'), '3_c': table('c') })
    expect((await run('migrate')).output).toBe('Done: 1_a\nDone: 3_c\n')
    expect((await run('migrate', '--status')).status).toBe(0)
    write({ '1_a': table('x'), '2_b': table('b') })
    const { status, output } = await run('migrate', '--status')
    expect(status).toBe(1)
    const states = output.split('\n').slice(1, -1)
    expect(states.map((line) => line.split('\t').slice(0, 3).join(' '))).toEqual([
      '1_a application changed',
      '2_b application late',
      '3_c application unknown',
    ])
    const refused = await run('migrate')
    expect(refused).toMatchObject({ status: 1, output: '' })
    expect(refused.complaint).toContain('These migrations changed after they were applied: 1_a.')
  })

  test('--check-online refuses what would lock a large table, and changes nothing', async () => {
    const env = { DATABASE_URL: await emptyDatabaseUrl('postgres') }
    const asked = (...args: string[]) => colophon(['migrate', ...args], { cwd: folder, env })
    const fill = `plainSql('insert into a select g from generate_series(1, 20000) g')`
    write({ '1_a': `${table('a')}, ${fill}` })
    expect(await asked('--check-online')).toMatchObject({
      status: 0,
      output: 'Nothing that is pending locks a table of 10000 rows or more.\n',
    })
    await asked()
    write({ '1_a': `${table('a')}, ${fill}`, '2_b': `plainSql('create index a_id on a (id)')` })
    const { status, output } = await asked('--check-online')
    expect(status).toBe(1)
    expect(output).toMatch(
      /^2_b: create index a_id on a \(id\)\n  Writes wait .*\n  Build it by hand/,
    )
    const { output: json } = await asked('--check-online', '--json')
    expect(JSON.parse(json)).toMatchObject({ migration: '2_b', table: 'a' })
    expect((await asked('--status')).output).toMatch(/^2_b\tapplication\tpending/m)
    expect(await run('migrate', '--check-online')).toMatchObject({
      status: 1,
      complaint:
        'colophon: The database is one of SQLite, where each migration keeps all writes waiting: nothing is checked.\n',
    })
  })
})
