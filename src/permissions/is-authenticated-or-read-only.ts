import type { Permission } from '../contract/permission.ts'
import type { ApiRequest } from '../contract/request.ts'
import { isAuthenticated } from './user.ts'

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Everyone may read; only users that a scheme named may do more (Z13). */
export class IsAuthenticatedOrReadOnly implements Permission {
  static readonly options: readonly string[] = []

  hasPermission({ method, user }: ApiRequest): boolean {
    return SAFE_METHODS.has(method) || isAuthenticated(user)
  }
}
