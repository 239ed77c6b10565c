import { describe } from 'vitest'
import { QueryParameterVersioning, configurationOf, defineApi } from '../../src/index.ts'
import { throughDoors } from './doors.ts'
import { DETAIL, addresses, notebook } from './fixtures.ts'

const is = (version: string | null) => ({ status: 200, data: { version } })
const not = (status: 404) => ({ status, data: DETAIL, headers: { 'www-authenticate': null } })

/** Every policy is served at `/name/`. */
function serving(policies: Readonly<Record<string, object>>) {
  const urls = addresses(Object.keys(policies))
  const api = defineApi({ urls, logger: notebook() })
  return api.serve(
    Object.entries(policies).map(([name, policy]) =>
      api.endpoint(name, policy).get((request: { version: string | null }) => ({
        version: request.version,
      })),
    ),
    { configuration: configurationOf() },
  )
}

describe('V60 query parameter', () => {
  const versioning = new QueryParameterVersioning()
  const listed = { versioning, allowedVersions: ['v1', 'v2'] }
  const app = serving({
    free: { versioning },
    listed,
    default: { ...listed, defaultVersion: 'v1' },
    renamed: { versioning, versionParam: 'v' },
    variant: { versioning: new QueryParameterVersioning({ versionParam: 'edition' }) },
  })
  throughDoors(app, [
    ['V60 the parameter', 'GET /free/?version=v1', is('v1')],
    ['V60 the last one', 'GET /listed/?version=v9&version=v2', is('v2')],
    ['V60 also where it is not allowed', 'GET /listed/?version=v2&version=v9', not(404)],
    ['V60 names are case-sensitive', 'GET /free/?Version=v1', is(null)],
    ['V60 decoded', 'GET /free/?version=1+0%26x', is('1 0&x')],
    ['V60 none', 'GET /free/', is(null)],
    ['V11 the default', 'GET /default/', is('v1')],
    ['V7 an empty value', 'GET /default/?version=', not(404)],
    ['V7 also without =', 'GET /default/?version', not(404)],
    ['V7 without a list it is a version', 'GET /free/?version=', is('')],
    ['V10 none, no default, a list', 'GET /listed/', not(404)],
    ['V2 another name', 'GET /renamed/?v=v1&version=v2', is('v1')],
    ['V2 of a variant', 'GET /variant/?edition=v1', is('v1')],
    [
      'I11 the address says it: nothing more varies',
      'GET /free/?version=v1',
      { status: 200, headers: { vary: 'Accept' } },
    ],
  ])
})
