import type { Accounts } from '../accounts/create-accounts.ts'
import { BasicAuthentication } from '../authentication/basic.ts'
import { SessionAuthentication } from '../authentication/session.ts'
import type { Authenticator } from '../contract/authentication.ts'
import type { User } from '../contract/credentials.ts'
import type { Settings } from '../contract/settings.ts'
import { SimpleMetadata } from '../endpoints/metadata.ts'
import { FormParser } from '../parsing/form.ts'
import { JSONParser } from '../parsing/json.ts'
import { MultiPartParser } from '../parsing/multipart.ts'
import { handleException } from '../pipeline/exceptions.ts'
import { HTMLRenderer } from '../rendering/html.ts'
import { JSONRenderer } from '../rendering/json.ts'
import { anonymousUser } from './anonymous-user.ts'

/** What holds where no layer says otherwise (Y1), in an application without accounts. */
export const DEFAULTS: Settings = Object.freeze({
  authentication: [],
  permissions: [],
  throttles: [],
  versioning: null,
  defaultVersion: null,
  allowedVersions: null,
  versionParam: 'version',
  versions: null,
  versionHeader: null,
  pagination: null,
  pageSize: null,
  maxPageSize: null,
  filters: [],
  searchParam: 'search',
  orderingParam: 'ordering',
  renderers: [new JSONRenderer(), new HTMLRenderer()],
  parsers: [new JSONParser(), new FormParser(), new MultiPartParser()],
  metadata: new SimpleMetadata(),
  unauthenticatedUser: anonymousUser,
  unauthenticatedToken: null,
  exceptionHandler: handleException,
  nonFieldErrorsKey: 'non_field_errors',
  urlFormatOverride: 'format',
  messages: null,
})

/** What holds where no layer says otherwise. With accounts, whoever has one can say so (A1). */
export function defaultsFor(accounts: Accounts | null): Settings {
  if (accounts === null) return DEFAULTS
  return Object.freeze({ ...DEFAULTS, authentication: schemesOf(accounts) })
}

/** The order matters: the first scheme decides between 401 and 403 (A40). */
function schemesOf({ sessions, users }: Accounts): readonly Authenticator<User, null>[] {
  return [new SessionAuthentication({ sessions }), new BasicAuthentication({ users })]
}
