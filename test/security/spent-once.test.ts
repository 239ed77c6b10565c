// Of a hundred uses of one link at the same moment one counts. Of codes: test/addons/factors/factors.test.ts; of links to a new
// password and to another address: test/addons/admin/life.
import { describe, expect, test } from 'vitest'
import { SERVERS } from '../setup/databases.ts'
import { type WholeService, wholeService } from './whole-service.ts'

const UNIQUE = { username: 'carol', email: 'carol@example.com', password: 'of her own' }

type Uses = (service: WholeService) => Promise<(at: number) => Promise<boolean>>

/** What one of a hundred does; `true`: it counted. */
const LINKS: Readonly<Record<string, Uses>> = {
  'a registration': async ({ accounts, clock }) => {
    const link = { digest: 'of the link of a registration', end: clock.now() + 1000 }
    const make = () =>
      accounts.by({ user: null }).users.create(UNIQUE, undefined, { address: true })
    return async () => (await accounts.links.once(link, make)) !== null
  },
  'a registration of one address by links of many':
    async ({ accounts }) =>
    async (at) => {
      const own = { ...UNIQUE, username: `carol ${at}` }
      const made = accounts.by({ user: null }).users.create(own, undefined, { address: true })
      return made.then(
        () => true,
        () => false,
      )
    },
  'the address of now': async ({ accounts }) => {
    const { email, ...own } = UNIQUE
    const user = await accounts.users.create({ ...own, email })
    const token = (await accounts.links.make('email', user, { lifetime: 1000 }))!
    return async () => {
      const opened = await accounts.links.open('email', token)
      if (opened === null) return false
      return accounts.by({ user: opened.user }).links.confirm(opened.user, opened.email)
    }
  },
}

describe.each(['sqlite', ...SERVERS] as const)('on %s', (place) => {
  test.each(Object.entries(LINKS))('%s', async (_, uses) => {
    const service = await wholeService(place)
    const use = await uses(service)
    const all = await Promise.all(Array.from({ length: 100 }, (__, at) => use(at)))
    expect(all.filter(Boolean)).toHaveLength(1)
    expect(await service.accounts.users.count()).toBe(1)
    const [user] = await service.accounts.links.usersOf('CAROL@example.com')
    expect(await service.accounts.links.isConfirmed(user!)).toBe(true)
  })
})
