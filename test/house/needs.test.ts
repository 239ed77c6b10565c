import { expect, test } from 'vitest'
import { NEEDS, filesThatNeed } from '../../scripts/needs.ts'

test.each([
  ['PostgreSQL', 'test/storage/postgres/database.test.ts'],
  ['MariaDB', 'test/security/finding-15-database-away.test.ts'],
  ['Redis', 'test/storage/redis/away.test.ts'],
  ['nginx', 'test/deploy/nginx.test.ts'],
  ['Chromium', 'test/browser/forms.test.ts'],
  ['cryptography of Python', 'test/core/secrets/seal.test.ts'],
  ['npm and its registry', 'test/house/create.test.ts'],
  ['Linux', 'test/core/serving/downloads.test.ts'],
  ['processes of their own', 'test/tools/cli/tokens.test.ts'],
])('%s is needed, by its imports, by %s', (name, file) => {
  expect(filesThatNeed([name])).toContain(file)
})

test('files that say a behaviour on every database that there is need none of them', () => {
  const files = filesThatNeed(NEEDS.map(({ name }) => name))
  for (const file of ['test/behaviour/05-token.test.ts', 'test/accounts/logins.test.ts'])
    expect(files).not.toContain(file)
})
