import type { Permission } from '../contract/permission.ts'
import type { ApiRequest } from '../contract/request.ts'
import { isAuthenticated } from './user.ts'

/** Only users that a scheme named (Z11). Afterwards `request.user` is known to be one. */
export class IsAuthenticated implements Permission<unknown, { readonly isAuthenticated: true }> {
  static readonly options: readonly string[] = []
  declare readonly '~grants'?: { readonly isAuthenticated: true }

  hasPermission({ user }: ApiRequest): boolean {
    return isAuthenticated(user)
  }
}
