// SEC6: what was revoked stays revoked, and nothing makes a token in passing. More: test/accounts/tokens.test.ts.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { defineAccounts } from '../../src/accounts.ts'
import { DatabaseUnavailable } from '../../src/sql.ts'
import { openSqlite } from '../../src/sqlite.ts'
import { ALICE, ALICES_TOKEN, attacked } from './service.ts'

test('after a revocation no request but a login makes a token', async () => {
  const { accounts, get, head, options, post, request } = await attacked()
  const alice = (await accounts.users.byUsername('alice'))!
  await accounts.tokens.revoke(alice)
  for (const path of ['/token/', '/by/token/', '/session/', '/open/', '/notes/'])
    for (const ask of [get, head, options]) await ask(path, { headers: ALICES_TOKEN })
  for (const method of ['PUT', 'PATCH', 'DELETE']) await request(method, '/token/', { json: ALICE })
  await post('/token/', { json: { ...ALICE, password: 'wrong' } })
  await post('/token/', { headers: ALICES_TOKEN })
  expect(await accounts.tokens.of(alice)).toEqual([])
  expect((await get('/by/token/', { headers: ALICES_TOKEN })).status).toBe(401)

  const { data } = await post('/token/', { json: ALICE })
  expect(data).toEqual({ token: expect.not.stringMatching(/^a{40}$/) as string })
})

test('without the table of tokens nothing is let in, and nothing is passed over in silence', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-'))
  const database = openSqlite({ path: join(folder, 'app.sqlite') })
  onTestFinished(() => {
    database.close()
    rmSync(folder, { recursive: true })
  })
  const { tokens } = defineAccounts({ database, secretKey: 'a secret of these tests' })
  await expect(async () => tokens.verify('a'.repeat(40))).rejects.toThrow(DatabaseUnavailable)
})
