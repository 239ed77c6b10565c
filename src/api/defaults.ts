import type { Settings } from '../contract/settings.ts'
import { SimpleMetadata } from '../endpoints/metadata.ts'
import { FormParser } from '../parsing/form.ts'
import { JSONParser } from '../parsing/json.ts'
import { MultiPartParser } from '../parsing/multipart.ts'
import { handleException } from '../pipeline/exceptions.ts'
import { HTMLRenderer } from '../rendering/html.ts'
import { JSONRenderer } from '../rendering/json.ts'
import { anonymousUser } from './anonymous-user.ts'

/** What holds where no layer says otherwise (Y1). The only place that knows. */
export const DEFAULTS: Settings = Object.freeze({
  authentication: [],
  permissions: [],
  throttles: [],
  versioning: null,
  defaultVersion: null,
  allowedVersions: null,
  versionParam: 'version',
  pagination: null,
  pageSize: null,
  renderers: [new JSONRenderer(), new HTMLRenderer()],
  parsers: [new JSONParser(), new FormParser(), new MultiPartParser()],
  metadata: new SimpleMetadata(),
  unauthenticatedUser: anonymousUser,
  unauthenticatedToken: null,
  exceptionHandler: handleException,
  nonFieldErrorsKey: 'non_field_errors',
  urlFormatOverride: 'format',
})
