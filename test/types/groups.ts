// What a layer does not say comes from the layer around it; what it says takes its place.
import {
  AllowAny,
  type AnonymousUser,
  IsAuthenticated,
  type Token,
  URLPathVersioning,
  type User,
} from 'colophon'
import { type Equal, expectType } from './expect.ts'
import { type RequestTo, api, members, versioned } from './fixtures.ts'

export function inherits(): void {
  const member = members.group({ pageSize: 50 }).group({}).endpoint('token')
  // the schemes of the api and the permission of a group, through groups that say neither
  expectType<Equal<RequestTo<typeof member>['user'], User>>()
  // and the credential
  expectType<Equal<RequestTo<typeof member>['auth'], Token | null>>()
  const both = versioned.group({ permissions: [new IsAuthenticated()] }).endpoint('token')
  // permissions of one layer, versions of another
  expectType<Equal<RequestTo<typeof both>['user'], User>>()
  expectType<Equal<RequestTo<typeof both>['version'], 'v1' | 'v2'>>()
  const detail = members.endpoint('article-detail')
  // addresses are the same in every group
  expectType<Equal<RequestTo<typeof detail>['params'], { readonly id: number }>>()
  // @ts-expect-error and so are the names there are
  members.endpoint('article-lost')
}

export function overrides(): void {
  const open = members.endpoint('token', { permissions: [] })
  // an endpoint takes back the permission of its group
  expectType<Equal<RequestTo<typeof open>['user'], User | AnonymousUser>>()
  const replaced = members.endpoint('token', { permissions: [new AllowAny()] })
  // lists replace, they do not add up
  expectType<Equal<RequestTo<typeof replaced>['user'], User | AnonymousUser>>()
  const inner = members.group({ permissions: [] }).endpoint('token')
  // so does a group inside a group
  expectType<Equal<RequestTo<typeof inner>['user'], User | AnonymousUser>>()
  const narrower = versioned.endpoint('token', { allowedVersions: ['v2'] })
  // an endpoint allows fewer versions
  expectType<Equal<RequestTo<typeof narrower>['version'], 'v2'>>()
  const other = versioned.group({ allowedVersions: ['v4'], defaultVersion: null })
  const fourth = other.endpoint('token')
  // or a group others
  expectType<Equal<RequestTo<typeof fourth>['version'], 'v4'>>()
  const back = versioned.group({ versioning: null }).endpoint('token', {
    versioning: new URLPathVersioning(),
  })
  // what was switched off is switched on again, with the rest of the settings
  expectType<Equal<RequestTo<typeof back>['version'], 'v1' | 'v2'>>()
  const outside = api.endpoint('token')
  // a group says nothing of what is outside of it
  expectType<Equal<RequestTo<typeof outside>['version'], null>>()
}
