import { expect, test } from 'vitest'
import { defineAccounts } from 'colophon/accounts'
import { openSqlite } from 'colophon/sqlite'
import { temporaryPath } from '../../contract/temporary.ts'
import { inProcess } from './in-process.ts'

test('roles are given to new users and others, listed, and refused where they are not declared', async () => {
  const path = temporaryPath()
  const env = { DATABASE_URL: `sqlite:${path}`, SECRET_KEY: 'for tests: tN4vQ0xJ8wYcR2mZ6kLpD1s' }
  const run = (...args: string[]) => inProcess(['--app', 'roles.ts', ...args], { env, input: '' })
  const create = (name: string, ...more: string[]) =>
    run('user', 'create', name, '--no-password', ...more)
  await run('migrate')
  expect(await create('ada', '--role', 'doctor', '--role', 'receptionist')).toMatchObject({
    status: 0,
  })
  await create('bob')
  const wrong = await create('eve', '--role', 'docter')
  expect(wrong.status).toBe(1)
  expect(wrong.complaint).toContain('There is no role "docter".')
  const listed = await run('user', 'list')
  expect(listed.output).toMatch(/ROLES/)
  expect(listed.output).toMatch(/ada\t-\t-\treceptionist doctor\t/)
  expect(listed.output).toMatch(/bob\t-\t-\t-\t/)
  const given = await run('user', 'roles', 'bob', '--role', 'doctor')
  expect(given.output).toBe('User bob has now: doctor.\n')
  expect((await run('user', 'roles', 'ada', '--no-roles', '--json')).output).toContain('"roles":[]')
  for (const args of [[], ['--role', 'doctor', '--no-roles']])
    expect(await run('user', 'roles', 'bob', ...args)).toMatchObject({ status: 2 })
  const database = openSqlite({ path })
  const { users } = defineAccounts({ database, roles: ['receptionist', 'doctor'] })
  expect((await users.byUsername('ada'))?.roles).toEqual([])
  expect((await users.byUsername('bob'))?.roles).toEqual(['doctor'])
  expect(await users.byUsername('eve')).toBeNull()
  const sql = "select details from colophon_audit where action = 'user.changed' order by id"
  expect(database.read({ sql, parameters: [] })).toEqual([
    { details: '{"fields":["roles"],"roles":["doctor"]}' },
    { details: '{"fields":["roles"],"roles":[]}' },
  ])
  database.close()
})
