// A service at several moments of its life.
import {
  type App,
  URLPathVersioning,
  arraySource,
  defineApi,
  defineUrls,
  field,
  list,
  serializer,
} from 'colophon'

/** At one of them: first, both, grown, broken, ending or gone. */
export function applicationAt(stage: string): App {
  const versions = { first: ['v1'], gone: ['v2'] }[stage] ?? ['v1', 'v2']
  const name = field.text()
  const whole = serializer({ name, area: field.integer() })
  const brief = serializer({ name })
  const grown = serializer({ name, area: field.integer(), mayor: field.text() })
  const city = (stage === 'broken' ? brief : stage === 'grown' ? grown : whole) as typeof whole

  const api = defineApi({
    urls: defineUrls({ 'city-list': '/:version/cities/' }),
    versioning: new URLPathVersioning(),
    allowedVersions: versions,
    versions:
      stage === 'ending' ? { v1: { deprecatedAt: '2025-01-01', sunsetAt: '2999-01-01' } } : {},
  })

  return api.serve([
    api
      .endpoint('city-list')
      .get(
        list({ source: arraySource([{ name: 'Oslo', area: 454, mayor: '' }]), serializer: city }),
      ),
  ])
}
