import type { Permission } from '../contract/permission.ts'

/** Everyone may (Z10). The same as an empty list, said aloud. */
export class AllowAny implements Permission {
  static readonly options: readonly string[] = []

  hasPermission(): boolean {
    return true
  }
}
