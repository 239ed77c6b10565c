import { error } from './views/error.ts'
import { guardedObject } from './views/guarded-object.ts'
import { bare, identity, identityGet, identityPost, noMetadata } from './views/identity.ts'
import { message, nothing } from './views/message.ts'
import { numbers } from './views/numbers.ts'
import { obtainToken, obtainTokenWithUser } from './views/obtain-token.ts'
import { ignoresBody, parseEcho } from './views/parse-echo.ts'
import { detail, detailEdit, list, listCreate } from './views/records.ts'
import { versionEcho } from './views/version-echo.ts'
import type { ResourceView, View } from './views/view.ts'

/** The kinds of endpoints (SERVICE §4), by name. */
export const views: Readonly<Record<string, View | ResourceView>> = {
  identity,
  'identity-get': identityGet,
  'identity-post': identityPost,
  'no-metadata': noMetadata,
  bare,
  'guarded-object': guardedObject,
  'obtain-token': obtainToken,
  'obtain-token-with-user': obtainTokenWithUser,
  list,
  'list-create': listCreate,
  detail,
  'detail-edit': detailEdit,
  numbers,
  'version-echo': versionEcho,
  message,
  nothing,
  'parse-echo': parseEcho,
  'ignores-body': ignoresBody,
  error,
}
