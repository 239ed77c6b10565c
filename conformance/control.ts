import { type Endpoint, type Reply, ValidationError, reply } from 'colophon'
import type { ServiceApi } from './api.ts'
import type { Addresses, Request } from './request.ts'
import type { World } from './world.ts'

/** The addresses of the test control (SERVICE §1.1). */
export const controlAddresses: Addresses = {
  'control-reset': '/control/reset/',
  'control-clock': '/control/clock/',
  'control-user': '/control/user/',
  'control-delete-token': '/control/delete-token/',
  'control-create-token': '/control/create-token/',
  'control-count-users': '/control/count-users/',
}

/** They belong to the test: nobody has to say who it is. */
export function controlEndpoints(
  api: ServiceApi,
  { database, accounts, clock, reset }: World,
): Endpoint<never>[] {
  const { users, tokens } = accounts
  const control = api.group({ authentication: [], permissions: [] })

  return [
    control.endpoint('control-reset').post(async () => {
      await reset()
      return done
    }),
    control.endpoint('control-clock').post(async (request) => {
      clock.advance(Number((await membersOf(request))['advance']))
      return done
    }),
    control.endpoint('control-user').post(async (request) => {
      const { username, is_active, is_staff, password } = await membersOf(request)
      const user = await users.byUsername(String(username))
      if (user === null) throw unknownUser
      await users.update(user, {
        ...(typeof is_active === 'boolean' ? { isActive: is_active } : {}),
        ...(typeof is_staff === 'boolean' ? { isStaff: is_staff } : {}),
      })
      if (typeof password === 'string') await users.setPassword(user, password)
      return done
    }),
    control.endpoint('control-delete-token').post(async (request) => {
      const user = await users.byUsername(String((await membersOf(request))['username']))
      if (user === null) throw unknownUser
      await tokens.revoke(user)
      return done
    }),
    control.endpoint('control-create-token').post(async (request) => {
      const { username, replace } = await membersOf(request)
      const user = await users.byUsername(String(username))
      if (user === null) return { ok: false }
      const { key } = replace === true ? await tokens.regenerate(user) : await tokens.obtain(user)
      return { ok: true, token: key }
    }),
    control.endpoint('control-count-users').post(async () => {
      const sql = 'select count(*) as users from colophon_user'
      return (await database.read<{ users: number }>({ sql, parameters: [] }))[0]
    }),
  ]
}

const done: Reply = reply(null, { status: 204 })
const unknownUser = new ValidationError({ username: ['There is no such user.'] })

async function membersOf(request: Request): Promise<Readonly<Record<string, unknown>>> {
  const body = await request.body()
  if (typeof body === 'object' && body !== null) return body as Record<string, unknown>
  throw new ValidationError('An object is expected here.')
}
