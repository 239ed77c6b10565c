import { describe, expect, test } from 'vitest'
import type { User } from '../../src/core/ports/credentials.ts'
import { openAccounts } from './fixtures.ts'

describe('RU4 whom a web server in front names', () => {
  test('somebody known', async () => {
    const { users } = await openAccounts()
    const ada = await users.create({ username: 'ada', password: 'lovelace', isStaff: true })
    expect(await users.remoteUser('ada')).toEqual(ada)
  })

  test('somebody unknown gets an account: active, no staff, and nobody can log in with a password', async () => {
    const { users } = await openAccounts({ now: () => 1_700_000_000_000 })
    const joe = await users.remoteUser('joe')
    expect(joe).toMatchObject({
      username: 'joe',
      email: '',
      isActive: true,
      isStaff: false,
      isSuperuser: false,
      dateJoined: new Date(1_700_000_000_000),
    })
    expect(await users.remoteUser('joe')).toEqual(joe)
    expect(await users.authenticate('joe', '')).toBeNull()
  })

  test('or none, where the application says so', async () => {
    const { users } = await openAccounts({ createUnknownUser: false })
    const ada = await users.create({ username: 'ada' })
    expect(await users.remoteUser('joe')).toBeNull()
    expect(await users.byUsername('joe')).toBeNull()
    expect(await users.remoteUser('ada')).toEqual(ada)
  })

  test.each([0, ''])('%j of a program without types says so, too', async (off) => {
    const { users } = await openAccounts({ createUnknownUser: off as never })
    expect(await users.remoteUser('joe')).toBeNull()
  })

  test('somebody switched off is found, for the scheme to judge, and nobody new is made', async () => {
    const { users } = await openAccounts()
    await users.create({ username: 'eve', isActive: false })
    expect(await users.remoteUser('eve')).toMatchObject({ username: 'eve', isActive: false })
  })

  test('another case is another user, and one spelling of Unicode is the other', async () => {
    const { users } = await openAccounts()
    const names = ['ada', 'Ada', 'ﬁnn', 'finn']
    const found: (User | null)[] = []
    for (const name of names) found.push(await users.remoteUser(name))
    expect(found.map((user) => user?.username)).toEqual(['ada', 'Ada', 'finn', 'finn'])
    expect(new Set(found.map((user) => user?.id)).size).toBe(3)
  })

  test.each([
    ['no name', ''],
    ['white space before it', ' ada'],
    ['a no-break space after it', 'ada\u00a0'],
    ['a control character', 'a\u0000b'],
    ['one of those beyond ASCII', 'a\u0085b'],
    ['half a surrogate pair', 'a\ud800'],
    ['too long', 'a'.repeat(151)],
    ['much too long', 'ﷺ'.repeat(10_000)],
  ])('a name that nobody can have is nobody: %s', async (_, name) => {
    const { users } = await openAccounts()
    expect(await users.remoteUser(name)).toBeNull()
  })

  test('the first requests of somebody, all at once, make one account', async () => {
    const { users } = await openAccounts()
    const found = await Promise.all(Array.from({ length: 50 }, async () => users.remoteUser('joe')))
    const ids = new Set(found.map((user) => user!.id))
    expect(ids.size).toBe(1)
    expect((await users.byUsername('joe'))!.id).toBe([...ids][0])
  })
})
