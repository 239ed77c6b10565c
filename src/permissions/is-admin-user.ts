import type { Permission } from '../contract/permission.ts'
import type { ApiRequest } from '../contract/request.ts'
import { isStaff } from './user.ts'

/** Only staff (Z12). Another authenticated user gets 403. */
export class IsAdminUser implements Permission<
  unknown,
  { readonly isAuthenticated: true; readonly isStaff: boolean }
> {
  static readonly options: readonly string[] = []
  declare readonly '~grants'?: { readonly isAuthenticated: true; readonly isStaff: boolean }

  hasPermission({ user }: ApiRequest): boolean {
    return isStaff(user)
  }
}
