import {
  ApiError,
  AuthenticationFailed,
  MethodNotAllowed,
  NotAcceptable,
  NotAuthenticated,
  NotFound,
  ParseError,
  PermissionDenied,
  Throttled,
  UnsupportedMediaType,
  ValidationError,
} from 'colophon'

export class ServiceUnavailable extends ApiError {
  static override readonly status = 503
  static override readonly code = 'unavailable'
  static override readonly detail = 'Closed for stocktaking.'
}

class Teapot extends ApiError {
  static override readonly status = 418
  static override readonly code = 'teapot'
  static override readonly detail = 'This one only makes tea.'
}

const nested = {
  author: { name: ['Nobody has this name.'] },
  tags: [{}, { text: ['This tag is too long.'] }],
}

const closed = { reason: 'The library is closed.', hours: ['Monday 9 to 12', 'Friday 14 to 18'] }

/** The errors of SERVICE §4.1, by kind. */
export const errors: Readonly<Record<string, (method: string) => Error>> = {
  'parse-error': () => new ParseError(),
  'not-authenticated': () => new NotAuthenticated(),
  'authentication-failed': () => new AuthenticationFailed(),
  'permission-denied': () => new PermissionDenied(),
  'not-found': () => new NotFound(),
  'method-not-allowed': (method) => new MethodNotAllowed(method),
  'not-acceptable': () => new NotAcceptable(),
  'unsupported-media-type': () => new UnsupportedMediaType('text/x-unknown'),
  'server-error': () => new ApiError(),
  'permission-code': () => new PermissionDenied('Members only.', 'no-entry'),
  'validation-text': () => new ValidationError('This does not fit together.'),
  'validation-list': () => new ValidationError(['This is wrong.', 'So is this.']),
  'validation-fields': () =>
    new ValidationError({ title: ['It is too long.'], pages: ['It is negative.', 'It is odd.'] }),
  'validation-nested': () => new ValidationError(nested),
  throttled: () => new Throttled(),
  'throttled-wait': () => new Throttled(7.2),
  'throttled-zero': () => new Throttled(0),
  unavailable: () => new ServiceUnavailable(),
  teapot: () => new Teapot(),
  'detail-object': () => new PermissionDenied(closed),
  'framework-404': () => new NotFound(),
  'framework-403': () => new PermissionDenied(),
  crash: () => new Error('This was not foreseen.'),
}
