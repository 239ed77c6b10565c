// One vocabulary for every layer; what is not in it, or of another type, is refused.
import {
  HTMLRenderer,
  IsAuthenticated,
  JSONRenderer,
  PageNumberPagination,
  type Settings,
  TokenAuthentication,
  URLPathVersioning,
  defineApi,
  withHeaders,
} from 'colophon'
import { type Equal, expectType } from './expect.ts'
import { api, urls } from './fixtures.ts'

export function values(): void {
  // @ts-expect-error a list is wanted
  api.group({ permissions: IsAuthenticated })
  // @ts-expect-error a permission is wanted, not its class
  api.group({ permissions: [IsAuthenticated] })
  // @ts-expect-error a permission with a slip in its name is none
  api.group({ permissions: [{ hasPermision: () => true }] })
  // @ts-expect-error a scheme is wanted, not its class
  api.group({ authentication: [TokenAuthentication] })
  // @ts-expect-error names of classes are for configuration
  api.group({ authentication: ['TokenAuthentication'] })
  // @ts-expect-error no scheme is an empty list
  api.group({ authentication: null })
  // @ts-expect-error a scheme is wanted, not its class
  api.group({ versioning: URLPathVersioning })
  // @ts-expect-error versions are a list
  api.group({ allowedVersions: 'v1' })
  // @ts-expect-error of texts
  api.group({ allowedVersions: [1, 2] })
  // @ts-expect-error a version is a text
  api.group({ defaultVersion: 2 })
  // @ts-expect-error a size is a number
  api.group({ pageSize: '20' })
  // @ts-expect-error a ceiling is a number
  api.group({ maxPageSize: '100' })
  // @ts-expect-error and so is a depth
  api.group({ maxOffset: '1000' })
  // @ts-expect-error a style is wanted, not its class
  api.group({ pagination: PageNumberPagination })
  // @ts-expect-error a renderer is wanted, not its class
  api.group({ renderers: [JSONRenderer] })
  // @ts-expect-error a throttle has to admit, or to name limits
  api.group({ throttles: [{ allow: () => true }] })
  // @ts-expect-error a function makes the user
  api.group({ unauthenticatedUser: { isAuthenticated: false } })
  // @ts-expect-error an error is answered with a reply, or not at all
  api.group({ exceptionHandler: () => 'oops' })
  // @ts-expect-error origins are a list, a star or a function
  api.group({ cors: { origins: 'https://app.example.com' } })
  // @ts-expect-error a policy has origins
  api.group({ cors: { credentials: true } })
  // @ts-expect-error a function decides at once
  api.group({ cors: { origins: async () => true } })
  // @ts-expect-error an observer is a function
  api.group({ observe: 'log' })
  // @ts-expect-error what acts around a handler gives its answer
  api.group({ around: async (_request, next) => void (await next()) })
  // @ts-expect-error it is asked for with next(), which takes nothing
  api.group({ around: (request, next) => next(request) })
  // @ts-expect-error whose user has no such member
  api.group({ around: ({ user }, next) => (user.nosuch ? next() : next()) })
  // @ts-expect-error an observer may be called about what was no request
  api.group({ observe: (_answer, request) => request.method })
  // @ts-expect-error a zone has a name
  api.group({ timeZone: () => 1 })
  // @ts-expect-error it is decided at once
  api.group({ timeZone: async () => 'UTC' })
  // @ts-expect-error nobody there has such a zone
  api.group({ timeZone: ({ user }) => user.zone })
  // the right ones
  api.group({ timeZone: (request) => request.header('x-zone') })
  api.group({ around: async (_request, next) => withHeaders(await next(), { 'X-A': '1' }) })
  api.group({
    observe: ({ status, duration }, request) => [status.toFixed(), duration, request?.id],
  })
  api.group({ cors: { origins: (origin, { params }) => origin === params['tenant'] } })
  api.group({ pageSize: 20, pagination: null, renderers: [new JSONRenderer(), new HTMLRenderer()] })
  // `null` switches off
  expectType<
    null extends Settings['pagination' | 'pageSize' | 'maxPageSize' | 'versioning'] ? true : false
  >()
  // but something is always rendered
  expectType<null extends Settings['renderers'] ? false : true>()
}

export function words(): void {
  // @ts-expect-error no setting has this name
  defineApi({ urls, pagesize: 20 })
  // @ts-expect-error neither in a group
  api.group({ permision: [] })
  // @ts-expect-error nor for an endpoint
  api.endpoint('token', { page_size: 20 })
  // @ts-expect-error keys of configuration are for configuration
  api.group({ PAGE_SIZE: 20 })
  // @ts-expect-error an api has addresses
  defineApi({ pageSize: 20 })
  // @ts-expect-error a title is for one endpoint
  api.group({ title: 'Articles' })
  // @ts-expect-error addresses are for the whole api
  api.group({ urls })
  // @ts-expect-error a title is a text
  api.endpoint('token', { title: 7 })
  // words for people stand beside the settings
  api.endpoint('token', { title: 'Tokens', description: 'Gives one.', pageSize: null })
}

export function absent(): void {
  // @ts-expect-error left out inherits, `null` switches off, and undefined is neither
  api.group({ pageSize: undefined })
  // @ts-expect-error the same where types follow
  api.group({ permissions: undefined })
  // @ts-expect-error and for one endpoint
  api.endpoint('token', { versioning: undefined })
  // @ts-expect-error also in the words for people
  api.endpoint('token', { title: undefined })
  // @ts-expect-error and in the options of a style
  const style = new PageNumberPagination({ maxPageSize: undefined })
  return void style
}

export function frozen(): void {
  api.endpoint('token').get((request) => {
    // @ts-expect-error settings are read
    request.settings.pageSize = 5
    // @ts-expect-error their lists too
    request.settings.permissions.push(new IsAuthenticated())
    // @ts-expect-error nobody becomes somebody else on the way
    request.user = null
    // @ts-expect-error nor another request
    request.method = 'POST'
  })
  api.group({
    exceptionHandler(error, request) {
      // an error may be anything
      expectType<Equal<typeof error, unknown>>()
      // @ts-expect-error it may have come before anyone was named
      return request.user
    },
  })
}
