import { found } from 'colophon'
import type { Request } from '../../request.ts'
import { identify } from './identity.ts'
import type { View } from './view.ts'

/** Looks a user up and asks the policies about that user. */
export const guardedObject: View = {
  verbs: (endpoint, _config, { accounts: { users } }) => {
    const show = async (request: Request): Promise<object> => {
      const user = await found(request, users.byId(Number(request.params['id'])))
      return { ...identify(request), object: user.id }
    }
    return endpoint.get(show).put(show).delete(show)
  },
}
