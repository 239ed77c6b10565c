import {
  IsAuthenticated,
  NamespaceVersioning,
  configurationOf,
  defineApi,
  defineUrls,
  include,
} from 'colophon'

class HasRole {
  readonly description: string

  constructor(role: string) {
    this.description = `HasRole(${role})`
  }

  hasPermission(): boolean {
    return false
  }
}

const api = defineApi({
  urls: defineUrls({
    v1: include('/v1', { doctors: '/doctors/' }),
    v2: include('/v2', { doctors: '/doctors/' }),
    status: '/status/',
  }),
  versioning: new NamespaceVersioning(),
  allowedVersions: ['v1', 'v2'],
  defaultVersion: 'v2',
})

export default api.serve(
  [
    api.endpoint('doctors', { permissions: [new HasRole('admin')] }).get(() => null),
    api.endpoint('status', { permissions: [new IsAuthenticated()] }).get(() => null),
  ],
  { configuration: configurationOf() },
)
